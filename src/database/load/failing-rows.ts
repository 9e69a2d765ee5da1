// Finds the rows of a table that cannot be read because an expression of its view throws for them,
// such as json_extract on text that is no JSON. Each becomes a finding; from then on queries get it
// with a mark that no column accepts in place of what throws, so that it is a bad row like others.
// A query says only that it failed: what fails is halved, within QUERIES_MAX.

import { sql, type RawBuilder } from 'kysely';
import type { RowId } from '../../catalogue/row-id.ts';
import { AppError, shellWord } from '../../errors.ts';
import type { Column } from '../contract/columns.ts';
import { findingOf, locationOfKey } from '../contract/row-checker.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import type { DatabaseKind, FailedRow, Query } from '../reader.ts';
import { valuesIn } from './groups.ts';

/** How many queries on one table may be made to find its failing rows. */
const QUERIES_MAX = 40;

/** What a query has returned, or the message of the expression that threw. */
export type Attempt = { readonly rows: readonly unknown[][] } | { readonly problem: string };

/** A query that failed. */
export interface FailedQuery {
  /** Its text, which names the tables and columns that it reads. */
  readonly text: string;
  /** The condition on the rows that it reads, where it reads one table. */
  readonly where?: { readonly text: string; readonly condition: RawBuilder<unknown> } | undefined;
}

/** What it failed with. */
interface Failure {
  readonly error: unknown;
  /** What an expression has thrown. */
  readonly problem: string;
}

interface Source {
  readonly kind: DatabaseKind;
  readonly path: () => string;
  /** Completed by SQL, a command line for a shell. */
  readonly shellCommand: () => string;
  /** Runs a query, with the marks of what is known to fail. */
  attempt(query: Query): Promise<Attempt>;
  /** The contract's columns that a table has; none where there is no such table. */
  columnsOf(table: TableName): readonly string[];
}

type Key = readonly RowId[];

/** A row as queries get it. */
export interface MarkedRow {
  readonly key: Key;
  /** What throws, in this row or in another one of the table. */
  readonly columns: ReadonlySet<string>;
}

/** What of a table is being looked at. */
interface Part {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly where: RawBuilder<unknown> | undefined;
}

const AGGREGATES = { sqlite: sql.raw('json_group_array'), postgres: sql.raw('json_agg') } as const;

export class FailingRows {
  readonly #source: Source;
  /** By table. */
  readonly #marked = new Map<TableName, MarkedRow[]>();
  readonly #queriesTotal = new Map<TableName, number>();
  /** By location. */
  readonly failedRows = new Map<string, FailedRow>();
  /** Changes whenever a row was found. */
  version = 0;
  #search: Promise<void> = Promise.resolve();

  constructor(source: Source) {
    this.#source = source;
  }

  /** Forgets everything: the rows may be others now. */
  clear(): void {
    this.#marked.clear();
    this.#queriesTotal.clear();
    this.failedRows.clear();
    this.version += 1;
  }

  /** The tables with failing rows. */
  get tables(): ReadonlyMap<TableName, readonly MarkedRow[]> {
    return this.#marked;
  }

  /** Resolves when no search is going on. */
  async settled(): Promise<void> {
    await this.#search;
  }

