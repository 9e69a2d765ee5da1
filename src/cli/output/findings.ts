// Findings without end, as `verify` and `check-db` print them: one a line as they come, or as JSON or JUnit's XML, and what was checked
// after them.

import type { FindingsResultJson } from '../../contract/results.ts';
import type { Finding } from '../../findings.ts';
import { EXIT } from '../exit-codes.ts';
import { githubLine, junitText, type ReportFlag } from './findings-reports.ts';
import { countText, findingText, type Terminal } from './terminal.ts';

/** A disk that is failing, or a broken column, has findings without end: where all are printed at once, enough to see what is wrong. */
export const FINDINGS_KEPT = 1000;

export interface FindingsReport {
  /** The command that reports. */
  readonly command: string;
  readonly findings: AsyncGenerator<Finding>;
  /** What was checked; counted while findings are asked for. */
  readonly checked: Record<string, number>;
  /** The same in words, once all is checked. */
  readonly checkedText: () => string;
  /** What was left out, in words; null where nothing was. */
  readonly unchecked?: string | null;
  readonly isJson: boolean;
  readonly format: ReportFlag['report'];
  /** The file that a finding is about, by its place: where GitHub shows it. */
  readonly fileOf: (place: string) => string;
  /** Findings as text, where that is not one line each. */
  readonly textOf?: (findings: AsyncIterable<Finding>, terminal: Terminal) => AsyncGenerator<string>;
  /** Called before each piece that is printed. */
  readonly makeRoom?: () => void;
}

/** Prints findings. @returns the exit code */
export async function reportFindings(report: FindingsReport, terminal: Terminal): Promise<number> {
  const { checked, findings, format, makeRoom, textOf = findingLines } = report;
  const totals = { errors: 0, warnings: 0 };
  async function* counted(): AsyncGenerator<Finding> {
    for await (const finding of findings) {
      if (finding.severity === 'error') totals.errors += 1;
      else totals.warnings += 1;
      yield finding;
    }
  }
  const unchecked = report.unchecked ?? null;
  const closingText = (): string =>
    `Checked ${report.checkedText()}: ${countText(totals.errors, 'error')}, ${countText(totals.warnings, 'warning')}` +
    (unchecked === null ? '' : `\n${unchecked}`);
  if (report.isJson || format === 'junit') {
    const kept: Finding[] = [];
    for await (const finding of counted()) if (kept.length < FINDINGS_KEPT) kept.push(finding);
    makeRoom?.();
    const json: FindingsResultJson = { checked, ...totals, findings: kept };
    terminal.print(report.isJson ? JSON.stringify(json) : junitText(report.command, json, closingText()));
  } else {
    const lines = async function* (): AsyncGenerator<string> {
      if (format === 'github') yield* githubLines(counted(), report.fileOf);
      else yield* textOf(counted(), terminal);
      yield `${closingText()}\n`;
    };
    await terminal.printAll(lines(), makeRoom);
  }
  return totals.errors > 0 ? EXIT.findings : EXIT.done;
}

async function* findingLines(findings: AsyncIterable<Finding>, terminal: Terminal): AsyncGenerator<string> {
  for await (const finding of findings) yield `${findingText(finding, terminal)}\n`;
}

async function* githubLines(
  findings: AsyncIterable<Finding>,
  fileOf: FindingsReport['fileOf'],
): AsyncGenerator<string> {
  for await (const finding of findings) yield `${githubLine(finding, fileOf(finding.place))}\n`;
}
