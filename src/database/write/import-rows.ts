// Imports rows from NDJSON, one `{"table":…,"row":{…}}` per line, in one transaction: all of them or none. Each row is checked by the
// column rules before it is inserted. Rules that concern several rows are left to check-db.

import type { Finding } from '../../findings.ts';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import { WritableCatalogue, writing } from '../create.ts';
import { checkContract } from '../schema/check-schema.ts';
import { linesOf, type Line } from './ndjson-lines.ts';
import { danglingIds } from '../read/orphan-references.ts';
import { quoted } from '../schema/row-checker.ts';
import { rowInserter, type CheckedRow } from './insert-rows.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../schema/tables.ts';

/** A file to import, or standard input. */
export interface ImportSource {
  /** As messages show it. */
  readonly name: string;
  readonly open: () => AsyncIterable<Uint8Array>;
}

export interface ImportOptions {
  readonly databasePath: string;
  /** Whether a row replaces one with the same key. */
  readonly isReplacing: boolean;
  /** Aborting leaves nothing behind. */
  readonly signal?: AbortSignal;
  /** Called for each row that is inserted. */
  readonly onRow?: () => void;
}

export type ImportResult = Awaited<ReturnType<typeof importRows>>;

// Enough to see what is wrong with a file, few enough to read.
const PROBLEMS_SHOWN = 10;
const DANGLING_SHOWN = 5;

/**
 * Imports all sources, or nothing.
 * @returns the rows by table, for tables that got any, in the order of TABLE_NAMES; whether this import made the database
 * @throws AppError import-…, database-…, contract-…
 */
export async function importRows(sources: readonly ImportSource[], options: ImportOptions) {
  const catalogue = WritableCatalogue.open(options.databasePath);
  options.signal?.addEventListener('abort', () => catalogue.discard(), { once: true });
  try {
    await checkContract(catalogue);
    const counts = await insertAll(sources, catalogue, options);
    try {
      catalogue.keep();
    } catch (error) {
      throw systemCodeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? await danglingError(catalogue, error) : error;
    }
    const rows = TABLE_NAMES.flatMap((table) => (counts.has(table) ? [[table, counts.get(table) ?? 0] as const] : []));
    return { rows: Object.fromEntries(rows), isNew: catalogue.isNew };
  } finally {
    catalogue.discard();
  }
}

async function insertAll(
  sources: readonly ImportSource[],
  catalogue: WritableCatalogue,
  { databasePath, isReplacing, onRow }: ImportOptions,
): Promise<ReadonlyMap<TableName, number>> {
  const insert = rowInserter(catalogue, isReplacing);
  const counts = new Map<TableName, number>();
  const problems: AppError[] = [];
  for (const { name, open } of sources) {
    for await (const { number, text } of readableLines(name, open, databasePath)) {
      try {
        const place = `${name}:${number}`;
        const row = rowOf(text, place);
        insert(row, place);
        counts.set(row.table, (counts.get(row.table) ?? 0) + 1);
        onRow?.();
      } catch (error) {
        if (!(error instanceof AppError) || !error.code.startsWith('import-')) throw error;
        problems.push(error);
        // A trigger may have rolled back the transaction: further rows would be committed one by one.
        if (problems.length === PROBLEMS_SHOWN || !catalogue.handle.inTransaction) throwAll(problems);
      }
    }
  }
  throwAll(problems);
  return counts;
}

/** Throws several errors as one, if there are any, with the code and hint of the first. */
function throwAll(problems: readonly AppError[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const [message = '', ...details] = problems.flatMap((problem) => [problem.message, ...problem.details]);
  if (problems.length === PROBLEMS_SHOWN) details.push('the rest was not read');
  throw new AppError(first.code, message, first.hint, first.cause, details);
}

async function* readableLines(name: string, open: ImportSource['open'], databasePath: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(open(), name, databasePath);
  } catch (error) {
    if (error instanceof AppError || systemCodeOf(error) === '') throw error;
    const message = `expected a readable file ${name}, found: ${messageOf(error)}`;
    throw new AppError('import-file-unreadable', message, 'name files of rows, or - for standard input', error);
  }
}

