// Prints the findings of `verify` and `check-db`, of any number: one per line as they are found, or
// all at the end as JSON or JUnit XML. A line about what was checked follows.

import type { FindingsResultJson } from '../../contract/results/check.ts';
import { FINDINGS_KEPT, type Finding } from '../../findings.ts';
import { EXIT } from '../exit-codes.ts';
import { groupsOf, groupText, type Grouping } from './finding-groups.ts';
import { githubGroupLine, githubLine, junitText, type ReportFlag } from './findings-reports.ts';
import { countText } from '../../count-text.ts';
import { findingText, type Terminal } from './terminal.ts';

export interface FindingsReport {
  /** The name of the command. */
  readonly command: string;
  readonly findings: AsyncGenerator<Finding>;
  /** What was checked. The counts grow while findings are consumed. */
  readonly checked: Record<string, number>;
  /** Describes `checked`; called after the last finding. */
  readonly checkedText: () => string;
  /** What a catalogue lacks and may lack; called after the last finding. */
  readonly absent?: () => readonly string[];
  /** Says what was not checked; null if everything was. */
  readonly unchecked?: string | null;
  readonly isJson: boolean;
  readonly format: ReportFlag['report'];
  /** The file at which GitHub shows a finding with this location. */
  readonly fileOf: (place: string) => string;
  /** How text, and annotations, are grouped; by default each finding is printed as it is found. */
  readonly groupings?: { readonly text?: Grouping; readonly github?: Grouping };
}

/** Prints findings. @returns the exit code */
export async function reportFindings(report: FindingsReport, terminal: Terminal): Promise<number> {
  const { checked, findings, format, groupings = {} } = report;
  const totals = { errors: 0, warnings: 0 };
  async function* counted(): AsyncGenerator<Finding> {
    for await (const finding of findings) {
      if (finding.severity === 'error') totals.errors += 1;
      else totals.warnings += 1;
      yield finding;
    }
  }
  const unchecked = report.unchecked ?? null;
  const absentOf = report.absent ?? (() => []);
  const closingText = (): string =>
    `Checked ${report.checkedText()}: ${countText(totals.errors, 'error')}, ${countText(totals.warnings, 'warning')}` +
    [...absentLines(absentOf()), ...(unchecked === null ? [] : [unchecked])].map((line) => `\n${line}`).join('');
  if (report.isJson || format === 'junit') {
    const kept: Finding[] = [];
    for await (const finding of counted()) if (kept.length < FINDINGS_KEPT) kept.push(finding);
    const absent = report.absent === undefined ? {} : { absent: report.absent() };
    const json: FindingsResultJson = { checked, ...absent, ...totals, findings: kept };
    terminal.print(report.isJson ? JSON.stringify(json) : junitText(report.command, json, closingText()));
  } else {
    const lines = async function* (): AsyncGenerator<string> {
      yield* format === 'github'
        ? githubLines(counted(), report.fileOf, groupings.github)
        : textLines(counted(), terminal, groupings.text);
      yield `${closingText()}\n`;
    };
    await terminal.printAll(lines());
  }
  return totals.errors > 0 ? EXIT.findings : EXIT.done;
}

/** The absent tables in a line, then a line for each table without some columns. */
function absentLines(absent: readonly string[]): string[] {
  const tables = absent.filter((name) => !name.includes('.'));
  const lines = tables.length === 0 ? [] : [`Absent, so taken as empty: ${tables.join(', ')}`];
  const columnsOf = new Map<string, string[]>();
  for (const [table = '', column] of absent.map((name) => name.split('.')))
    if (column !== undefined) columnsOf.set(table, [...(columnsOf.get(table) ?? []), column]);
  for (const [table, columns] of columnsOf)
    lines.push(`Absent of ${table}, so NULL or their default: ${columns.join(', ')}`);
  return lines;
}

async function* textLines(
  findings: AsyncIterable<Finding>,
  terminal: Terminal,
  grouping: Grouping | undefined,
): AsyncGenerator<string> {
  if (grouping === undefined) for await (const finding of findings) yield `${findingText(finding, terminal)}\n`;
  else for (const group of await groupsOf(findings, grouping)) yield `${groupText(group, terminal)}\n`;
}

async function* githubLines(
  findings: AsyncIterable<Finding>,
  fileOf: FindingsReport['fileOf'],
  grouping: Grouping | undefined,
): AsyncGenerator<string> {
  if (grouping === undefined)
    for await (const finding of findings) yield `${githubLine(finding, fileOf(finding.place))}\n`;
  else
    for (const group of await groupsOf(findings, grouping))
      yield `${githubGroupLine(group, fileOf(group.first.place))}\n`;
}
