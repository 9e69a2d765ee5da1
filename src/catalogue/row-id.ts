// Ids of fronts, venues, images and sessions. Nothing publishes them, so they may be text as well as
// integers: 7 and '7' are two ids. Those of products, categories, groups, tags and badges are
// published, and integers.

export type RowId = number | string;

/**
 * Whether one id comes before another: NULL, numbers, text by code unit. A value may be anything
 * that a database has in the place of an id.
 */
export function isIdBefore(a: unknown, b: unknown): boolean {
  const step = rankOf(a) - rankOf(b);
  if (step !== 0) return step < 0;
  return isNumber(a) && isNumber(b) ? a < b : String(a) < String(b);
}

function rankOf(id: unknown): number {
  return id === null ? 0 : isNumber(id) ? 1 : 2;
}

/** Readers return integers too large for a number as bigint. */
function isNumber(id: unknown): id is number | bigint {
  return typeof id === 'number' || typeof id === 'bigint';
}

/** The id that is probably meant by one of the other type: 7 by '7', '7' by 7; null by other text. */
export function otherTypeOf(id: unknown): RowId | null {
  if (typeof id === 'number') return String(id);
  const number = typeof id === 'string' && /^-?\d+$/.test(id) ? Number(id) : null;
  return Number.isSafeInteger(number) ? number : null;
}
