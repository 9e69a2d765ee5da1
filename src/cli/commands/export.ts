// `playbill export`: prints the rows of a catalogue as NDJSON, in the format that `playbill import`
// reads.

import { TABLE_NAMES } from '../../database/contract/tables.ts';
import { databaseText } from '../../database/open.ts';
import type { PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import { countText } from '../../count-text.ts';

export function addExportCommand(program: PlaybillCommand): void {
  program
    .command('export')
    .summary('print the rows of the catalogue in the format of import')
    .description(
      'Prints rows as NDJSON, one {"table":…,"row":{…}} per line, ordered by table and primary key, from one read transaction. ' +
        'Columns that are NULL are left out. Import the output elsewhere, export again, and you get the same rows.',
    )
    .dbFlag()
    .flag('--table <name...>', 'only these tables', TABLE_NAMES)
    .flag('--front <code...>', 'only the rows that these fronts need: a smaller catalogue with the same documents')
    .jsonFlag('no effect: rows are JSON already')
    .helpBelow(`
Examples:
  playbill export > rows.ndjson                         everything
  playbill export --table venues sessions               two tables
  playbill export --db old.sqlite | playbill import - --db new.sqlite
  playbill export --front moscow | playbill import - --db moscow.sqlite

The output contains no secrets: a catalogue holds only public keys and the names of secrets.

Exit codes: 0 printed, 2 wrong usage or unreadable input,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal }) => {
      const { exportCatalogue } = await import('../../operations/export.ts');
      const tables = TABLE_NAMES.filter((name) => flags.table?.includes(name) ?? true);
      let rowsTotal = 0;
      const onTable = (_table: string, rows: number): void => void (rowsTotal += rows);
      const isWhole = await terminal.printAll(exportCatalogue(flags.db, tables, flags.front ?? null, onTable));
      const what = `${countText(rowsTotal, 'row')} of ${countText(tables.length, 'table')}`;
      if (isWhole) terminal.log(`Exported ${what} from ${databaseText(flags.db)}`);
    });
}
