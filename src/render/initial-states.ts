// Where every product stands at the first instant of a build, for one front profile: worked out once per profile, because each of
// its fronts asks for each card. The numbers of one product lie side by side: a card of a large catalogue costs one look at memory.

import type { ProductNumbers } from '../catalogue/front-products.ts';
import { NO_TIMELINE, type RenderedProducts } from './rendered-products.ts';

/** Where there is no such product: it is gone, or nothing was rendered. */
export const NO_PRODUCT = -1;

/**
 * A product's numbers, in their order: its number among the rendered ones or NO_PRODUCT; the state of its timeline that is in force
 * or NO_TIMELINE; that state's variant or reason; its list of groups, and the bits below.
 */
export const START = { product: 0, state: 1, variant: 2, rest: 3, width: 4 } as const;

/** The bits of START.rest: a state follows the one in force; some front has a timeline of its own; from here on the list of groups. */
export const MOVES = 1;
export const HAS_OWN_TIMELINES = 2;
export const GROUP_LIST_SHIFT = 2;

/** There may be as many profiles as fronts: of more than the usual handful, those that came last are kept. */
const CLASSES_KEPT = 8;

/** What catalogues of rendered products are asked for each front, by number of the shelves' products. */
export class InitialStates {
  /** Every list of groups that some product has, as positions in the taxonomy; products mostly share theirs. */
  readonly groupLists: readonly (readonly number[])[];
  readonly #products: RenderedProducts;
  readonly #now: number;
  /** By number of a shelf's product: its number among the rendered ones. */
  readonly #renderedOf: Int32Array;
  /** The same: its list of groups. */
  readonly #groupListOf: Int32Array;
  readonly #byProfile = new Map<number, Int32Array>();

  constructor(
    products: RenderedProducts,
    productOf: ReadonlyMap<number, number>,
    productNumbers: ProductNumbers,
    now: number,
  ) {
    this.#products = products;
    this.#now = now;
    const { ids } = productNumbers;
    this.#renderedOf = Int32Array.from(ids, (id) => productOf.get(id) ?? NO_PRODUCT);
    const lists = new GroupLists(products);
    this.#groupListOf = this.#renderedOf.map((product) => (product === NO_PRODUCT ? 0 : lists.of(product)));
    this.groupLists = lists.all;
  }

  /** START.width numbers for each product of the shelves, by its number there. Cheap where profiles come one after the other. */
  of(profileIndex: number): Int32Array {
    const known = this.#byProfile.get(profileIndex);
    if (known !== undefined) return known;
    const { ids, timelines, ownStarts, stateFroms, stateVariants } = this.#products;
    const profileCount = timelines.length / ids.length;
    const starts = new Int32Array(this.#renderedOf.length * START.width);
    for (const [number, product] of this.#renderedOf.entries()) {
      const at = number * START.width;
      starts[at + START.product] = product;
      starts[at + START.state] = NO_TIMELINE;
      if (product === NO_PRODUCT) continue;
      const timeline = timelines[product * profileCount + profileIndex] ?? NO_TIMELINE;
      const state = stateInForce(stateFroms, timeline, this.#now);
      const hasOwn = (ownStarts[product] ?? 0) < (ownStarts[product + 1] ?? 0);
      starts[at + START.state] = state;
      starts[at + START.variant] = stateVariants[state] ?? 0;
      starts[at + START.rest] =
        ((this.#groupListOf[number] ?? 0) << GROUP_LIST_SHIFT) |
        (hasOwn ? HAS_OWN_TIMELINES : 0) |
        (moves(stateFroms, state) ? MOVES : 0);
    }
    const [oldest] = this.#byProfile.keys();
    if (oldest !== undefined && this.#byProfile.size === CLASSES_KEPT) this.#byProfile.delete(oldest);
    this.#byProfile.set(profileIndex, starts);
    return starts;
  }
}

/** The state in force at an instant, from one of the same timeline that is in force then or before. */
export function stateInForce(stateFroms: Float64Array, state: number, at: number): number {
  if (state === NO_TIMELINE) return NO_TIMELINE;
  let inForce = state;
  while ((stateFroms[inForce + 1] ?? Infinity) <= at) inForce += 1;
  return inForce;
}

/** Whether another state follows one in its timeline. */
export function moves(stateFroms: Float64Array, state: number): boolean {
  return state !== NO_TIMELINE && (stateFroms[state + 1] ?? Infinity) < Infinity;
}

/** Numbers the lists of groups as they are met. */
class GroupLists {
  readonly all: number[][] = [];
  readonly #products: RenderedProducts;
  readonly #numberOf = new Map<string, number>();

  constructor(products: RenderedProducts) {
    this.#products = products;
  }

  of(product: number): number {
    const { groupStarts, groupPlaces } = this.#products;
    const list: number[] = [];
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      list.push(groupPlaces[row * 2] ?? 0);
    }
    const key = list.join();
    const known = this.#numberOf.get(key);
    if (known !== undefined) return known;
    this.#numberOf.set(key, this.all.length);
    return this.all.push(list) - 1;
  }
}
