// `playbill check-db`: everything that is wrong with a catalogue, one finding a line, printed as it is found.

import type { PlaybillCommand } from '../command.ts';
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
        'Prints one finding a line: severity, code, place, what was expected and found.',
    )
    .dbFlag()
    .jsonFlag(`print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .typedFlag<ReportFlag>(reportOption())
    .helpBelow(`
Examples:
  playbill check-db                                     data/catalogue.sqlite
  playbill check-db --db views.sqlite | grep ^error     only what holds a front back
  playbill check-db | cut -d' ' -f2 | sort | uniq -c    how many of each code

A finding of severity error in what a front shows holds that front back in a build; a warning holds back nothing.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 wrong usage or unreadable input.`)
    .runs(async (flags, { terminal, tzdata }) => {
      const { checkDatabase } = await import('../../operations/check-db.ts');
      const checked: Record<string, number> = {};
      const bar = await terminal.progress('checking', 'rows');
      let rowsTotal = 0;
      const findings = checkDatabase(flags.db, tzdata, (table, rows) => {
        checked[table] = (checked[table] ?? 0) + rows;
        bar.show((rowsTotal += rows));
      });
      const checkedText = (): string =>
        `${countText(rowsTotal, 'row')} of ${countText(Object.keys(checked).length, 'table')}`;
      const format = { isJson: flags.json === true, format: flags.report, fileOf: () => flags.db, makeRoom: bar.end };
      try {
        return await reportFindings({ command: 'check-db', findings, checked, checkedText, ...format }, terminal);
      } finally {
        bar.end();
      }
    });
}
