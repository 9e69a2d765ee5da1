// Reads input: NDJSON, one `{"table":…,"row":{…}}` per line, each row checked by the column rules.
// Collects refusals, so that one run reports several. Writes nothing.

import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import { exactJson, hasRounded } from '../contract/exact-integers.ts';
import { foundText, quoted } from '../contract/row-checker.ts';
import { mayIdBeText, TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { SCHEMA_FILES } from '../schema-file.ts';
import type { CatalogueWriter, HeldIds, InputRow } from '../writer.ts';
import { linesOf, type Line } from './ndjson-lines.ts';
import { repeatedMember } from './repeated-member.ts';

/** A file to import, or standard input. */
export interface ImportSource {
  /** As messages show it. */
  readonly name: string;
  readonly open: () => AsyncIterable<Uint8Array>;
}

// Enough to see what is wrong with a file, few enough to read.
const REFUSALS_SHOWN = 10;

const OTHER_IDS_HINT =
  'the tables that an import makes hold integers: make your own, whose ids are text wherever they stand, or views over them (data/own-schema.md, Ids)';

/** Rows per batch. Measured: more gain nothing, and fewer need more round trips to a server. */
const ROWS_PER_BATCH = 500;

/** Refused rows, several of which are thrown as one error. */
export class RefusedRows {
  readonly #catalogue: Pick<CatalogueWriter, 'isOpen'>;
  readonly #restText: string;
  readonly #kept: AppError[] = [];

  /** `restText` says what was not done after the last refusal that is kept. */
  constructor(catalogue: Pick<CatalogueWriter, 'isOpen'>, restText: string) {
    this.#catalogue = catalogue;
    this.#restText = restText;
  }

  /** How many more will be kept. */
  get room(): number {
    return REFUSALS_SHOWN - this.#kept.length;
  }

  /**
   * Adds refusals, in order.
   * @throws AppError all of them, once there are enough or the transaction has ended
   */
  add(refusals: readonly AppError[]): void {
    this.#kept.push(...refusals);
    if (this.#kept.length >= REFUSALS_SHOWN || !this.#catalogue.isOpen) this.throwAny();
  }

  /** Throws those that were kept, if any, as one error with the code and hint of the first. */
  throwAny(): void {
    const [first] = this.#kept;
    if (first === undefined) return;
    const [message = '', ...details] = this.#kept.flatMap((refusal) => [refusal.message, ...refusal.details]);
    if (this.#kept.length >= REFUSALS_SHOWN) details.push(this.#restText);
    throw new AppError(first.code, message, first.hint, first.cause, details);
  }
}

/**
 * Calls `take` with every row of all sources, in batches of consecutive rows of one table; it
 * returns their refusals, at most `refusalsMax`. `onRow` is called for each row that is read. A new
 * catalogue needs a row: an input without any is that of a command that has failed.
 * @throws AppError import-…, with the refusals of several rows
 */
export async function forEachBatch(
  sources: readonly ImportSource[],
  catalogue: CatalogueWriter,
  take: (rows: readonly InputRow[], refusalsMax: number) => Promise<readonly AppError[]>,
  onRow?: () => void,
): Promise<void> {
  const refusals = new RefusedRows(catalogue, 'the rest was not read');
  let batch: InputRow[] = [];
  let isEmpty = true;
  const flush = async (): Promise<void> => {
    const rows = batch;
    batch = [];
    if (rows.length > 0) refusals.add(await take(rows, refusals.room));
  };
  const heldIds = await heldIdsOf(catalogue);
  for (const { name, open } of sources) {
    for await (const { number, text } of readableLines(name, open, catalogue.path)) {
      const row = rowOf(text, `${name}:${number}`, heldIds);
      if (row instanceof AppError) {
        await flush();
        refusals.add([row]);
        continue;
      }
      if (batch.length === ROWS_PER_BATCH || (batch[0] !== undefined && batch[0].table !== row.table)) await flush();
      batch.push(row);
      isEmpty = false;
      onRow?.();
    }
  }
  await flush();
  refusals.throwAny();
  if (isEmpty && catalogue.isNew) throw emptyError(sources, catalogue);
}

function emptyError(
  sources: readonly ImportSource[],
  { path, kind }: Pick<CatalogueWriter, 'path' | 'kind'>,
): AppError {
  const names = sources.map(({ name }) => name).join(', ');
  const message = `expected rows for a new catalogue in ${names}, found none; nothing is made at ${path}`;
  const hint = `see whether the command that writes the rows has failed; ${SCHEMA_FILES[kind]} makes an empty catalogue`;
  return new AppError('import-empty', message, hint);
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

/** By `sessions.id`: which ids the columns hold that take only some. */
type HeldIdsOf = ReadonlyMap<string, HeldIds>;

async function heldIdsOf(catalogue: CatalogueWriter): Promise<HeldIdsOf> {
  const held = new Map<string, HeldIds>();
  for (const table of TABLE_NAMES) {
    for (const column of Object.keys(TABLES[table])) {
      const ids = mayIdBeText(table, column) ? await catalogue.idsIn(table, column) : 'both';
      if (ids !== 'both') held.set(`${table}.${column}`, ids);
    }
  }
  return held;
}

/** The row of a line, or what is wrong with it: import-line-invalid or import-row-invalid. */
function rowOf(text: string, location: string, heldIds: HeldIdsOf): InputRow | AppError {
  const invalid = (problem: string): AppError =>
    new AppError(
      'import-line-invalid',
      `${location}: expected an object {"table":…,"row":{…}}, found ${problem}`,
      'write one row per line, such as {"table":"venues","row":{"id":1,"name":"Main stage","timezone":"Europe/Berlin"}}',
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    // The parser's own position is useless: the text is a single line.
    return invalid(`text that is not JSON: ${messageOf(error).replace(/ \(line \d+ column \d+\)/, '')}`);
  }
  if (!isRecord(parsed)) return invalid(quoted(parsed));
  const repeated = repeatedMember(text, parsed);
  if (repeated !== null) return invalid(`the member ${quoted(repeated)} twice`);
  const { table, row, ...others } = parsed;
  const [unexpected] = Object.keys(others);
  if (unexpected !== undefined) return invalid(`a member ${quoted(unexpected)}`);
  if (typeof table !== 'string') return invalid(table === undefined ? 'no table' : `the table ${quoted(table)}`);
  if (!isRecord(row)) return invalid(row === undefined ? 'no row' : `the row ${quoted(row)}`);
  const known = TABLE_NAMES.find((name) => name === table);
  if (known === undefined) {
    const message = `${location}: expected a table of the catalogue, found ${quoted(table)}`;
    return new AppError('import-row-invalid', message, `tables are: ${TABLE_NAMES.join(', ')}`);
  }
  const checked = checkedRow(known, row, location, heldIds);
  // JSON.parse has rounded the integers beyond 2^53, and a refusal shows those that the file has.
  if (!(checked instanceof AppError) || !hasRounded(Object.values(row))) return checked;
  const exact = exactJson(text);
  return isRecord(exact) && isRecord(exact['row']) ? checkedRow(known, exact['row'], location, heldIds) : checked;
}

/**
 * The row, once the column rules have accepted it; or an error with everything that is wrong with
 * it.
 */
function checkedRow(
  table: TableName,
  row: Readonly<Record<string, unknown>>,
  location: string,
  heldIds: HeldIdsOf,
): InputRow | AppError {
  const columns: string[] = [];
  const values: unknown[] = [];
  const problems: string[] = [];
  let isOtherId = false;
  const { key } = TABLE_RULES[table];
  for (const [column, rule] of Object.entries(TABLES[table])) {
    const isGiven = Object.hasOwn(row, column);
    const isKey = key.includes(column);
    if (!isGiven && rule.defaultSql !== null && !isKey) continue;
    const value = !isGiven && rule.defaultsToId === true ? String(row['id']) : row[column];
    columns.push(column);
    values.push(value);
    // Only a catalogue of views may lack a key.
    if (!rule.accepts(value) || (isKey && value === null)) {
      const expected = isKey ? rule.expected.replace(/, or NULL$/, '') : rule.expected;
      const found = isGiven ? foundText(value) : 'no such member';
      problems.push(`${table}.${column}: expected ${expected}, found ${found}`);
      // A lone surrogate has no UTF-8: the database would hold something other than the file.
    } else if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
      problems.push(`${table}.${column}: expected text of whole characters, found ${quoted(value)}`);
    } else if (rule.mayBeText === true && value !== null) {
      const held = heldIds.get(`${table}.${column}`) ?? 'both';
      if (held === 'both' || (held === 'text') === (typeof value === 'string')) continue;
      const expected = held === 'text' ? 'text' : 'an integer';
      problems.push(`${table}.${column}: expected ${expected}, which the column holds, found ${quoted(value)}`);
      isOtherId = true;
    }
  }
  for (const column of Object.keys(row)) {
    if (!Object.hasOwn(TABLES[table], column))
      problems.push(`${table}: expected only columns of the table, found ${quoted(column)}`);
  }
  const [message, ...details] = problems.map((problem) => `${location}: ${problem}`);
  if (message === undefined) return { table, columns, values, location };
  const hint = isOtherId ? OTHER_IDS_HINT : `columns of ${table} are: ${Object.keys(TABLES[table]).join(', ')}`;
  return new AppError('import-row-invalid', message, hint, undefined, details);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
