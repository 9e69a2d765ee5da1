// `playbill export`: the rows of a catalogue as NDJSON, in the form that `playbill import` reads.

import { TABLE_NAMES } from '../../database/schema/tables.ts';
import type { PlaybillCommand } from '../command.ts';
import { countText } from '../output/terminal.ts';

export function addExportCommand(program: PlaybillCommand): void {
  program
    .command('export')
    .summary('print the rows of the catalogue, as import reads them')
    .description(
      'Prints rows as NDJSON, one {"table":…,"row":{…}} a line, by table and primary key, as one read transaction sees them. ' +
        'Columns that are NULL are left out. The same rows come out of the catalogue that they are imported into.',
    )
    .dbFlag()
    .flag('--table <name...>', 'only these tables', TABLE_NAMES)
    .flag('--front <code...>', 'only the rows that these fronts need: a small catalogue with the same documents')
    .jsonFlag('changes nothing: rows are JSON already')
    .helpBelow(`
Examples:
  playbill export > rows.ndjson                         everything
  playbill export --table venues sessions               two tables
  playbill export --db old.sqlite | playbill import - --db new.sqlite
  playbill export --front moscow | playbill import - --db moscow.sqlite

Secrets are never in a catalogue, so there are none in its rows; names of secrets and public keys are.

Exit codes: 0 printed, 2 wrong usage or unreadable input.`)
    .runs(async (flags, { terminal }) => {
      const { exportCatalogue } = await import('../../operations/export.ts');
      const { databaseText } = await import('../../operations/database-text.ts');
      const tables = TABLE_NAMES.filter((name) => flags.table?.includes(name) ?? true);
      let rowsTotal = 0;
      const onTable = (_table: string, rows: number): void => void (rowsTotal += rows);
      const isWhole = await terminal.printAll(exportCatalogue(flags.db, tables, flags.front ?? null, onTable));
      const what = `${countText(rowsTotal, 'row')} of ${countText(tables.length, 'table')}`;
      if (isWhole) terminal.log(`Exported ${what} from ${databaseText(flags.db)}`);
    });
}
