// Rows of one table in groups, such as the sessions of each product. Millions of single rows from
// the driver would be most of a load's cost, so the database makes one JSON array of a group's
// rows, which keeps the types of values and is parsed at once.

import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { RowId } from '../../catalogue/row-id.ts';
import { exactJson, hasRounded, isRounded } from '../contract/exact-integers.ts';
import type { TableName } from '../contract/tables.ts';

/**
 * Rows of a table by an id that they refer to: those with one id, with any, without one, or of
 * products with one that is no number: a mistyped '7' may stand for 7.
 */
export type IdRange = { readonly only: RowId } | 'any' | 'null' | 'mistyped';

/**
 * Groups are read for many ids at once, too: those given, and, if a table is, what is no number or
 * none of its ids.
 */
export type GroupRange = IdRange | { readonly among: readonly number[]; readonly orphansOf: TableName | null };

/** SQL that is true of the ids in such a range. `isAmong` is that of the ids given. */
export function isInGroupRange(
  id: RawBuilder<unknown>,
  range: GroupRange,
  isAmong: (ids: readonly number[]) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (typeof range === 'string' || 'only' in range) return isInRange(id, range);
  const { among, orphansOf } = range;
  if (orphansOf === null) return isAmong(among);
  const known = sql`select id from ${sql.table(orphansOf)} where id is not null`;
  return sql`(${isAmong(among)} or ${isInRange(id, 'mistyped')} or ${id} not in (${known}))`;
}

/** SQL that is true of the ids in a range. */
export function isInRange(id: RawBuilder<unknown>, range: IdRange): RawBuilder<SqlBool> {
  if (range === 'null') return sql<SqlBool>`${id} is null`;
  if (range === 'any') return sql<SqlBool>`${id} is not null`;
  // Text and BLOBs sort behind every number.
  if (range === 'mistyped') return sql<SqlBool>`${id} > ${Number.MAX_SAFE_INTEGER}`;
  return sql<SqlBool>`${id} = ${range.only}`;
}

export interface Grouping {
  readonly table: TableName;
  /** The column whose value makes a group. */
  readonly by: string;
  /** What each row's array holds. */
  readonly columns: readonly string[];
  /** Which rows to include. */
  readonly where?: RawBuilder<unknown> | undefined;
  /**
   * Rows that have whole numbers in `whole`, 0 in `zero` and NULL in `empty` come as one value,
   * `column`, instead of an array. The values of `alongside` come in a second array, in the same
   * order.
   */
  readonly plain?: {
    readonly whole: readonly string[];
    readonly zero: readonly string[];
    readonly empty: readonly string[];
    readonly column: string;
    readonly alongside: string;
  };
}

/** One group. Its rows are parsed on demand: those of products that no front shows never are. */
export interface Group {
  readonly id: unknown;
  readonly rows: () => readonly unknown[];
  /** Empty unless the grouping has `plain`. */
  readonly alongside: () => readonly unknown[];
}

/** The values of a JSON array that a database has made; none for NULL. */
export function valuesIn(json: unknown): unknown[] {
  if (typeof json !== 'string') return [];
  const values = JSON.parse(json) as unknown[];
  const isExact = !values.some((value) => (Array.isArray(value) ? hasRounded(value) : isRounded(value)));
  return isExact ? values : (exactJson(json) as unknown[]);
}
