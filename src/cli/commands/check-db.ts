// `playbill check-db`: reports everything that is wrong with a catalogue, grouped by column or one
// finding per line. Writes nothing; --stubs only prints SQL.

import { databaseText } from '../../database/open.ts';
import type { PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import { BY_COLUMN } from '../output/finding-groups.ts';
import { FINDINGS_KEPT } from '../../findings.ts';
import { reportFindings } from '../output/findings.ts';
import { reportOption, type ReportFlag } from '../output/findings-reports.ts';
import { countText } from '../../count-text.ts';

export function addCheckDbCommand(program: PlaybillCommand): void {
  program
    .command('check-db')
    .summary('check the catalogue: its tables, every row, and the rules between rows')
    .description(
      'Checks that the file of an SQLite catalogue is undamaged, that the tables and columns exist, then every value of every row, then what a CHECK constraint cannot: ids that ' +
        'refer to nothing, duplicate keys, unknown time zones, wall times that drifted, key material. Findings of one kind in ' +
        'one column are grouped: their number, three examples, and SQL for a view, for values that are usually found.',
    )
    .dbFlag()
    .flag('--all', 'print every finding, one per line: severity, code, location, what was expected and found')
    .jsonFlag(`print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .typedFlag<ReportFlag>(reportOption())
    .helpBelow(`
Examples:
  playbill check-db                                     data/catalogue.sqlite
  playbill check-db --all | grep ^error                 only what holds a front back
  playbill check-db --all | cut -d' ' -f2 | sort | uniq -c
      the number of findings of each code

These tables must be there: fronts, venues, products, front_products, sessions. Others may be absent, which is as if
they were empty, and so may columns that accept NULL or have a default. What was taken as absent is listed.

An error in anything that a front shows makes builds hold that front back. Warnings do not.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 wrong usage or unreadable input,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal, tzdata, now }) => {
      const { checkDatabase } = await import('../../operations/check-db.ts');
      const checked: Record<string, number> = {};
      const bar = terminal.progress('checking', 'rows');
      let rowsTotal = 0;
      const onRows = (table: string, rows: number): void => {
        checked[table] = (checked[table] ?? 0) + rows;
        bar.show((rowsTotal += rows));
      };
      let absent: readonly string[] = [];
      const onAbsent = (names: readonly string[]): void => void (absent = names);
      const findings = checkDatabase(flags.db, tzdata, { onAbsent, onRows }, now());
      const checkedText = (): string =>
        `${countText(rowsTotal, 'row')} of ${countText(Object.keys(checked).length, 'table')}`;
      const report = {
        command: 'check-db',
        findings,
        checked,
        checkedText,
        absent: () => absent,
        isJson: flags.json === true,
        format: flags.report,
        fileOf: () => databaseText(flags.db),
      };
      const groupings = flags.all === true ? {} : { text: BY_COLUMN, github: BY_COLUMN };
      return await reportFindings({ ...report, groupings }, terminal);
    });
}
