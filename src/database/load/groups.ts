// Rows of one table in groups, such as the sessions of each product. Millions of single rows from
// the driver would be most of a load's cost, so the database makes one JSON array of a group's
// rows, which keeps the types of values and is parsed at once.

import { sql, type RawBuilder } from 'kysely';
import { exactJson, hasRounded, isRounded } from '../contract/exact-integers.ts';
import type { TableName } from '../contract/tables.ts';

/**
 * A half-open range of ids, (after, upTo]; null where it is open. Text and BLOBs sort behind every
 * number, NULL is in no range.
 */
export interface IdRange {
  readonly after: number | null;
  readonly upTo: number | null;
}

/** One id alone. */
export function onlyId(id: number): IdRange {
  return { after: id - 1, upTo: id };
}

export const ALL_IDS: IdRange = { after: null, upTo: null };

/** Ids that are not numbers: a mistyped '7' may stand for 7. */
export const MISTYPED_IDS: IdRange = { after: Number.MAX_SAFE_INTEGER, upTo: null };

/** SQL that is true of the ids in a range. */
export function isInRange(id: RawBuilder<unknown>, range: IdRange | 'null'): RawBuilder<unknown> {
  if (range === 'null') return sql`${id} is null`;
  const { after, upTo } = range;
  const bounds = [
    ...(after === null ? [] : [sql`${id} > ${after}`]),
    ...(upTo === null ? [] : [sql`${id} <= ${upTo}`]),
  ];
  return bounds.length === 0 ? sql`${id} is not null` : sql.join(bounds, sql` and `);
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

/** Whether one id comes before another as databases order them: NULL, numbers, text. */
export function isIdBefore(a: unknown, b: unknown): boolean {
  const step = rankOf(a) - rankOf(b);
  if (step !== 0) return step < 0;
  return isNumber(a) && isNumber(b) ? a < b : String(a) < String(b);
}

function rankOf(id: unknown): number {
  return id === null ? 0 : isNumber(id) ? 1 : 2;
}

/** PostgreSQL's reader returns integers too large for a number as bigint. */
function isNumber(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}
