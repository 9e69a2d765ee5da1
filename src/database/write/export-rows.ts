// Exports rows as NDJSON, the form that import reads: only the columns of the contract, and bad
// rows unchanged, since an export also serves to inspect them. Refuses what JSON cannot hold rather
// than printing an approximation.

import { setImmediate } from 'node:timers/promises';
import { AppError, shellWord } from '../../errors.ts';
import { wholeTable } from '../contract/query-builders.ts';
import type { CatalogueReader } from '../reader.ts';
import { quoted } from '../contract/row-checker.ts';
import type { TableName } from '../contract/tables.ts';
import { frontConditions } from './front-rows.ts';

/**
 * The rows of tables by primary key, as text in pieces of whole lines. Only columns that are NULL
 * are left out, so that an import gives the same rows even if defaults have changed. `onBatch` is
 * called with the number of rows of each batch. With codes of fronts only the rows that these need.
 * @throws AppError export-value-unprintable, front-unknown, database-unreadable
 */
export async function* exportRows(
  reader: CatalogueReader,
  tables: readonly TableName[],
  onBatch: (table: TableName, rows: number) => void,
  frontCodes: readonly string[] | null = null,
): AsyncGenerator<string> {
  const conditions = frontCodes === null ? null : await frontConditions(reader, frontCodes);
  for (const table of tables) {
    const { columns, query, checker } = wholeTable(table);
    for await (const batch of reader.batches(conditions === null ? query : query.where(conditions[table]))) {
      onBatch(table, batch.length);
      await reader.markUndecodable(checker, batch);
      yield batch
        .map((values) => {
          const failed = reader.failedRows.get(checker.locationOf(values));
          const row: Record<string, unknown> = {};
          for (const [i, column] of columns.entries()) {
            const value = values[i];
            if (value === null) continue;
            if (!isPrintable(value) || failed?.columns.has(column) === true) {
              const location = `${checker.locationOf(values)}: ${column}`;
              const message = `${location}: expected text or a number that JSON holds exactly, found ${quoted(value)}`;
              const hint = `see all such values with: playbill check-db --db ${shellWord(reader.path)} --all`;
              throw new AppError('export-value-unprintable', message, hint);
            }
            row[column] = value;
          }
          return `${JSON.stringify({ table, row })}\n`;
        })
        .join('');
      // Lets what was printed be written between two batches.
      await setImmediate();
    }
  }
}

/**
 * The driver rounds integers beyond 2^53; a BLOB, and text that cannot be decoded, have no JSON.
 */
function isPrintable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return typeof value === 'string';
}
