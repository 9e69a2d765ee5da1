// One front's cards while its editions are rendered: the variant that each position shows at an
// instant, with the front's own flags and groups. Stored as columns by position.

import type { Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { DropReason } from '../catalogue/offer.ts';
import { ALWAYS, periodContains } from '../catalogue/period.ts';
import { flagsText } from './card.ts';
import type { CardSource } from './document-buffer.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { EncodedTaxonomy } from './facets.ts';
import type { BadRows } from './left-out.ts';
import {
  CHANGES,
  GROUP_LIST_SHIFT,
  HAS_OWN_TIMELINES,
  hasNextState,
  INITIAL,
  type InitialStates,
  NO_PRODUCT,
  stateAt,
} from './initial-states.ts';
import {
  dropReasonOf,
  NO_TIMELINE,
  RUN,
  RUN_DIGEST_BYTES,
  VARIANT,
  type RenderedProducts,
} from './rendered-products.ts';

/** What the editions of all fronts are assembled from. */
export interface RenderedCatalogue {
  readonly taxonomy: Taxonomy;
  /** The taxonomy with the names that a front shows. */
  readonly taxonomyOf: (front: Front) => EncodedTaxonomy;
  readonly products: RenderedProducts;
  readonly initialStates: InitialStates;
  readonly bad: BadRows;
  /** Where a front's profile stands among the timelines of `products`. */
  readonly profileIndexOf: (front: Front) => number;
  /** Its number in `ownFronts` of `products`. */
  readonly frontNumberOf: (front: Front) => number;
  /** The end of the horizon. */
  readonly until: Instant;
  /** Buffers of finished documents, for reuse. */
  readonly freeBuffers: Uint8Array[];
}

/**
 * What a card is made of: the digests of its two runs, and the front's flags; zeros if there is no
 * card.
 */
export const INGREDIENT_BYTES = 2 * RUN_DIGEST_BYTES + 1;

/** Stands for a position that shows no card. */
export const NO_VARIANT = -1;

const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** The text of the flags, by FLAG bits. */
const FLAGS = Array.from({ length: 16 }, (_, bits) => new TextEncoder().encode(flagsText(bits)));

const NO_BYTES = new Uint8Array(0);
const NO_GROUPS = Uint8Array.of(OPENING_BRACKET, CLOSING_BRACKET);

export class FrontCards implements CardSource {
  readonly length: number;
  readonly #front: Front;
  readonly #frontNumber: number;
  readonly #products: RenderedProducts;
  /**
   * By the group's position in the taxonomy: its rank in the front's order; -1 if the front does
   * not attach it.
   */
  readonly #rankOfGroup: Int32Array;
  /** By position: the product's number among the rendered ones, or NO_PRODUCT. */
  readonly #productAt: Int32Array;
  /**
   * By position: the timeline's state at the first instant, that state's variant or reason, and
   * whether another state follows.
   */
  readonly #firstStateAt: Int32Array;
  readonly #firstVariantAt: Int32Array;
  readonly #changesAt: Uint8Array;
  /** By position: the current state, and the variant shown. */
  readonly #stateAt: Int32Array;
  readonly #variantAt: Int32Array;
  /** By position: whether the front attaches all groups of the product, in the product's order. */
  readonly #hasAllGroupsAt: Uint8Array;
  /** By position, if it does not: the text of those it attaches, computed when first needed. */
  readonly #groupsAt: (Uint8Array | undefined)[] = [];

  constructor(front: Front, rendered: RenderedCatalogue, now: Instant) {
    const { products, initialStates, taxonomy } = rendered;
    const { length, numbers } = front.products;
    this.length = length;
    this.#front = front;
    this.#frontNumber = rendered.frontNumberOf(front);
    this.#products = products;
    this.#rankOfGroup = new Int32Array(taxonomy.groups.length).fill(-1);
    for (const [rank, group] of front.groups.entries()) this.#rankOfGroup[group] = rank;
    this.#productAt = new Int32Array(length);
    this.#firstStateAt = new Int32Array(length);
    this.#firstVariantAt = new Int32Array(length);
    this.#changesAt = new Uint8Array(length);
    this.#variantAt = new Int32Array(length).fill(NO_VARIANT);
    this.#hasAllGroupsAt = new Uint8Array(length);
    const attachesAll = Uint8Array.from(initialStates.groupLists, (list) => (this.#attachesAll(list) ? 1 : 0));
    const initial = initialStates.of(rendered.profileIndexOf(front));
    for (let position = 0; position < length; position++) {
      const at = (numbers[position] ?? 0) * INITIAL.width;
      const product = initial[at + INITIAL.product] ?? NO_PRODUCT;
      const bits = initial[at + INITIAL.bits] ?? 0;
      this.#productAt[position] = product;
      this.#firstStateAt[position] = initial[at + INITIAL.state] ?? NO_TIMELINE;
      this.#firstVariantAt[position] = initial[at + INITIAL.variant] ?? 0;
      this.#changesAt[position] = bits & CHANGES;
      this.#hasAllGroupsAt[position] = attachesAll[bits >> GROUP_LIST_SHIFT] ?? 0;
      if ((bits & HAS_OWN_TIMELINES) !== 0) this.#useOwnTimeline(position, product, now);
    }
    this.#stateAt = this.#firstStateAt.slice();
  }

  /** Why a position has no card at the first instant; null if it has one. */
  dropReasonAt(position: number, now: Instant): DropReason | null {
    if (this.#firstStateAt[position] === NO_TIMELINE) return 'not-published';
    const variant = this.#firstVariantAt[position] ?? 0;
    const reason = variant < 0 ? dropReasonOf(variant) : null;
    if (reason === 'bad-data' || this.#isBad(position)) return 'bad-data';
    return this.#isVisible(position, now) ? reason : 'not-visible';
  }

  /**
   * The instants in (now, until] at which cards may change, each with the positions concerned; both
   * ascending.
   */
  changesIn(now: Instant, until: Instant): readonly { readonly at: Instant; readonly positions: readonly number[] }[] {
    const { stateFroms } = this.#products;
    const positionsAt = new Map<number, number[]>();
    const add = (at: number, position: number): void => {
      if (at <= now || at > until) return;
      const positions = positionsAt.get(at);
      if (positions === undefined) positionsAt.set(at, [position]);
      else if (positions.at(-1) !== position) positions.push(position);
    };
    for (const [position, first] of this.#firstStateAt.entries()) {
      if (first === NO_TIMELINE) continue;
      if (this.#changesAt[position] === 1) {
        for (let state = first; hasNextState(stateFroms, state); state++) add(stateFroms[state + 1] ?? 0, position);
      }
      const visible = this.#front.products.visibleAt(position);
      if (visible === ALWAYS) continue;
      add(visible.from, position);
      add(visible.until, position);
    }
    return [...positionsAt].sort(([a], [b]) => a - b).map(([at, positions]) => ({ at: instantOf(at), positions }));
  }

  /** The first boundary of a position after the horizon; Infinity if it can have no card then. */
  nextBoundaryAt(position: number, until: Instant): number {
    const { stateFroms, stateVariants, nextBoundaries, nextAnnouncements } = this.#products;
    const state = stateAt(stateFroms, this.#firstStateAt[position] ?? NO_TIMELINE, until);
    if (state === NO_TIMELINE || this.#isBad(position)) return Infinity;
    const variant = stateVariants[state] ?? NO_VARIANT;
    // An offer that has ended never resumes, but others may be announced; a bad session no longer
    // matters when it is over.
    const isEnded = variant < 0 && dropReasonOf(variant) !== 'bad-data';
    const next = (isEnded ? nextAnnouncements : nextBoundaries)[this.#productAt[position] ?? 0] ?? Infinity;
    const visible = this.#front.products.visibleAt(position);
    if (visible.until <= until || (isEnded && next === Infinity)) return Infinity;
    if (visible.from > until) return visible.from;
    return isEnded ? next : Math.min(visible.until, next);
  }

  /** Advances a position to a later instant; returns whether the bytes of its card changed. */
  advance(position: number, at: Instant): boolean {
    if (this.#stateAt[position] === NO_TIMELINE) return false;
    const before = this.#variantAt[position] ?? NO_VARIANT;
    const variant = this.#isVisible(position, at) ? Math.max(NO_VARIANT, this.#variantIn(position, at)) : NO_VARIANT;
    this.#variantAt[position] = variant;
    return variant !== before && !this.#isSameCard(position, before, variant);
  }

  /** The variant that a position shows, or NO_VARIANT. */
  variantAt(position: number): number {
    return this.#variantAt[position] ?? NO_VARIANT;
  }

  /** The price that a position shows, in the units of `priceFrom`; NaN without one. */
  priceAt(position: number): number {
    return this.#products.variantPrices[this.#variantAt[position] ?? NO_VARIANT] ?? Number.NaN;
  }

  /** The prices of all cards that have one, by product id. */
  prices(): ReadonlyMap<number, number> {
    const prices = new Map<number, number>();
    for (let position = 0; position < this.length; position++) {
      const price = this.priceAt(position);
      if (!Number.isNaN(price)) prices.set(this.#front.products.idAt(position), price);
    }
    return prices;
  }

  /**
   * Whether two cards have the same facets of `wordCount` words each. A card and NO_VARIANT never
   * do.
   */
  haveSameFacets(before: number, after: number, wordCount: number): boolean {
    if (before === NO_VARIANT || after === NO_VARIANT) return before === after;
    const { variantFacets } = this.#products;
    for (let word = 0; word < wordCount; word++)
      if (variantFacets[before * wordCount + word] !== variantFacets[after * wordCount + word]) return false;
    return true;
  }

  /** Collects the facets of all cards shown into `bits`. */
  collectFacets(bits: Int32Array): void {
    const { variantFacets } = this.#products;
    const words = bits.length;
    bits.fill(0);
    for (const variant of this.#variantAt) {
      if (variant === NO_VARIANT) continue;
      for (let word = 0; word < words; word++)
        bits[word] = (bits[word] ?? 0) | (variantFacets[variant * words + word] ?? 0);
    }
  }

  lengthAt(position: number): number {
    const variant = this.#variantAt[position] ?? NO_VARIANT;
    if (variant === NO_VARIANT) return 0;
    return (
      this.#lengthOf(variant, VARIANT.head, this.#ownFlags(position, variant)) +
      this.#lengthOf(variant, VARIANT.tail, this.#ownGroups(position, variant))
    );
  }

  write(position: number, target: Uint8Array, at: number): void {
    const variant = this.#variantAt[position] ?? NO_VARIANT;
    const flags = this.#ownFlags(position, variant);
    this.#write(variant, VARIANT.head, flags, target, at);
    const tailAt = at + this.#lengthOf(variant, VARIANT.head, flags);
    this.#write(variant, VARIANT.tail, this.#ownGroups(position, variant), target, tailAt);
  }

  /** Writes a position's INGREDIENT_BYTES. */
  writeIngredient(position: number, target: Uint8Array, at: number): void {
    const variant = this.#variantAt[position] ?? NO_VARIANT;
    if (variant === NO_VARIANT) {
      target.fill(0, at, at + INGREDIENT_BYTES);
      return;
    }
    // Byte by byte: for so few bytes, creating a view would cost more than the copy.
    const { digests } = this.#products;
    const head = this.#part(variant, VARIANT.head + RUN.digest);
    const tail = this.#part(variant, VARIANT.tail + RUN.digest);
    for (let byte = 0; byte < RUN_DIGEST_BYTES; byte++) {
      target[at + byte] = digests[head + byte] ?? 0;
      target[at + RUN_DIGEST_BYTES + byte] = digests[tail + byte] ?? 0;
    }
    target[at + 2 * RUN_DIGEST_BYTES] = this.#front.products.flags[position] ?? 0;
  }

  #isVisible(position: number, at: Instant): boolean {
    return periodContains(this.#front.products.visibleAt(position), at) && !this.#isBad(position);
  }

  /** Whether an error in the front's own row leaves the product out. */
  #isBad(position: number): boolean {
    return this.#front.products.bad.has(position);
  }

  /** The variant or reason in a position's timeline at an instant. */
  #variantIn(position: number, at: Instant): number {
    if (this.#changesAt[position] === 0) return this.#firstVariantAt[position] ?? NO_VARIANT;
    const { stateFroms, stateVariants } = this.#products;
    const state = stateAt(stateFroms, this.#stateAt[position] ?? NO_TIMELINE, at);
    this.#stateAt[position] = state;
    return stateVariants[state] ?? NO_VARIANT;
  }

  /**
   * Replaces the profile's timeline of a product by the front's own, if the front excludes sessions
   * of it.
   */
  #useOwnTimeline(position: number, product: number, now: Instant): void {
    const { ownStarts, ownFronts, ownTimelines, stateFroms, stateVariants } = this.#products;
    for (let own = ownStarts[product] ?? 0; own < (ownStarts[product + 1] ?? 0); own++) {
      if (ownFronts[own] !== this.#frontNumber) continue;
      const state = stateAt(stateFroms, ownTimelines[own] ?? NO_TIMELINE, now);
      this.#firstStateAt[position] = state;
      this.#firstVariantAt[position] = stateVariants[state] ?? 0;
      this.#changesAt[position] = hasNextState(stateFroms, state) ? CHANGES : 0;
      return;
    }
  }

  #part(variant: number, part: number): number {
    return this.#products.variants[variant * VARIANT.width + part] ?? 0;
  }

  /** The bytes [from, until) of a variant's head or tail: `run` is VARIANT.head or VARIANT.tail. */
  #run(variant: number, run: number, from = 0, until = this.#part(variant, run + RUN.length)): Uint8Array {
    const block = this.#products.blocks[this.#part(variant, run + RUN.block)] ?? NO_BYTES;
    const start = this.#part(variant, run + RUN.start);
    return block.subarray(start + from, start + until);
  }

  /** The length of a run with its replaceable part replaced by `own`, unless that is null. */
  #lengthOf(variant: number, run: number, own: Uint8Array | null): number {
    const length = this.#part(variant, run + RUN.length);
    if (own === null) return length;
    return length - this.#part(variant, run + RUN.partUntil) + this.#part(variant, run + RUN.partFrom) + own.length;
  }

  /** Writes a run likewise. */
  #write(variant: number, run: number, own: Uint8Array | null, target: Uint8Array, at: number): void {
    if (own === null) {
      target.set(this.#run(variant, run), at);
      return;
    }
    const ownAt = at + this.#part(variant, run + RUN.partFrom);
    target.set(this.#run(variant, run, 0, ownAt - at), at);
    target.set(own, ownAt);
    target.set(this.#run(variant, run, this.#part(variant, run + RUN.partUntil)), ownAt + own.length);
  }

  /** The text of the flags if the front adds any that the variant does not have; else null. */
  #ownFlags(position: number, variant: number): Uint8Array | null {
    const own = this.#front.products.flags[position] ?? 0;
    const bits = this.#part(variant, VARIANT.bits);
    return (own | bits) === bits ? null : (FLAGS[own | bits] ?? NO_BYTES);
  }

  /**
   * The text of the groups if the front does not attach all of the product's, in its order; else
   * null.
   */
  #ownGroups(position: number, variant: number): Uint8Array | null {
    if (this.#hasAllGroupsAt[position] === 1) return null;
    return (this.#groupsAt[position] ??= this.#attachedGroups(position, variant));
  }

  /**
   * Whether two variants of one product give the same card here: the front's own flags may hide the
   * difference.
   */
  #isSameCard(position: number, before: number, after: number): boolean {
    const own = this.#front.products.flags[position] ?? 0;
    if (own === 0 || before === NO_VARIANT || after === NO_VARIANT) return false;
    if ((this.#part(before, VARIANT.bits) | own) !== (this.#part(after, VARIANT.bits) | own)) return false;
    // All variants of a product are the same up to the flags.
    const restOf = (variant: number): Uint8Array =>
      this.#run(variant, VARIANT.head, this.#part(variant, VARIANT.head + RUN.partUntil));
    return (
      areEqual(restOf(before), restOf(after)) &&
      areEqual(this.#run(before, VARIANT.tail), this.#run(after, VARIANT.tail))
    );
  }

  /** Whether the front attaches all these groups, in this order. */
  #attachesAll(groups: readonly number[]): boolean {
    const ranks = groups.map((group) => this.#rankOfGroup[group] ?? -1);
    return ranks.every((rank, i) => rank > (ranks[i - 1] ?? -1));
  }

  /**
   * `[…]` of the product's groups that the front attaches, in the front's order. It is the same for
   * all variants of a product.
   */
  #attachedGroups(position: number, variant: number): Uint8Array {
    const { groupStarts, groupMemberships } = this.#products;
    const product = this.#productAt[position] ?? 0;
    const runs: { readonly rank: number; readonly bytes: Uint8Array }[] = [];
    // After the opening bracket.
    let from = this.#part(variant, VARIANT.tail + RUN.partFrom) + 1;
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      const length = groupMemberships[row * 2 + 1] ?? 0;
      const rank = this.#rankOfGroup[groupMemberships[row * 2] ?? 0] ?? -1;
      if (rank >= 0) runs.push({ rank, bytes: this.#run(variant, VARIANT.tail, from, from + length) });
      from += length + 1;
    }
    if (runs.length === 0) return NO_GROUPS;
    runs.sort((a, b) => a.rank - b.rank);
    const groups = new Uint8Array(runs.reduce((sum, { bytes }) => sum + bytes.length + 1, 1));
    groups[0] = OPENING_BRACKET;
    let end = 1;
    for (const { bytes } of runs) {
      groups.set(bytes, end);
      end += bytes.length + 1;
      groups[end - 1] = COMMA;
    }
    groups[end - 1] = CLOSING_BRACKET;
    return groups;
  }
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