  /**
   * Finds rows that a query failed for. `version` is that of before the query: if rows were found
   * meanwhile, it may succeed now. One search at a time: queries fail side by side.
   * @throws AppError view-failed if none can be found; the query's own error if it reads no table
   */
  find(failed: FailedQuery, { error, problem }: Failure, version: number): Promise<void> {
    const search = this.#search.then(async () => {
      if (this.version !== version) return;
      const tables = tablesIn(failed.text).filter((table) => this.#source.columnsOf(table).length > 0);
      if (tables.length === 0) throw error;
      await this.#find(tables, failed, problem);
    });
    this.#search = search.catch(() => undefined);
    return search;
  }

  async #find(tables: readonly TableName[], { text, where }: FailedQuery, problem: string): Promise<void> {
    const { version } = this;
    for (const table of tables) {
      const columns = columnsIn(text, this.#source.columnsOf(table));
      if (where === undefined) {
        await this.#findIn({ table, columns, where: undefined }, problem);
        continue;
      }
      // The condition is computed for every row, and decides for which of them the rest is.
      const deciding = columnsIn(where.text, columns);
      await this.#findIn({ table, columns: deciding, where: undefined }, problem);
      if (this.version !== version) continue;
      const others = columns.filter((column) => !deciding.includes(column));
      await this.#findIn({ table, columns: others, where: where.condition }, problem);
    }
    if (this.version === version) throw this.#viewFailed(tables, [], problem);
  }

  /** Finds the columns that throw, in whichever row; then the rows in which one of them does. */
  async #findIn({ table, columns, where }: Part, lastProblem: string): Promise<void> {
    let problem = lastProblem;
    const isFailing = async (names: readonly string[], conditions: readonly RawBuilder<unknown>[]) => {
      const counts = sql.join(names.map((name) => sql`count(${sql.ref(name)})`));
      const query = selected(counts, table, [...(where === undefined ? [] : [where]), ...conditions]);
      const answer = await this.#ask({ table, columns: names, where }, query, problem);
      if ('problem' in answer) ({ problem } = answer);
      return 'problem' in answer;
    };
    const failing: string[] = [];
    for await (const column of failingOf(columns, (some) => isFailing(some, []))) failing.push(column);
    if (failing.length === 0) return;
    const part = { table, columns: failing, where };
    const { key: keyColumns } = TABLE_RULES[table];
    const { version } = this;
    let keys: Key[] = keyColumns.some((column) => failing.includes(column)) ? [] : [[]];
    for (const [depth, column] of keyColumns.entries()) {
      const longer: Key[] = [];
      for (const begin of keys) {
        const values = await this.#valuesOf(part, column, begin, problem);
        const isRangeFailing = (some: readonly Key[number][]): Promise<boolean> =>
          isFailing(failing, [...isKey(table, begin), isBetween(column, some)]);
        for await (const value of failingOf(values, isRangeFailing)) {
          const key = [...begin, value];
          if (depth === keyColumns.length - 1) this.#mark(table, key, failing, problem);
          else longer.push(key);
        }
      }
      keys = longer;
    }
    if (this.version === version) throw this.#viewFailed([table], failing, problem);
  }

  /** The values of a column of the key, ascending, in the rows whose key begins with some. */
  async #valuesOf(part: Part, column: string, begin: Key, problem: string): Promise<readonly Key[number][]> {
    const { table, where } = part;
    const ref = sql.ref(column);
    const values = selected(sql`distinct ${ref}`, table, [
      ...(where === undefined ? [] : [where]),
      ...isKey(table, begin),
    ]);
    const query = sql`select ${AGGREGATES[this.#source.kind]}(${ref}) from (${values} order by ${ref}) as k`;
    const answer = await this.#ask(part, query, problem);
    if ('problem' in answer) throw this.#viewFailed([table], part.columns, answer.problem);
    return valuesIn(answer.rows[0]?.[0]).filter((value) => isKeyValue(table, column, value));
  }

  #ask({ table, columns }: Part, query: Query, problem: string): Promise<Attempt> {
    const total = (this.#queriesTotal.get(table) ?? 0) + 1;
    if (total > QUERIES_MAX) throw this.#viewFailed([table], columns, problem);
    this.#queriesTotal.set(table, total);
    return this.#source.attempt(query);
  }

  #mark(table: TableName, key: Key, failing: readonly string[], problem: string): void {
    const rows = this.#marked.get(table) ?? [];
    this.#marked.set(table, rows);
    const location = locationOfKey(table, key);
    const columns = new Set([...(this.failedRows.get(location)?.columns ?? []), ...failing]);
    const at = rows.findIndex((row) => locationOfKey(table, row.key) === location);
    rows.splice(at < 0 ? rows.length : at, 1, { key, columns });
    const names = [...columns];
    const message = `${names.join(', ')}: expected values, found an expression of ${table} that throws: ${problem}`;
    const finding = findingOf(
      'error',
      'expression-failed',
      location,
      message,
      names.length === 1 ? names[0] : undefined,
    );
    this.failedRows.set(location, {
      columns,
      finding: { ...finding, hint: `try it: ${this.#tryText(table, names, key)}` },
    });
    this.version += 1;
  }

  #tryText(table: TableName, columns: readonly string[], key: Key): string {
    const where = key.length === 0 ? '' : ` WHERE ${keyText(table, key, '=', ' AND ')}`;
    const text = `SELECT ${columns.join(', ') || '*'} FROM ${table}${where}`;
    return `${this.#source.shellCommand()} ${/["$`!]/.test(text) ? shellWord(text) : `"${text}"`}`;
  }

  #viewFailed(tables: readonly TableName[], columns: readonly string[], problem: string): AppError {
    const message =
      `expected rows of ${tables.join(', ')} from ${this.#source.path()}, found an expression of ` +
      `${tables.length === 1 ? 'it' : 'one of them'} that throws, in a key or in more rows than ${QUERIES_MAX} ` +
      `queries tell apart: ${problem}`;
    const hints = tables.map((table) => this.#tryText(table, tables.length === 1 ? columns : [], []));
    return new AppError('view-failed', message, `try it: ${hints.join('; ')}`);
  }
}

