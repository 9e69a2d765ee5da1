// One front's shelf while its editions are rendered: which variant each place shows at an instant, with the front's own flags and its
// choice of groups. Places are numbers, in the shelf's order; what is known of each stands in columns.

import type { Front } from '../catalogue/front.ts';
import { ALWAYS, periodContains } from '../catalogue/period.ts';
import { FLAG } from '../catalogue/front-products.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { DropReason } from '../catalogue/offer.ts';
import { flagsText } from './card.ts';
import type { CardSource } from './document-buffer.ts';
import type { RenderedCatalogue } from './rendered-catalogue.ts';
import {
  GROUP_LIST_SHIFT,
  HAS_OWN_TIMELINES,
  MOVES,
  moves,
  NO_PRODUCT,
  START,
  stateInForce,
} from './initial-states.ts';
import { dropReasonOf, VARIANT, NO_TIMELINE, type RenderedProducts } from './rendered-products.ts';

const NO_VARIANT = -1;

const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** The text of the flags, by their bits. */
const FLAGS = Array.from({ length: 16 }, (_, bits) =>
  new TextEncoder().encode(
    flagsText({
      isFeatured: (bits & FLAG.featured) !== 0,
      isBanner: (bits & FLAG.banner) !== 0,
      isPushka: (bits & FLAG.pushka) !== 0,
      isPaused: (bits & FLAG.paused) !== 0,
    }),
  ),
);

const NO_BYTES = new Uint8Array(0);
const NO_GROUPS = Uint8Array.of(OPENING_BRACKET, CLOSING_BRACKET);

export class FrontCards implements CardSource {
  readonly #front: Front;
  readonly #products: RenderedProducts;
  /** By position in the taxonomy: where the front prints a group; -1 where it does not attach it. */
  readonly #rankOfGroup: Int32Array;
  /** By place: the product's number among the rendered ones, or NO_PRODUCT. */
  readonly #productAt: Int32Array;
  /** By place: the state of its timeline at the first instant, that state's variant or reason, and whether others follow. */
  readonly #firstStateAt: Int32Array;
  readonly #firstVariantAt: Int32Array;
  readonly #movesAt: Uint8Array;
  /** By place: the state in force, and the variant that is shown. */
  readonly #stateAt: Int32Array;
  readonly #variantAt: Int32Array;
  /** By place: whether the front attaches all groups of the product, in the product's order. */
  readonly #hasAllGroupsAt: Uint8Array;
  /** By place, where it does not: what it shows of them, once that is known. */
  readonly #groupsAt: (Uint8Array | undefined)[] = [];

