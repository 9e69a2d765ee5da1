// `playbill check-db`: everything that is wrong with a catalogue, one finding a line, printed as it is found.

import type { Command } from 'commander';
import type { Finding } from '../../findings.ts';
import type { FindingsResultJson } from '../../contract/results.ts';
import type { CatalogueReader } from '../../database/open.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { printAll } from '../output/stdout.ts';
import { countText, findingText } from '../output/terminal.ts';

interface CheckFlags {
  readonly db: string;
  readonly json?: true;
}

// A catalogue with a broken column has a finding per row: under --json enough are kept to see what is wrong.
const FINDINGS_KEPT = 1000;

export function addCheckDbCommand(program: Command, context: CommandContext): void {
  program
    .command('check-db')
    .summary('check the catalogue: its tables, every row, and every rule between rows')
    .description(
      'Checks that the tables and columns of the contract are there, every value of every row, and what no CHECK can hold: ' +
        'ids that refer to nothing, repeated keys, unknown time zones, wall times that drifted, the material of keys. ' +
        'Prints one finding a line: severity, code, place, what was expected and found.',
    )
    .option('--db <file>', 'the catalogue database, opened read-only', 'data/catalogue.sqlite')
    .option('--json', `print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .addHelpText(
      'after',
      `
Examples:
  playbill check-db                                     data/catalogue.sqlite
  playbill check-db --db views.sqlite | grep ^error     only what holds a front back
  playbill check-db | cut -d' ' -f2 | sort | uniq -c    how many of each code

A finding of severity error in what a front shows holds that front back in a build; a warning holds back nothing.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 wrong usage or unreadable input.`,
    )
    .action(async (flags: CheckFlags) => {
      context.exitCode = await runCheck(flags, context);
    });
}

/** What was seen so far. */
interface Tally {
  readonly checked: Record<string, number>;
  errors: number;
  warnings: number;
}

async function runCheck(flags: CheckFlags, context: CommandContext): Promise<number> {
  const { openCatalogue } = await import('../../database/open.ts');
  const reader = await openCatalogue(flags.db);
  const tally: Tally = { checked: {}, errors: 0, warnings: 0 };
  try {
    if (flags.json === true) {
      const findings: Finding[] = [];
      for await (const finding of talliedFindings(reader, tally, context.tzdata)) {
        if (findings.length < FINDINGS_KEPT) findings.push(finding);
      }
      const json: FindingsResultJson = { ...tally, findings };
      context.terminal.print(JSON.stringify(json));
    } else {
      await printAll(linesOf(reader, tally, context));
    }
  } finally {
    await reader.close();
  }
  return tally.errors > 0 ? EXIT.findings : EXIT.done;
}

async function* talliedFindings(reader: CatalogueReader, tally: Tally, tzdata: string): AsyncGenerator<Finding> {
  const { checkCatalogue } = await import('../../database/read/check-catalogue.ts');
  const onRows = (table: string, rows: number): void => {
    tally.checked[table] = (tally.checked[table] ?? 0) + rows;
  };
  for await (const finding of checkCatalogue(reader, { tzdata, onRows })) {
    if (finding.severity === 'error') tally.errors += 1;
    else tally.warnings += 1;
    yield finding;
  }
}

async function* linesOf(
  reader: CatalogueReader,
  tally: Tally,
  { terminal, tzdata }: CommandContext,
): AsyncGenerator<string> {
  for await (const finding of talliedFindings(reader, tally, tzdata)) yield `${findingText(finding, terminal)}\n`;
  const rowsTotal = Object.values(tally.checked).reduce((sum, count) => sum + count, 0);
  const tables = countText(Object.keys(tally.checked).length, 'table');
  const found = `${countText(tally.errors, 'error')}, ${countText(tally.warnings, 'warning')}`;
  yield `Checked ${countText(rowsTotal, 'row')} of ${tables}: ${found}\n`;
}
