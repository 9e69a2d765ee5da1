// Imports rows in one transaction: all of them or none. Each row is checked by the column rules
// before it is inserted. Rules that concern several rows are left to check-db.

import type { Finding } from '../../findings.ts';
import { AppError } from '../../errors.ts';
import { openForWriting } from '../open.ts';
import { checkContract } from '../contract/check-schema.ts';
import { danglingIds } from '../contract/dangling-ids.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import { RefusedChange, type CatalogueWriter } from '../writer.ts';
import { forEachBatch, type ImportSource } from './input-rows.ts';
import { refusedError, type ExistingKey } from './refused-row.ts';

export interface InputOptions {
  readonly databasePath: string;
  /** Aborting leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** Called for each row that is read. */
  readonly onRow?: () => void;
  /**
   * Called before the commit. After an interruption from here on, it is unknown whether anything
   * was imported.
   */
  readonly onCommit?: () => void;
}

export interface ImportOptions extends InputOptions {
  /** Whether a row replaces one with the same key. */
  readonly isReplacing: boolean;
}

export type ImportResult = Awaited<ReturnType<typeof importRows>>;

const DANGLING_SHOWN = 5;

/**
 * Imports all sources, or nothing.
 * @returns the rows by table, for tables that got any, in the order of TABLE_NAMES; whether this
 * import made the database; a folder that it could not remove, or null
 * @throws AppError import-…, database-…, contract-…
 */
export async function importRows(sources: readonly ImportSource[], options: ImportOptions) {
  return writingRows(options, async (catalogue) => {
    const counts = await insertAll(sources, catalogue, options.isReplacing ? 'replaced' : 'refused', options.onRow);
    const rows = TABLE_NAMES.flatMap((table) => (counts.has(table) ? [[table, counts.get(table) ?? 0] as const] : []));
    return { rows: Object.fromEntries(rows), isNew: catalogue.isNew };
  });
}

/**
 * Opens a catalogue, or begins to make one, and commits what `write` does; nothing where that fails
 * or is aborted.
 */
export async function writingRows<T extends object>(
  { databasePath, signal, onCommit }: InputOptions,
  write: (catalogue: CatalogueWriter) => Promise<T>,
): Promise<T & Pick<CatalogueWriter, 'leftBehind'>> {
  const catalogue = await openForWriting(databasePath);
  if (signal?.aborted === true) catalogue.abort();
  signal?.addEventListener('abort', () => catalogue.abort(), { once: true });
  let result: T;
  try {
    await checkContract(catalogue, TABLE_NAMES);
    result = await write(catalogue);
    onCommit?.();
    try {
      await catalogue.keep();
    } catch (error) {
      throw error instanceof RefusedChange ? await refusedAtLastError(catalogue, error) : error;
    }
  } finally {
    await catalogue.discard();
  }
  return { ...result, leftBehind: catalogue.leftBehind };
}

/**
 * Inserts every row of all sources; returns how many there were, by table.
 * @throws AppError import-…, database-…
 */
async function insertAll(
  sources: readonly ImportSource[],
  catalogue: CatalogueWriter,
  existingKey: ExistingKey,
  onRow?: () => void,
): Promise<ReadonlyMap<TableName, number>> {
  const counts = new Map<TableName, number>();
  const how = { into: 'kept', isReplacing: existingKey === 'replaced' } as const;
  await forEachBatch(
    sources,
    catalogue,
    async (rows, refusalsMax) => {
      for (const { table } of rows.slice(0, 1)) counts.set(table, (counts.get(table) ?? 0) + rows.length);
      const refused = await catalogue.insert(rows, how, refusalsMax);
      return refused.map((row) => refusedError(row, catalogue, existingKey));
    },
    onRow,
  );
  return counts;
}

/** What the database refuses at the commit: mostly dangling ids, by table, key and column. */
async function refusedAtLastError(catalogue: CatalogueWriter, refusal: RefusedChange): Promise<AppError> {
  const { kind, message } = refusal;
  const dangling = kind === 'foreign-key' ? await danglingError(catalogue, refusal) : null;
  if (dangling !== null) return dangling;
  // A foreign key of the operator's own, or a constraint trigger.
  if (kind === 'foreign-key') return danglingErrorOf([`a foreign key is violated: ${message}`], refusal);
  const hint = 'see the constraints and triggers of your own';
  return new AppError(
    'import-row-refused',
    `expected rows that the database accepts, found: ${message}`,
    hint,
    refusal,
  );
}

/** The first few dangling ids as an error; null where there are none. */
export async function danglingError(catalogue: CatalogueWriter, cause?: unknown): Promise<AppError | null> {
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

async function* allDanglingIds(catalogue: CatalogueWriter): AsyncGenerator<Finding> {
  const readable = new Set(TABLE_NAMES);
  for (const table of TABLE_NAMES) yield* danglingIds(catalogue, table, readable);
}
