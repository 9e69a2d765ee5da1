// Findings without end, as `verify` and `check-db` print them: one a line as they come, or as JSON, and what was checked after them.

import type { FindingsResultJson } from '../../contract/results.ts';
import type { Finding } from '../../findings.ts';
import { EXIT } from '../exit-codes.ts';
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
  /** Findings as text, where that is not one line each. */
  readonly textOf?: (findings: AsyncIterable<Finding>, terminal: Terminal) => AsyncGenerator<string>;
  /** Called before each piece that is printed. */
  readonly makeRoom?: () => void;
}

/** Prints findings. @returns the exit code */
export async function reportFindings(report: FindingsReport, terminal: Terminal): Promise<number> {
  const { checked, findings, makeRoom, textOf = findingLines } = report;
  const totals = { errors: 0, warnings: 0 };
  async function* counted(): AsyncGenerator<Finding> {
    for await (const finding of findings) {
      if (finding.severity === 'error') totals.errors += 1;
      else totals.warnings += 1;
      yield finding;
    }
  }
  if (report.isJson) {
    const kept: Finding[] = [];
    for await (const finding of counted()) if (kept.length < FINDINGS_KEPT) kept.push(finding);
    const json: FindingsResultJson = { checked, ...totals, findings: kept };
    terminal.print(JSON.stringify(json));
  } else {
    const lines = async function* (): AsyncGenerator<string> {
      yield* textOf(counted(), terminal);
      const found = `${countText(totals.errors, 'error')}, ${countText(totals.warnings, 'warning')}`;
      yield `Checked ${report.checkedText()}: ${found}\n`;
    };
    await terminal.printAll(lines(), makeRoom);
  }
  return totals.errors > 0 ? EXIT.findings : EXIT.done;
}

async function* findingLines(findings: AsyncIterable<Finding>, terminal: Terminal): AsyncGenerator<string> {
  for await (const finding of findings) yield `${findingText(finding, terminal)}\n`;
}
