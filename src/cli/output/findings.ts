// Findings without end, as `verify` and `check-db` print them: one a line as they come, or as JSON, and what was checked after them.

import type { FindingsResultJson } from '../../contract/results.ts';
import type { Finding } from '../../findings.ts';
import { EXIT } from '../exit-codes.ts';
import { printAll } from './stdout.ts';
import { countText, findingText, type Terminal } from './terminal.ts';

/** A disk that is failing, or a broken column, has findings without end: under --json enough are kept to see what is wrong. */
export const FINDINGS_KEPT = 1000;

export interface FindingsReport {
  readonly findings: AsyncGenerator<Finding>;
  /** What was checked; counted while findings are asked for. */
  readonly checked: Record<string, number>;
  /** The same in words, once all is checked. */
  readonly checkedText: () => string;
  readonly isJson: boolean;
  /** Called before each piece that is printed. */
  readonly makeRoom?: () => void;
}

/** Prints findings. @returns the exit code */
export async function reportFindings(report: FindingsReport, terminal: Terminal): Promise<number> {
  const { checked, findings, makeRoom } = report;
  const totals = { errors: 0, warnings: 0 };
  const kept: Finding[] = [];
  async function* pieces(): AsyncGenerator<string> {
    for await (const finding of findings) {
      if (finding.severity === 'error') totals.errors += 1;
      else totals.warnings += 1;
      if (!report.isJson) yield `${findingText(finding, terminal)}\n`;
      else if (kept.length < FINDINGS_KEPT) kept.push(finding);
    }
    const found = `${countText(totals.errors, 'error')}, ${countText(totals.warnings, 'warning')}`;
    const json = (): FindingsResultJson => ({ checked, ...totals, findings: kept });
    yield report.isJson ? `${JSON.stringify(json())}\n` : `Checked ${report.checkedText()}: ${found}\n`;
  }
  await printAll(pieces(), makeRoom);
  return totals.errors > 0 ? EXIT.findings : EXIT.done;
}
