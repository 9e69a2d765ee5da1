// Imports rows in one transaction: all of them or none. Each row is checked by the column rules before it is inserted. Rules that concern
// several rows are left to check-db.

import type { Finding } from '../../findings.ts';
import { AppError, systemCodeOf } from '../../errors.ts';
import { WritableCatalogue, writing } from '../create.ts';
import { checkContract } from '../schema/check-schema.ts';
import { danglingIds } from '../read/orphan-references.ts';
import { quoted } from '../schema/row-checker.ts';
import { TABLE_NAMES, type TableName } from '../schema/tables.ts';
import { forEachRow, type ImportSource } from './input-rows.ts';
import { rowInserter, type ExistingKey } from './insert-rows.ts';

export interface InputOptions {
  readonly databasePath: string;
  /** Aborting leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** Called for each row that is read. */
  readonly onRow?: () => void;
}

export interface ImportOptions extends InputOptions {
  /** Whether a row replaces one with the same key. */
  readonly isReplacing: boolean;
}

export type ImportResult = Awaited<ReturnType<typeof importRows>>;

const DANGLING_SHOWN = 5;

/**
 * Imports all sources, or nothing.
 * @returns the rows by table, for tables that got any, in the order of TABLE_NAMES; whether this import made the database
 * @throws AppError import-…, database-…, contract-…
 */
export async function importRows(sources: readonly ImportSource[], options: ImportOptions) {
  return writingRows(options, async (catalogue) => {
    const counts = await insertAll(sources, catalogue, options.isReplacing ? 'replaced' : 'refused', options.onRow);
    const rows = TABLE_NAMES.flatMap((table) => (counts.has(table) ? [[table, counts.get(table) ?? 0] as const] : []));
    return { rows: Object.fromEntries(rows), isNew: catalogue.isNew };
  });
}

/** Opens a catalogue, or begins to make one, and keeps what `write` does to it; or nothing, where that fails or is aborted. */
export async function writingRows<T>(
  { databasePath, signal }: InputOptions,
  write: (catalogue: WritableCatalogue) => Promise<T>,
): Promise<T> {
  const catalogue = WritableCatalogue.open(databasePath);
  signal?.addEventListener('abort', () => catalogue.discard(), { once: true });
  try {
    await checkContract(catalogue);
    const result = await write(catalogue);
    try {
      catalogue.keep();
    } catch (error) {
      throw systemCodeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? await refusedKeysError(catalogue, error) : error;
    }
    return result;
  } finally {
    catalogue.discard();
  }
}

/** Inserts every row of all sources; returns how many there were, by table. @throws AppError import-…, database-… */
export async function insertAll(
  sources: readonly ImportSource[],
  catalogue: WritableCatalogue,
  existingKey: ExistingKey,
  onRow?: () => void,
): Promise<ReadonlyMap<TableName, number>> {
  const insert = rowInserter(catalogue, existingKey);
  const counts = new Map<TableName, number>();
  await forEachRow(sources, catalogue, (row, place) => {
    insert(row, place);
    counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
    onRow?.();
  });
  return counts;
}

/** What the foreign keys refused at commit, by table, key and column. */
async function refusedKeysError(catalogue: WritableCatalogue, error: unknown): Promise<AppError> {
  const dangling = await danglingError(catalogue, error);
  if (dangling !== null) return dangling;
  // A foreign key of the operator's own, between other tables.
  const violated = writing(catalogue.path, () => catalogue.handle.pragma('foreign_key_check'));
  return danglingErrorOf([`a foreign key is violated: ${quoted(violated)}`], error);
}

/** The first few ids that no row has, as an error; null where every id has its row. */
export async function danglingError(catalogue: WritableCatalogue, cause?: unknown): Promise<AppError | null> {
  const messages: string[] = [];
  for await (const { place, message } of allDanglingIds(catalogue)) {
    messages.push(messages.length < DANGLING_SHOWN ? `${place}: ${message}` : 'and others');
    if (messages.length > DANGLING_SHOWN) break;
  }
  return messages.length === 0 ? null : danglingErrorOf(messages, cause);
}

function danglingErrorOf([message = '', ...details]: readonly string[], cause: unknown): AppError {
  const hint = 'import the rows that are referred to along with these, in any order';
  return new AppError('import-row-refused', message, hint, cause, details);
}

async function* allDanglingIds(catalogue: WritableCatalogue): AsyncGenerator<Finding> {
  const sound = new Set(TABLE_NAMES);
  for (const table of TABLE_NAMES) yield* danglingIds(catalogue, table, sound);
}
