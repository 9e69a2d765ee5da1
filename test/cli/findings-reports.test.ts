// `--report` of `verify` and `check-db`: annotations as GitHub reads them, and JUnit's XML, read
// back by a parser that takes nothing else.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { FINDINGS_KEPT } from '../../src/findings.ts';
import { reportFindings } from '../../src/cli/output/findings.ts';
import { githubLine, junitText } from '../../src/cli/output/findings-reports.ts';
import type { Finding } from '../../src/findings.ts';
import { testContext } from '../support/cli/parser.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue, NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

const HOSTILE = `a%0A,b:c\r\n::stop-commands::x ]]> <failure a='1' b="2"/> &amp; \u0000\u001b\u0085\u2028\ud800\ufffe\uffff ё 👩‍🚀`;
const SHOWN = String.raw`a%0A,b:c\u000d\u000a::stop-commands::x ]]> <failure a='1' b="2"/> &amp; \u0000\u001b\u0085\u2028\ud800\ufffe\uffff ё 👩‍🚀`;

/**
 * Every element of a document in XML, with its attributes and text; throws where it is not
 * well-formed.
 */
function elementsOf(xml: string) {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: typeof elements = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: { ...attributes }, text: '' };
    elements.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return elements;
}

const finding = (place: string, message: string): Finding => ({
  severity: 'error',
  code: 'unexpected',
  place,
  message,
});

