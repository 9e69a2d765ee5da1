// Integers beyond 2^53, such as snowflake ids. A number rounds them, and two of them may become
// one; no column accepts them, but a finding has to say which they are. Values are read as numbers,
// the fast way, and once more as bigint where one of them was rounded.

/** Whether a value among these may be an integer that has been rounded. */
export function hasRounded(values: readonly unknown[]): boolean {
  // By index: it looks at every value of millions of rows.
  for (let i = 0; i < values.length; i++) if (isRounded(values[i])) return true;
  return false;
}

export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER);
}

/** Values whose integers are bigint, with those as numbers that a number can hold. */
export function exactRow(values: readonly unknown[]): unknown[] {
  return values.map((value) => (typeof value === 'bigint' ? exact(value) : value));
}

/** JSON with the integers as bigint that a number cannot hold. */
export function exactJson(json: string): unknown {
  const revive = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    isRounded(value) && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value;
  return JSON.parse(json, revive);
}

function exact(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