/** The row of a line. @throws AppError import-line-invalid, import-row-invalid */
function rowOf(text: string, place: string): CheckedRow {
  const invalid = (problem: string): AppError =>
    new AppError(
      'import-line-invalid',
      `${place}: expected an object {"table":…,"row":{…}}, found ${problem}`,
      'write one row per line, such as {"table":"venues","row":{"id":1,"name":"Main stage","timezone":"Europe/Berlin"}}',
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // The parser counts lines, too, of a text that is one.
    throw invalid(`text that is not JSON: ${messageOf(error).replace(/ \(line \d+ column \d+\)/, '')}`);
  }
  if (!isRecord(parsed)) throw invalid(quoted(parsed));
  const { table, row, ...others } = parsed;
  const [unexpected] = Object.keys(others);
  if (unexpected !== undefined) throw invalid(`a member ${quoted(unexpected)}`);
  if (typeof table !== 'string') throw invalid(table === undefined ? 'no table' : `the table ${quoted(table)}`);
  if (!isRecord(row)) throw invalid(row === undefined ? 'no row' : `the row ${quoted(row)}`);
  const known = TABLE_NAMES.find((name) => name === table);
  if (known === undefined) {
    const message = `${place}: expected a table of the catalogue, found ${quoted(table)}`;
    throw new AppError('import-row-invalid', message, `tables are: ${TABLE_NAMES.join(', ')}`);
  }
  return checkedRow(known, row, place);
}

/** Checks a row by the column rules. @throws AppError import-row-invalid, with everything that is wrong with the row */
function checkedRow(table: TableName, row: Readonly<Record<string, unknown>>, place: string): CheckedRow {
  const columns: string[] = [];
  const values: unknown[] = [];
  const problems: string[] = [];
  for (const [column, rule] of Object.entries(TABLES[table])) {
    const isGiven = Object.hasOwn(row, column);
    if (!isGiven && rule.defaultSql !== null) continue;
    const value = row[column];
    columns.push(column);
    values.push(value);
    if (!rule.accepts(value))
      problems.push(
        `${table}.${column}: expected ${rule.expected}, found ${isGiven ? quoted(value) : 'no such member'}`,
      );
    // A lone surrogate has no UTF-8: the database would hold something other than the file.
    else if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
      problems.push(`${table}.${column}: expected text of whole characters, found ${quoted(value)}`);
  }
  for (const column of Object.keys(row)) {
    if (!Object.hasOwn(TABLES[table], column))
      problems.push(`${table}: expected only columns of the table, found ${quoted(column)}`);
  }
  const [message, ...details] = problems.map((problem) => `${place}: ${problem}`);
  if (message === undefined) return { table, columns, values };
  const hint = `columns of ${table} are: ${Object.keys(TABLES[table]).join(', ')}`;
  throw new AppError('import-row-invalid', message, hint, undefined, details);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the foreign keys refused at commit, by table, key and column. */
async function danglingError(catalogue: WritableCatalogue, error: unknown): Promise<AppError> {
  const messages: string[] = [];
  for await (const { place, message } of allDanglingIds(catalogue)) {
    messages.push(messages.length < DANGLING_SHOWN ? `${place}: ${message}` : 'and others');
    if (messages.length > DANGLING_SHOWN) break;
  }
  // A foreign key of the operator's own, between other tables.
  if (messages.length === 0) {
    const violated = writing(catalogue.path, () => catalogue.handle.pragma('foreign_key_check'));
    messages.push(`a foreign key is violated: ${quoted(violated)}`);
  }
  const [message = '', ...details] = messages;
  const hint = 'import the rows that are referred to along with these, in any order';
  return new AppError('import-row-refused', message, hint, error, details);
}

async function* allDanglingIds(catalogue: WritableCatalogue): AsyncGenerator<Finding> {
  const sound = new Set(TABLE_NAMES);
  for (const table of TABLE_NAMES) yield* danglingIds(catalogue, table, sound);
}
