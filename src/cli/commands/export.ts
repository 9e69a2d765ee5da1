// `playbill export`: the rows of a catalogue as NDJSON, in the form that `playbill import` reads.

import { Option } from 'commander';
import { TABLE_NAMES, type TableName } from '../../database/schema/tables.ts';
import { EXIT } from '../exit-codes.ts';
import type { PlaybillCommand, SharedFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { countText } from '../output/terminal.ts';

interface ExportFlags extends Pick<SharedFlags, 'db'> {
  readonly table?: readonly TableName[];
}

export function addExportCommand(program: PlaybillCommand): void {
  program
    .command('export')
    .summary('print the rows of the catalogue, as import reads them')
    .description(
      'Prints rows as NDJSON, one {"table":…,"row":{…}} a line, by table and primary key, as one read transaction sees them. ' +
        'Columns that are NULL are left out. The same rows come out of the catalogue that they are imported into.',
    )
    .dbOption()
    .addOption(new Option('--table <name...>', 'only these tables').choices(TABLE_NAMES))
    .jsonOption('changes nothing: rows are JSON already')
    .helpBelow(`
Examples:
  playbill export > rows.ndjson                         everything
  playbill export --table venues sessions               two tables
  playbill export --db old.sqlite | playbill import - --db new.sqlite

Secrets are never in a catalogue, so there are none in its rows; names of secrets and public keys are.

Exit codes: 0 printed, 2 wrong usage or unreadable input.`)
    .runs(runExport);
}

async function runExport(flags: ExportFlags, context: CommandContext): Promise<number> {
  const { exportCatalogue } = await import('../../operations/export.ts');
  const tables = TABLE_NAMES.filter((name) => flags.table?.includes(name) ?? true);
  let rowsTotal = 0;
  const isWhole = await context.terminal.printAll(
    exportCatalogue(flags.db, tables, (_table, rows) => (rowsTotal += rows)),
  );
  const what = `${countText(rowsTotal, 'row')} of ${countText(tables.length, 'table')}`;
  if (isWhole) context.terminal.log(`Exported ${what} from ${flags.db}`);
  return EXIT.done;
}
