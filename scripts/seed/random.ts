// Pseudo-random numbers: the same seed gives the same sequence on every machine and Node version.
// Not for secrets.

export interface Random {
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** True in the given share of calls: 0.05 is one call in twenty. */
  chance(rate: number): boolean;
  /** An item of the list. @throws RangeError if the list is empty */
  pick<T>(list: readonly T[]): T;
}

const GOLDEN_RATIO_BITS = 0x9e3779b1;

/**
 * The item at `index` of a list that is repeated endlessly.
 * @throws RangeError if the list is empty
 */
export function itemInTurn<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new RangeError('expected a list with items, found an empty one');
  return item;
}

/**
 * A 32-bit xorshift generator whose output is scrambled by a multiplication. `seed` is any integer.
 */
export function createRandom(seed: number): Random {
  // xorshift never leaves the state zero.
  let state = Math.imul(seed ^ 0x5bd1e995, GOLDEN_RATIO_BITS) || 1;
  function fraction(): number {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (Math.imul(state, GOLDEN_RATIO_BITS) >>> 0) / 0x1_0000_0000;
  }
  function below(limit: number): number {
    return Math.floor(fraction() * limit);
  }
  return {
    below,
    chance: (rate) => fraction() < rate,
    pick: (list) => itemInTurn(list, below(list.length)),
  };
}
