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
  readonly products: { readonly numbers: ArrayLike<number> };
}

/**
 * The shard of each front, by code. Shards have about equally many cards. Each is filled with the
 * front of which it has the largest share of products already, so that few products are loaded by
 * several; of equal ones with the first by profile and code, since the fronts of a profile share
 * their cards.
 */
export function shardsOf(fronts: readonly CutFront[], total: number): ReadonlyMap<string, number> {
  const { profileIndexOf } = groupByProfile(fronts);
  const sorted = fronts.toSorted((a, b) => profileIndexOf(a) - profileIndexOf(b) || (a.code < b.code ? -1 : 1));
  // Even a front without products costs something.
  const costs = sorted.map(({ products }) => products.numbers.length + 1);
  const whole = costs.reduce((sum, cost) => sum + cost, 0);
  const sharing = new SharedProducts(sorted);
  const shards = new Map<string, number>();
  const left = new Set(sorted.keys());
  let shard = 0;
  let before = 0;
  while (left.size > 0) {
    const current = Math.min(total - 1, Math.floor((before * total) / whole));
    if (current !== shard) sharing.clear();
    shard = current;
    let next = -1;
    let nextShare = -1;
    for (const i of left) {
      const share = (sharing.counts[i] ?? 0) / (costs[i] ?? 1);
      if (share > nextShare) [next, nextShare] = [i, share];
    }
    left.delete(next);
    before += costs[next] ?? 0;
    sharing.add(next);
    shards.set(sorted[next]?.code ?? '', shard);
  }
  return shards;
}

/** Counts for each front how many of its products a shard has, while fronts are added to it. */
class SharedProducts {
  readonly counts: Int32Array;
  readonly #fronts: readonly CutFront[];
  /** Where the fronts of a product begin in `#listing`, by product number. */
  readonly #from: Int32Array;
  readonly #listing: Int32Array;
  readonly #has: Uint8Array;

  constructor(fronts: readonly CutFront[]) {
    let last = -1;
    for (const { products } of fronts)
      for (let i = 0; i < products.numbers.length; i++) last = Math.max(last, products.numbers[i] ?? 0);
    this.counts = new Int32Array(fronts.length);
    this.#fronts = fronts;
    this.#has = new Uint8Array(last + 1);
    this.#from = new Int32Array(last + 2);
    this.#each((_front, product) => (this.#from[product + 1] = (this.#from[product + 1] ?? 0) + 1));
    for (let i = 1; i < this.#from.length; i++) this.#from[i] = (this.#from[i] ?? 0) + (this.#from[i - 1] ?? 0);
    this.#listing = new Int32Array(this.#from.at(-1) ?? 0);
    const next = this.#from.slice();
    this.#each((front, product) => {
      const at = next[product] ?? 0;
      this.#listing[at] = front;
      next[product] = at + 1;
    });
  }

  #each(visit: (front: number, product: number) => void): void {
    for (const [front, { products }] of this.#fronts.entries())
      for (let i = 0; i < products.numbers.length; i++) visit(front, products.numbers[i] ?? 0);
  }

  add(front: number): void {
    const numbers = this.#fronts[front]?.products.numbers ?? [];
    for (let i = 0; i < numbers.length; i++) {
      const product = numbers[i] ?? 0;
      if (this.#has[product] === 1) continue;
      this.#has[product] = 1;
      const until = this.#from[product + 1] ?? 0;
      for (let at = this.#from[product] ?? 0; at < until; at++) {
        const other = this.#listing[at] ?? 0;
        this.counts[other] = (this.counts[other] ?? 0) + 1;
      }
    }
  }

  clear(): void {
    this.counts.fill(0);
    this.#has.fill(0);
  }
}
