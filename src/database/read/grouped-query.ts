// Rows of one table, grouped: one row of the result per group, its rows as one JSON array of arrays. A driver returns rows one by one,
// which with millions is most of a load's cost; JSON keeps the types of the stored values, and is parsed at once.

import { sql, type RawBuilder } from 'kysely';
import type { CatalogueReader, Query } from '../open.ts';
import type { TableName } from '../schema/tables.ts';

/** A half-open range of ids, (after, upTo]; null where it is open. Text and BLOBs sort behind every number, NULL is in no range. */
export interface IdRange {
  readonly after: number | null;
  readonly upTo: number | null;
}

/** One id alone. */
export function onlyId(id: number): IdRange {
  return { after: id - 1, upTo: id };
}

/** Ids that are not numbers, where a row's id is mistyped: '7' may stand for 7. */
export const MISTYPED_IDS: IdRange = { after: Number.MAX_SAFE_INTEGER, upTo: null };

export interface Grouping {
  readonly table: TableName;
  /** The column whose value makes a group. */
  readonly by: string;
  /** What each row's array holds. */
  readonly columns: readonly string[];
  /** Which rows to include. */
  readonly where?: RawBuilder<unknown> | undefined;
  /** Rows that meet `where` come as one value instead of an array. `alongside` has an array of its own, in the same order. */
  readonly plain?: { readonly where: RawBuilder<unknown>; readonly column: string; readonly alongside: string };
}

/** Tables that cannot hold a BLOB: STRICT ones, such as those of data/schema.sql, without an ANY or BLOB column. */
export async function strictTables(reader: CatalogueReader): Promise<ReadonlySet<string>> {
  const list = sql<string>`select t.name from pragma_table_list as t where t.schema = 'main' and t.strict = 1
    and not exists (select 1 from pragma_table_xinfo(t.name) as c where c.type in ('ANY', 'BLOB'))`;
  return new Set((await reader.rows(list)).map(([name]) => String(name)));
}

/** Group and rows, by group; rows of a group come in the order of the index, which is not guaranteed. */
export function groupedQuery(
  { table, by, columns, where, plain }: Grouping,
  range: IdRange | 'null',
  isStrict: boolean,
): Query {
  const value = (name: string): RawBuilder<unknown> => jsonValue(name, isStrict);
  const group = sql.ref(by);
  const conditions: RawBuilder<unknown>[] = [];
  if (range === 'null') conditions.push(sql`${group} is null`);
  else {
    if (range.after !== null) conditions.push(sql`${group} > ${range.after}`);
    if (range.upTo !== null) conditions.push(sql`${group} <= ${range.upTo}`);
    if (conditions.length === 0) conditions.push(sql`${group} is not null`);
  }
  if (where !== undefined) conditions.push(where);
  const whole = sql`json_array(${sql.join(columns.map(value))})`;
  const rows =
    plain === undefined
      ? sql`json_group_array(${whole})`
      : sql`json_group_array(case when ${plain.where} then ${sql.ref(plain.column)} else ${whole} end), json_group_array(${value(plain.alongside)})`;
  return sql`select ${group}, ${rows} from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} group by ${group} order by ${group}`;
}

/**
 * A column as JSON can hold it. JSON has no BLOBs: an object with the length, which no column accepts, replaces one. SQLite writes a
 * REAL with 15 digits, which is not enough for an id that a view's expression has turned into one: whole numbers go as integers.
 */
export function jsonValue(name: string, isStrict: boolean): RawBuilder<unknown> {
  const column = sql.ref(name);
  if (isStrict) return sql`${column}`;
  return sql`case typeof(${column}) when 'blob' then json_object('blob', length(${column})) when 'real' then iif(cast(${column} as integer) = ${column}, cast(${column} as integer), ${column}) else ${column} end`;
}

/** The rows of a group by a query without `plain`. */
export function rowsIn(json: unknown): unknown[][] {
  return valuesIn(json) as unknown[][];
}

/** The elements of one of the query's arrays; none where there is no group. */
export function valuesIn(json: unknown): unknown[] {
  return typeof json === 'string' ? (JSON.parse(json) as unknown[]) : [];
}

/** Ids that have groups of rows but are not known; in SQLite's order. */
export function orphanIds(
  tables: Iterable<ReadonlyMap<unknown, unknown>>,
  knownIds: ReadonlySet<unknown>,
): readonly unknown[] {
  const ids = new Set<unknown>();
  for (const groups of tables) for (const id of groups.keys()) if (!knownIds.has(id)) ids.add(id);
  return [...ids].sort((a, b) => (isIdBefore(a, b) ? -1 : 1));
}

/** Whether one id comes before another as SQLite orders them: NULL, numbers, text. */
export function isIdBefore(a: unknown, b: unknown): boolean {
  const rankOf = (id: unknown): number => (id === null ? 0 : typeof id === 'number' ? 1 : 2);
  const step = rankOf(a) - rankOf(b);
  if (step !== 0) return step < 0;
  return typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b);
}