  constructor(front: Front, profileIndex: number, { products, starts, taxonomy }: RenderedCatalogue, now: Instant) {
    const { places, numbers } = front.shelf;
    this.#front = front;
    this.#products = products;
    this.#rankOfGroup = new Int32Array(taxonomy.groups.length).fill(-1);
    for (const [rank, group] of front.groups.entries()) this.#rankOfGroup[group] = rank;
    this.#productAt = new Int32Array(places);
    this.#firstStateAt = new Int32Array(places);
    this.#firstVariantAt = new Int32Array(places);
    this.#movesAt = new Uint8Array(places);
    this.#variantAt = new Int32Array(places).fill(NO_VARIANT);
    this.#hasAllGroupsAt = new Uint8Array(places);
    const attachesAll = Uint8Array.from(starts.groupLists, (list) => (this.#attachesAll(list) ? 1 : 0));
    const ofProfile = starts.of(profileIndex);
    for (let place = 0; place < places; place++) {
      const at = (numbers[place] ?? 0) * START.width;
      const product = ofProfile[at + START.product] ?? NO_PRODUCT;
      const rest = ofProfile[at + START.rest] ?? 0;
      this.#productAt[place] = product;
      this.#firstStateAt[place] = ofProfile[at + START.state] ?? NO_TIMELINE;
      this.#firstVariantAt[place] = ofProfile[at + START.variant] ?? 0;
      this.#movesAt[place] = rest & MOVES;
      this.#hasAllGroupsAt[place] = attachesAll[rest >> GROUP_LIST_SHIFT] ?? 0;
      if ((rest & HAS_OWN_TIMELINES) !== 0) this.#takeOwnTimeline(place, product, now);
    }
    this.#stateAt = this.#firstStateAt.slice();
  }

  get places(): number {
    return this.#productAt.length;
  }

  /** Why a place shows nothing at the first instant; null where it shows a card. */
  dropReasonAt(place: number, now: Instant): DropReason | null {
    const state = this.#firstStateAt[place] ?? NO_TIMELINE;
    if (state === NO_TIMELINE) return 'not-published';
    if (!this.#isVisible(place, now)) return 'not-visible';
    const variant = this.#firstVariantAt[place] ?? 0;
    return variant < 0 ? dropReasonOf(variant) : null;
  }

  /** The instants in (now, until] at which places may change, by time, with those places, ascending: by their states, and by their own periods on the front. */
  changesIn(now: Instant, until: Instant): readonly { readonly at: Instant; readonly places: readonly number[] }[] {
    const { stateFroms } = this.#products;
    const placesAt = new Map<number, number[]>();
    const add = (at: number, place: number): void => {
      if (at <= now || at > until) return;
      const places = placesAt.get(at);
      if (places === undefined) placesAt.set(at, [place]);
      else if (places.at(-1) !== place) places.push(place);
    };
    for (const [place, first] of this.#firstStateAt.entries()) {
      if (first === NO_TIMELINE) continue;
      if (this.#movesAt[place] === 1) {
        for (let state = first + 1; (stateFroms[state] ?? Infinity) < Infinity; state++)
          add(stateFroms[state] ?? 0, place);
      }
      const visible = this.#front.shelf.visibleAt(place);
      if (visible === ALWAYS) continue;
      add(visible.from, place);
      add(visible.until, place);
    }
    return [...placesAt].sort(([a], [b]) => a - b).map(([at, places]) => ({ at: instantOf(at), places }));
  }

  /** The first boundary of a place after the horizon; Infinity where nothing of it is, or will be, offered or visible any more. */
  nextBoundaryAt(place: number, until: Instant): number {
    const first = this.#firstStateAt[place] ?? NO_TIMELINE;
    const { stateFroms, stateVariants, nextBoundaries } = this.#products;
    // Offers only end: a place without a variant gets none later.
    if (first === NO_TIMELINE || (stateVariants[stateInForce(stateFroms, first, until)] ?? NO_VARIANT) < 0)
      return Infinity;
    const { from, until: to } = this.#front.shelf.visibleAt(place);
    if (to <= until) return Infinity;
    return from > until ? from : Math.min(to, nextBoundaries[this.#productAt[place] ?? 0] ?? Infinity);
  }

  /** Brings a place to an instant; whether the bytes of its card became others. Instants only go forward. */
  advance(place: number, at: Instant): boolean {
    if (this.#stateAt[place] === NO_TIMELINE) return false;
    const before = this.#variantAt[place] ?? NO_VARIANT;
    const variant = this.#isVisible(place, at) ? Math.max(NO_VARIANT, this.#variantIn(place, at)) : NO_VARIANT;
    this.#variantAt[place] = variant;
    return variant !== before && !this.#isSameCard(place, before, variant);
  }

  isShown(place: number): boolean {
    return (this.#variantAt[place] ?? NO_VARIANT) !== NO_VARIANT;
  }

  /** The facets of all cards shown, into `bits`. */
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

  lengthAt(place: number): number {
    const variant = this.#variantAt[place] ?? NO_VARIANT;
    if (variant === NO_VARIANT) return 0;
    const flags = this.#ownFlags(place, variant);
    const groups = this.#ownGroups(place, variant);
    const gap = (from: number, until: number): number => this.#part(variant, until) - this.#part(variant, from);
    return (
      this.#part(variant, VARIANT.length) +
      (flags === null ? 0 : flags.length - gap(VARIANT.flagsFrom, VARIANT.flagsUntil)) +
      (groups === null ? 0 : groups.length - gap(VARIANT.groupsFrom, VARIANT.groupsUntil))
    );
  }

  write(place: number, target: Uint8Array, at: number): void {
    const variant = this.#variantAt[place] ?? NO_VARIANT;
    const flags = this.#ownFlags(place, variant);
    const groups = this.#ownGroups(place, variant);
    // Nearly every card has neither: one copy.
    let from = 0;
    let end = at;
    if (flags !== null) {
      const until = this.#part(variant, VARIANT.flagsFrom);
      target.set(this.#run(variant, from, until), end);
      target.set(flags, end + until - from);
      end += until - from + flags.length;
      from = this.#part(variant, VARIANT.flagsUntil);
    }
    if (groups !== null) {
      const until = this.#part(variant, VARIANT.groupsFrom);
      target.set(this.#run(variant, from, until), end);
      target.set(groups, end + until - from);
      end += until - from + groups.length;
      from = this.#part(variant, VARIANT.groupsUntil);
    }
    target.set(this.#run(variant, from, this.#part(variant, VARIANT.length)), end);
  }

  #isVisible(place: number, at: Instant): boolean {
    return periodContains(this.#front.shelf.visibleAt(place), at);
  }

  /** The variant or reason that a place's timeline has at an instant. */
  #variantIn(place: number, at: Instant): number {
    if (this.#movesAt[place] === 0) return this.#firstVariantAt[place] ?? NO_VARIANT;
    const { stateFroms, stateVariants } = this.#products;
    const state = stateInForce(stateFroms, this.#stateAt[place] ?? NO_TIMELINE, at);
    this.#stateAt[place] = state;
    return stateVariants[state] ?? NO_VARIANT;
  }

  /** The front's own timeline of a product instead of its profile's, where it excludes sessions of it. */
  #takeOwnTimeline(place: number, product: number, now: Instant): void {
    const { ownStarts, ownFrontIds, ownTimelines, stateFroms, stateVariants } = this.#products;
    for (let own = ownStarts[product] ?? 0; own < (ownStarts[product + 1] ?? 0); own++) {
      if (ownFrontIds[own] !== this.#front.id) continue;
      const state = stateInForce(stateFroms, ownTimelines[own] ?? NO_TIMELINE, now);
      this.#firstStateAt[place] = state;
      this.#firstVariantAt[place] = stateVariants[state] ?? 0;
      this.#movesAt[place] = moves(stateFroms, state) ? MOVES : 0;
      return;
    }
  }

  #part(variant: number, part: number): number {
    return this.#products.variants[variant * VARIANT.width + part] ?? 0;
  }

  /** The bytes of a variant from one position in it to another. */
  #run(variant: number, from: number, until: number): Uint8Array {
    const block = this.#products.blocks[this.#part(variant, VARIANT.block)] ?? NO_BYTES;
    const start = this.#part(variant, VARIANT.start);
    return block.subarray(start + from, start + until);
  }

  /** The flags as the front has them, where the variant's own are not these. */
  #ownFlags(place: number, variant: number): Uint8Array | null {
    const own = this.#front.shelf.flags[place] ?? 0;
    const bits = this.#part(variant, VARIANT.bits);
    return (own | bits) === bits ? null : (FLAGS[own | bits] ?? NO_BYTES);
  }

  /** The groups as the front has them, where those of the product's own cards are not these. */
  #ownGroups(place: number, variant: number): Uint8Array | null {
    if (this.#hasAllGroupsAt[place] === 1) return null;
    return (this.#groupsAt[place] ??= this.#attachedGroups(place, variant));
  }

  /** Whether two variants of one product make the same card here: the front's own flags may hide what tells them apart. */
  #isSameCard(place: number, before: number, after: number): boolean {
    const own = this.#front.shelf.flags[place] ?? 0;
    if (own === 0 || before === NO_VARIANT || after === NO_VARIANT) return false;
    if ((this.#part(before, VARIANT.bits) | own) !== (this.#part(after, VARIANT.bits) | own)) return false;
    // Up to the flags, all variants of a product are the same.
    const a = this.#run(before, this.#part(before, VARIANT.flagsUntil), this.#part(before, VARIANT.length));
    const b = this.#run(after, this.#part(after, VARIANT.flagsUntil), this.#part(after, VARIANT.length));
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  }

  /** Whether the front attaches all these groups, in this order. */
  #attachesAll(groups: readonly number[]): boolean {
    let last = -1;
    for (const group of groups) {
      const rank = this.#rankOfGroup[group] ?? -1;
      if (rank <= last) return false;
      last = rank;
    }
    return true;
  }

  /** `[…]` of those of a product's groups that the front attaches, in the front's order. All variants of a product have the same groups. */
  #attachedGroups(place: number, variant: number): Uint8Array {
    const { groupStarts, groupPlaces } = this.#products;
    const product = this.#productAt[place] ?? 0;
    const runs: { readonly rank: number; readonly bytes: Uint8Array }[] = [];
    // Behind the bracket.
    let from = this.#part(variant, VARIANT.groupsFrom) + 1;
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      const length = groupPlaces[row * 2 + 1] ?? 0;
      const rank = this.#rankOfGroup[groupPlaces[row * 2] ?? 0] ?? -1;
      if (rank >= 0) runs.push({ rank, bytes: this.#run(variant, from, from + length) });
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
