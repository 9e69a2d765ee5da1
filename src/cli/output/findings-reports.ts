// Findings for CI services: GitHub Actions annotations, and JUnit XML, which most other services
// read. Text is escaped so that it cannot end a workflow command or an XML element.

import { Option } from 'commander';
import type { FindingsResultJson } from '../../contract/results/check.ts';
import { findingLine, type Finding } from '../../findings.ts';
import { escapeLine } from './escape.ts';
import type { FindingGroup } from './finding-groups.ts';
import { countText } from '../../count-text.ts';

const FORMATS = ['github', 'junit'] as const;

export interface ReportFlag {
  readonly report?: (typeof FORMATS)[number];
}

export function reportOption(): Option {
  const text = 'print findings as GitHub Actions annotations, or the whole report as JUnit XML';
  return new Option('--report <format>', text).choices(FORMATS).conflicts('json');
}

/** A workflow command, `::error file=F,title=T::message`. GitHub shows it at `file`. */
export function githubLine({ severity, code, place, message }: Finding, file: string): string {
  return githubCommand(severity, file, `${code} ${place}`, [message]);
}

/** A group of findings as one workflow command: GitHub shows only ten of each severity. */
export function githubGroupLine({ title, first, count, lines }: FindingGroup, file: string): string {
  if (count === 1) return githubLine(first, file);
  return githubCommand(first.severity, file, `${title}: ${countText(count, 'finding')}`, lines);
}

function githubCommand(severity: string, file: string, title: string, lines: readonly string[]): string {
  const message = lines.map(githubData).join('%0A');
  return `::${severity} file=${githubProperty(file)},title=${githubProperty(title)}::${message}`;
}

/** escapeLine has replaced newlines, which would end the command. */
function githubData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

function githubProperty(text: string): string {
  return githubData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/**
 * A test suite with one case per finding; errors are failures. One more case says what was checked,
 * so that a report without findings still has a test that passed. It fails if there are errors
 * beyond those that are listed.
 */
export function junitText(
  command: string,
  { errors, warnings, findings }: FindingsResultJson,
  checked: string,
): string {
  const listedErrors = findings.filter(({ severity }) => severity === 'error').length;
  const failures = listedErrors + (errors > listedErrors ? 1 : 0);
  const counts = `tests="${findings.length + 1}" failures="${failures}" errors="0" skipped="0"`;
  const unlisted = countText(errors + warnings - findings.length, 'further finding');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="playbill ${command}" ${counts}>`,
    ...findings.map((finding) => {
      const { severity, code, place, message } = finding;
      const line = xmlText(findingLine(finding));
      const isError = severity === 'error';
      const body = isError
        ? `<failure type="${code}" message="${xmlText(message)}">${line}</failure>`
        : `<system-out>${line}</system-out>`;
      return `<testcase classname="${code}" name="${xmlText(place)}">${body}</testcase>`;
    }),
    `<testcase classname="checked" name="${xmlText(checked)}">${errors > listedErrors ? `<failure type="not-listed" message="${unlisted}"/>` : ''}</testcase>`,
    '</testsuite>',
    '</testsuites>',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Text of one line for an element or a quoted attribute. XML 1.0 allows no control characters and
 * lone surrogates, not even as references (section 2.2). escapeLine replaces all of them except
 * U+FFFE and U+FFFF.
 */
function xmlText(text: string): string {
  const whole = escapeLine(text).replaceAll(
    /[\ufffe\uffff]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16)}`,
  );
  return whole.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
