// Which fronts each shard of a build renders. Every shard works it out by itself, from the same catalogue, so that nobody has to be asked.

/** One of so many shards, by its index from 0. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** What a front costs, and its name. */
interface CutFront {
  readonly code: string;
  readonly products: { readonly numbers: { readonly length: number } };
}

/**
 * The shard of each front, by code: fronts by (profile, code), cut into runs of about equal numbers of cards. What the fronts of a profile
 * share is then rendered by as few shards as may be.
 */
export function shardsOf<Front extends CutFront>(
  fronts: readonly Front[],
  profileIndexOf: (front: Front) => number,
  total: number,
): ReadonlyMap<string, number> {
  const sorted = fronts.toSorted((a, b) => profileIndexOf(a) - profileIndexOf(b) || (a.code < b.code ? -1 : 1));
  // A front without products costs something too.
  const costOf = ({ products }: Front): number => products.numbers.length + 1;
  const whole = sorted.reduce((sum, front) => sum + costOf(front), 0);
  const shards = new Map<string, number>();
  let before = 0;
  for (const front of sorted) {
    const middle = before + costOf(front) / 2;
    shards.set(front.code, Math.min(total - 1, Math.floor((middle * total) / whole)));
    before += costOf(front);
  }
  return shards;
}
