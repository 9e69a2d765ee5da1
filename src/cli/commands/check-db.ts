// `playbill check-db`: everything that is wrong with a catalogue, by table and column, or one finding a line. Writes nothing: --stubs
// prints SQL.

import { Option } from 'commander';
import type { PlaybillCommand } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { groupedFindings } from '../output/finding-groups.ts';
import { FINDINGS_KEPT, reportFindings } from '../output/findings.ts';
import { reportOption, type ReportFlag } from '../output/findings-reports.ts';
import { countText } from '../output/terminal.ts';

export function addCheckDbCommand(program: PlaybillCommand): void {
  program
    .command('check-db')
    .summary('check the catalogue: its tables, every row, and every rule between rows')
    .description(
      'Checks that the tables and columns of the contract are there, every value of every row, and what no CHECK can hold: ' +
        'ids that refer to nothing, repeated keys, unknown time zones, wall times that drifted, the material of keys. ' +
        'Findings of one kind in one column are a group: how many, three of them, and SQL that mends them where that is clear.',
    )
    .dbFlag()
    .flag('--all', 'every finding, one a line: severity, code, place, what was expected and found')
    .typedFlag<{ readonly stubs?: true }>(
      new Option('--stubs', 'only print SQL: empty views for tables that are missing and may be empty').conflicts([
        'all',
        'json',
        'report',
      ]),
    )
    .jsonFlag(`print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .typedFlag<ReportFlag>(reportOption())
    .helpBelow(`
Examples:
  playbill check-db                                     data/catalogue.sqlite
  playbill check-db --db views.sqlite --stubs | sqlite3 views.sqlite
      where your tables are views: what you do not have is empty
  playbill check-db --all | grep ^error                 only what holds a front back
  playbill check-db --all | cut -d' ' -f2 | sort | uniq -c
      how many of each code

Without these tables and rows in them nothing can be shown: fronts, venues, products, front_products, sessions.
--stubs replaces nothing that exists. What a table or view of yours lacks, it names in comments.

A finding of severity error in what a front shows holds that front back in a build; a warning holds back nothing.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 wrong usage or unreadable input.`)
    .runs(async (flags, { terminal, tzdata }) => {
      const { checkDatabase, missingStubs } = await import('../../operations/check-db.ts');
      const { databaseText } = await import('../../operations/database-text.ts');
      if (flags.stubs === true) {
        terminal.print((await missingStubs(flags.db)) || '-- Nothing is missing.');
        return EXIT.done;
      }
      const checked: Record<string, number> = {};
      const bar = await terminal.progress('checking', 'rows');
      let rowsTotal = 0;
      const findings = checkDatabase(flags.db, tzdata, (table, rows) => {
        checked[table] = (checked[table] ?? 0) + rows;
        bar.show((rowsTotal += rows));
      });
      const checkedText = (): string =>
        `${countText(rowsTotal, 'row')} of ${countText(Object.keys(checked).length, 'table')}`;
      const report = {
        command: 'check-db',
        findings,
        checked,
        checkedText,
        isJson: flags.json === true,
        format: flags.report,
        fileOf: () => databaseText(flags.db),
        makeRoom: bar.end,
      };
      try {
        return await reportFindings(flags.all === true ? report : { ...report, textOf: groupedFindings }, terminal);
      } finally {
        bar.end();
      }
    });
}