/**
 * A table as SQL in which failing rows have marks. `cells` are what is selected of it, by name;
 * `markOf` makes what stands for a cell that throws, different in each row.
 */
export function markedTable(
  table: TableName,
  rows: readonly MarkedRow[],
  from: string,
  cells: ReadonlyMap<string, string>,
  markOf: (column: string, row: number) => string,
): string {
  const all = [...cells].map(([name, text]) => `${text} as "${name}"`);
  // Condition by condition, so that a server finds them cheaper than what throws, and looks first.
  const others = rows.map(({ key }) => `(${keyText(table, key, 'is distinct from', ' or ')})`);
  const marked = rows.map(({ key, columns }, i) => {
    const own = [...cells].map(([name, text]) => `${columns.has(name) ? markOf(name, i) : text} as "${name}"`);
    return `select ${own.join(', ')} from ${from} where ${keyText(table, key, '=', ' and ')}`;
  });
  return [`select ${all.join(', ')} from ${from} where ${others.join(' and ')}`, ...marked].join(' union all ');
}

/** The items that fail, of which any number together fail if one of them does. */
async function* failingOf<T>(
  items: readonly T[],
  isFailing: (some: readonly T[]) => Promise<boolean>,
): AsyncGenerator<T> {
  let from = 0;
  while (from < items.length && (await isFailing(items.slice(from)))) {
    // The first of them is at `low` or after it, and before `high`.
    let [low, high] = [from, items.length];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await isFailing(items.slice(low, middle))) high = middle;
      else low = middle;
    }
    yield* items.slice(low, high);
    from = high;
  }
}

/** The contract's tables that a query names. */
function tablesIn(text: string): readonly TableName[] {
  return TABLE_NAMES.filter((table) => isWordIn(text, table));
}

/** Those of some columns that it names. */
export function columnsIn(text: string, columns: readonly string[]): readonly string[] {
  return columns.filter((column) => isWordIn(text, column));
}

function isWordIn(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}

function selected(what: RawBuilder<unknown>, table: TableName, conditions: readonly RawBuilder<unknown>[]) {
  const where = conditions.length === 0 ? sql`` : sql` where ${sql.join(conditions, sql` and `)}`;
  return sql`select ${what} from ${sql.table(table)}${where}`;
}

/** No other value identifies a row in a finding. In PostgreSQL a backslash may be an escape. */
function isKeyValue(table: TableName, column: string, value: unknown): value is RowId {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  return rules[column]?.accepts(value) === true && !String(value).includes('\\');
}

const literal = (value: RowId | undefined): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

function isKey(table: TableName, key: Key): RawBuilder<unknown>[] {
  return key.length === 0 ? [] : [sql.raw(keyText(table, key, '=', ' and '))];
}

function keyText(table: TableName, key: Key, operator: string, separator: string): string {
  const { key: columns } = TABLE_RULES[table];
  return key.map((value, i) => `${columns[i]} ${operator} ${literal(value)}`).join(separator);
}

function isBetween(column: string, values: readonly Key[number][]): RawBuilder<unknown> {
  return sql`${sql.ref(column)} between ${sql.raw(literal(values[0]))} and ${sql.raw(literal(values.at(-1)))}`;
}
