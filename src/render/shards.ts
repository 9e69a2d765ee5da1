// Which fronts each shard of a build renders. Every shard computes it from the same catalogue, so
// shards need not talk to each other.

import type { FrontProfile } from '../catalogue/front.ts';
import { groupByProfile } from './front-profiles.ts';

/** One shard: its index, from 0, and how many there are. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** A front's name, and what it costs to render. */
interface CutFront extends FrontProfile {
  readonly code: string;
  readonly products: { readonly numbers: { readonly length: number } };
}

/**
 * The shard of each front, by code: fronts sorted by profile and code, and cut into runs of about
 * equally many cards. So few shards have to render what the fronts of one profile share.
 */
export function shardsOf(fronts: readonly CutFront[], total: number): ReadonlyMap<string, number> {
  const { profileIndexOf } = groupByProfile(fronts);
  const sorted = fronts.toSorted((a, b) => profileIndexOf(a) - profileIndexOf(b) || (a.code < b.code ? -1 : 1));
  // Even a front without products costs something.
  const costOf = ({ products }: CutFront): number => products.numbers.length + 1;
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