describe('--report github', () => {
  test('is a workflow command a finding, on the file of the tree, and then what was checked', async () => {
    const folder = temporaryFolder();
    const size = { fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1 };
    await buildTree(
      catalogueAt(`${folder}/a.sqlite`, smallCatalogue({ ...size, edition: 'x' })),
      `${folder}/out`,
      instant(NOW),
    );
    writeFileSync(join(folder, 'out/public/fronts/a/pointer.json'), '{');
    writeFileSync(join(folder, 'out/public/50%,a:b'), '');
    const { status, stdout } = await playbill(['verify', '--out', `${folder}/out`, '--report', 'github']);
    expect(status).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    const pointer = 'public/fronts/a/pointer.json';
    expect(lines).toContain(
      `::warning file=${folder}/out/public/50%25%2Ca%3Ab,title=unexpected public/50%25%2Ca%3Ab::a file that is not part of a tree`,
    );
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^::error file=${folder}/out/${pointer},title=pointer-invalid ${pointer}::\\S`)),
    );
    expect(lines.at(-1)).toMatch(/^Checked 0 fronts, .*: 1 error, 1 warning$/);
    expect(lines.slice(0, -1).every((line) => /^::(error|warning) file=[^,:]+,title=[^,:]+::/.test(line))).toBe(true);
  });

  test('is one command for all findings of a kind in a column, with three of them; with --all, one a finding', async () => {
    const size = { fronts: ['a'], productsPerFront: 12, sessionsPerProduct: 1 };
    const path = catalogueAt(join(temporaryFolder(), 'bad.sqlite'), smallCatalogue({ ...size, edition: 'x' }));
    const database = new Database(path);
    database.pragma('ignore_check_constraints = ON');
    database.exec("UPDATE products SET age_rating = -1; UPDATE fronts SET currency = '100%,x'");
    database.close();
    const check = ['check-db', '--db', path, '--report', 'github'];
    const { status, stdout } = await playbill(check);
    expect(status).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    const titles = lines.slice(0, -1).map((line) => /,title=([^,]*?)::/.exec(line)?.[1]);
    expect(titles).toEqual(['value-invalid fronts 1', 'value-invalid products.age_rating%3A 13 findings']);
    const [, message = ''] = lines[1]?.split(/::(?!error)/) ?? [];
    expect(message.split('%0A').map((line) => line.split(':')[0])).toEqual([
      'products 1',
      'products 1001',
      'products 1002',
      'and 10 more',
      'hint',
    ]);
    expect((await playbill([...check, '--all'])).stdout.trimEnd().split('\n')).toHaveLength(15);
  });

  test('is one command for all findings of a kind in a tree', async () => {
    const folder = temporaryFolder();
    const size = { fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1 };
    const path = catalogueAt(`${folder}/a.sqlite`, smallCatalogue({ ...size, edition: 'x' }));
    await buildTree(path, `${folder}/out`, instant(NOW));
    for (let i = 0; i < 12; i += 1) writeFileSync(`${folder}/out/public/stranger-${i}`, '');
    const { status, stdout } = await playbill(['verify', '--out', `${folder}/out`, '--report', 'github']);
    expect(status).toBe(0);
    const [line = '', closing, ...others] = stdout.trimEnd().split('\n');
    const start = `::warning file=${folder}/out/public/stranger-0,title=unexpected%3A 12 findings::public/stranger-0: `;
    expect(line.startsWith(start)).toBe(true);
    expect(line.split('%0A')[3]).toBe('and 9 more: playbill verify');
    expect([closing, others]).toEqual([expect.stringMatching(/^Checked /), []]);
  });

  test('gives GitHub back every character but those that are shown as escapes', () => {
    const shown = SHOWN.replace(String.raw`\ufffe\uffff`, '\ufffe\uffff');
    const line = githubLine(finding(HOSTILE, HOSTILE), HOSTILE);
    expect(line).not.toMatch(/[\r\n]/);
    // As the runner reads a command: https://github.com/actions/runner, ActionCommand.cs.
    const [, file = '', title = '', message = ''] = /^::error file=([^,]*),title=([^,]*?)::(.*)$/.exec(line) ?? [];
    const unescaped = (text: string): string =>
      text.replaceAll(/%(?:0D|0A|3A|2C|25)/g, (escape) => decodeURIComponent(escape));
    expect([file, title, message].map(unescaped)).toEqual([shown, `unexpected ${shown}`, shown]);
  });
});

describe('--report junit', () => {
  test('is a suite with a case for each finding, and one for what was checked', async () => {
    const path = catalogueAt(
      join(temporaryFolder(), 'bad.sqlite'),
      smallCatalogue({ fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' }),
    );
    const database = new Database(path);
    database.pragma('ignore_check_constraints = ON');
    database.prepare('UPDATE fronts SET currency = ?').run(HOSTILE);
    database.close();
    const { status, stdout } = await playbill(['check-db', '--db', path, '--report', 'junit']);
    expect(status).toBe(1);
    const [suites, suite, ...others] = elementsOf(stdout);
    const counts = { tests: '2', failures: '1', errors: '0', skipped: '0' };
    expect([suites?.name, suites?.attributes]).toEqual(['testsuites', counts]);
    expect([suite?.name, suite?.attributes]).toEqual(['testsuite', { name: 'playbill check-db', ...counts }]);
    expect(others.map(({ name }) => name)).toEqual(['testcase', 'failure', 'testcase']);
    expect(others[0]?.attributes).toEqual({ classname: 'value-invalid', name: 'fronts 1' });
    expect(others[1]?.attributes).toMatchObject({
      type: 'value-invalid',
      message: expect.stringContaining('"a%0A,b:c') as string,
    });
    expect(others[1]?.text).toBe(`error value-invalid fronts 1: ${others[1]?.attributes['message']}`);
    expect(others[2]?.attributes['name']).toMatch(/^Checked \d+ rows of 21 tables: 1 error, 0 warnings$/);
  });

  test('has one case, passed, where nothing is wrong; a warning passes too', () => {
    const passed = elementsOf(junitText('verify', { checked: {}, errors: 0, warnings: 0, findings: [] }, 'Checked'));
    expect(passed.map(({ name }) => name)).toEqual(['testsuites', 'testsuite', 'testcase']);
    const warning = { ...finding('x', 'y'), severity: 'warning' } as const;
    const warned = elementsOf(
      junitText('verify', { checked: {}, errors: 0, warnings: 1, findings: [warning] }, 'Checked'),
    );
    expect(warned.map(({ name }) => name)).toEqual(['testsuites', 'testsuite', 'testcase', 'system-out', 'testcase']);
    expect(warned[1]?.attributes).toMatchObject({ tests: '2', failures: '0' });
  });

  test('is well-formed whatever the findings quote, and shows what XML cannot hold', () => {
    const texts = [
      HOSTILE,
      ...Array.from({ length: 0x11000 >> 8 }, (_, i) =>
        String.fromCodePoint(...Array.from({ length: 256 }, (_2, j) => i * 256 + j)),
      ),
    ];
    const findings = texts.map((text) => finding(text, text));
    const elements = elementsOf(
      junitText('verify', { checked: {}, errors: findings.length, warnings: 0, findings }, ''),
    );
    const failures = elements.filter(({ name }) => name === 'failure');
    expect(failures).toHaveLength(findings.length);
    expect(failures[0]?.attributes['message']).toBe(SHOWN);
    expect(failures[0]?.text).toBe(`error unexpected ${SHOWN}: ${SHOWN}`);
  });

  test('lists a thousand findings, and fails for those that are only counted', async () => {
    async function* findings(): AsyncGenerator<Finding> {
      for (let i = 0; i < FINDINGS_KEPT; i += 1) yield { ...finding(String(i), 'm'), severity: 'warning' };
      yield* [finding('a', 'm'), finding('b', 'm')];
    }
    const printed: string[] = [];
    const report = { command: 'verify', findings: findings(), checked: {}, checkedText: () => 'all', isJson: false };
    const { terminal } = testContext(printed);
    expect(await reportFindings({ ...report, format: 'junit', fileOf: String }, terminal)).toBe(1);
    const elements = elementsOf(printed.join('\n'));
    expect(elements[1]?.attributes).toMatchObject({ tests: `${FINDINGS_KEPT + 1}`, failures: '1' });
    expect(elements.at(-1)).toMatchObject({ name: 'failure', attributes: { message: '2 further findings' } });
  });
});

test('--report beside --json, or another format, is refused', async () => {
  for (const words of [
    ['--report', 'junit', '--json'],
    ['--report', 'tap'],
  ]) {
    for (const command of ['verify', 'check-db']) {
      const { status, stderr } = await playbill([command, ...words]);
      expect([status, stderr.slice(0, 12)]).toEqual([2, 'error usage:']);
    }
  }
});
