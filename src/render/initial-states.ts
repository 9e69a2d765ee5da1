// The state of every product at the first instant of a build, computed once per front profile,
// because every front of the profile needs it for every card. The numbers of one product are
// adjacent, so that a card costs one cache miss.

import type { ProductNumbers } from '../catalogue/front-products.ts';
import { NO_TIMELINE, type ProfileTimelines, type RenderedProducts } from './rendered-products.ts';

/** Stands for a product that was not rendered: it does not exist, or its rows are bad. */
export const NO_PRODUCT = -1;

/** Stands for a rendered product that was rendered again. */
const NO_NUMBER = -1;

const NO_TIMELINES: ProfileTimelines = { products: new Int32Array(0), firstStates: new Int32Array(0) };

/**
 * The layout of a product's numbers: its number among the rendered ones, or NO_PRODUCT; its
 * timeline's state at the first instant, or NO_TIMELINE; that state's variant or reason; and the
 * bits below.
 */
export const INITIAL = { product: 0, state: 1, variant: 2, bits: 3, width: 4 } as const;

/**
 * INITIAL.bits: another state follows; some front has its own timeline; from GROUP_LIST_SHIFT on,
 * the index of the group list.
 */
export const CHANGES = 1;
export const HAS_OWN_TIMELINES = 2;
export const GROUP_LIST_SHIFT = 2;

export class InitialStates {
  /** The distinct lists of groups that products have, as positions in the taxonomy. */
  readonly groupLists: readonly (readonly number[])[];
  readonly #products: RenderedProducts;
  readonly #now: number;
  /** By product among the rendered ones: its number (ProductNumbers), or NO_NUMBER. */
  readonly #numberOf: Int32Array;
  /** What `of` gives where a profile has no timelines. */
  readonly #withoutTimelines: Int32Array;
  /** By product number: the index of its list of groups. */
  readonly #groupListOf: Int32Array;
  /** Only the last profile is kept, since there may be as many profiles as fronts. */
  #latest: { readonly profileIndex: number; readonly initial: Int32Array } | null = null;

  constructor(products: RenderedProducts, productNumbers: ProductNumbers, now: number) {
    this.#products = products;
    this.#now = now;
    // A product that turned out to be bad after it was rendered comes again, and the last one counts.
    const renderedOf = new Map(Array.from(products.ids, (id, product) => [id, product]));
    const { lists, listOf } = groupListsOf(products);
    this.groupLists = lists;
    this.#numberOf = new Int32Array(products.ids.length).fill(NO_NUMBER);
    this.#groupListOf = new Int32Array(productNumbers.ids.length);
    this.#withoutTimelines = new Int32Array(productNumbers.ids.length * INITIAL.width);
    for (const [number, id] of productNumbers.ids.entries()) {
      const product = renderedOf.get(id) ?? NO_PRODUCT;
      this.#withoutTimelines[number * INITIAL.width + INITIAL.product] = product;
      this.#withoutTimelines[number * INITIAL.width + INITIAL.state] = NO_TIMELINE;
      if (product === NO_PRODUCT) continue;
      this.#numberOf[product] = number;
      this.#groupListOf[number] = listOf[product] ?? 0;
    }
  }

  /** INITIAL.width numbers for each product number. Cheap if called again for the same profile. */
  of(profileIndex: number): Int32Array {
    if (this.#latest?.profileIndex === profileIndex) return this.#latest.initial;
    const { ownStarts, stateFroms, stateVariants } = this.#products;
    const { products, firstStates } = this.#products.timelines[profileIndex] ?? NO_TIMELINES;
    const initial = this.#withoutTimelines.slice();
    for (const [i, product] of products.entries()) {
      const number = this.#numberOf[product] ?? NO_NUMBER;
      if (number === NO_NUMBER) continue;
      const state = stateAt(stateFroms, firstStates[i] ?? NO_TIMELINE, this.#now);
      const hasOwn = (ownStarts[product] ?? 0) < (ownStarts[product + 1] ?? 0);
      const at = number * INITIAL.width;
      initial[at + INITIAL.state] = state;
      initial[at + INITIAL.variant] = stateVariants[state] ?? 0;
      initial[at + INITIAL.bits] =
        ((this.#groupListOf[number] ?? 0) << GROUP_LIST_SHIFT) |
        (hasOwn ? HAS_OWN_TIMELINES : 0) |
        (hasNextState(stateFroms, state) ? CHANGES : 0);
    }
    this.#latest = { profileIndex, initial };
    return initial;
  }
}

/** The state of a timeline at an instant, searched forward from an earlier state. */
export function stateAt(stateFroms: Float64Array, earlier: number, at: number): number {
  if (earlier === NO_TIMELINE) return NO_TIMELINE;
  let state = earlier;
  while ((stateFroms[state + 1] ?? Infinity) <= at) state += 1;
  return state;
}

/** Whether another state follows in the timeline. */
export function hasNextState(stateFroms: Float64Array, state: number): boolean {
  return state !== NO_TIMELINE && (stateFroms[state + 1] ?? Infinity) < Infinity;
}

/** The distinct lists of groups, and by product the index of its list. */
function groupListsOf({ ids, groupStarts, groupMemberships }: RenderedProducts): {
  readonly lists: readonly (readonly number[])[];
  readonly listOf: Int32Array;
} {
  const lists: number[][] = [];
  const indexes = new Map<string, number>();
  const listOf = new Int32Array(ids.length);
  for (const product of ids.keys()) {
    const list: number[] = [];
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      list.push(groupMemberships[row * 2] ?? 0);
    }
    const key = list.join();
    const index = indexes.get(key) ?? lists.push(list) - 1;
    indexes.set(key, index);
    listOf[product] = index;
  }
  return { lists, listOf };
}
