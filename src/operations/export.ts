// Exports the rows of a catalogue, read in one transaction, in the form that an import reads.

import { openCatalogue } from '../database/open.ts';
import { checkContract } from '../database/contract/check-schema.ts';
import type { TableName } from '../database/contract/tables.ts';
import { exportRows } from '../database/write/export-rows.ts';

/**
 * Yields NDJSON in pieces: the rows that these fronts need, or all (null). `onTable` counts rows.
 * @throws AppError database-…, contract-…, export-value-unprintable, front-unknown
 */
export async function* exportCatalogue(
  databasePath: string,
  tables: readonly TableName[],
  frontCodes: readonly string[] | null,
  onTable: (table: TableName, rows: number) => void,
): AsyncGenerator<string> {
  await using reader = await openCatalogue(databasePath);
  await checkContract(reader);
  yield* exportRows(reader, tables, onTable, frontCodes);
  await reader.confirmOneState();
}
