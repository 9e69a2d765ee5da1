// One front's shelf while its editions are rendered: which face each place shows at an instant, with the front's own flags and its
// choice of groups. Places are numbers, in the shelf's order; what is known of each stands in columns.

import { ALWAYS, periodContains, type Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import type { DropReason } from '../catalogue/offer.ts';
import { flagsText } from './card.ts';
import type { PlacedCards } from './card-row.ts';
import type { PressedCatalogue } from './editions.ts';
import { dropReasonOf, FACE, NO_TIMELINE, PAUSED, PUSHKA, type PressedProducts } from './pressed.ts';

const NO_PRODUCT = -1;
const NO_FACE = -1;

// A face's bits are PUSHKA and PAUSED; a front may add these, and PAUSED.
const FEATURED = 4;
const BANNER = 8;

const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** The text of the flags, by their bits. */
const FLAGS = Array.from({ length: 16 }, (_, bits) =>
  new TextEncoder().encode(
    flagsText({
      isFeatured: (bits & FEATURED) !== 0,
      isBanner: (bits & BANNER) !== 0,
      isPushka: (bits & PUSHKA) !== 0,
      isPaused: (bits & PAUSED) !== 0,
    }),
  ),
);

const NO_BYTES = new Uint8Array(0);

export class ShelfCards implements PlacedCards {
  readonly #front: Front;
  readonly #products: PressedProducts;
  /** By position in the taxonomy: where the front prints a group; -1 where it does not attach it. */
  readonly #rankOfGroup: Int32Array;
  /** By place. */
  readonly #productAt: Int32Array;
  /** By place: the state of its timeline at the first instant, and the state in force. */
  readonly #firstStateAt: Int32Array;
  readonly #stateAt: Int32Array;
  readonly #faceAt: Int32Array;
  /** By place: the bits that the front adds. */
  readonly #ownBitsAt: Uint8Array;
  /** By place: whether the front attaches all groups of the product, in the product's order. */
  readonly #hasAllGroupsAt: Uint8Array;

  constructor(front: Front, classIndex: number, { products, productOf, taxonomy }: PressedCatalogue, now: Instant) {
    const places = front.shelf.length;
    this.#front = front;
    this.#products = products;
    this.#rankOfGroup = new Int32Array(taxonomy.groups.length).fill(-1);
    for (const [rank, group] of front.groups.entries()) this.#rankOfGroup[group] = rank;
    this.#productAt = new Int32Array(places).fill(NO_PRODUCT);
    this.#firstStateAt = new Int32Array(places).fill(NO_TIMELINE);
    this.#faceAt = new Int32Array(places).fill(NO_FACE);
    this.#ownBitsAt = new Uint8Array(places);
    this.#hasAllGroupsAt = new Uint8Array(places);
    for (const [place, entry] of front.shelf.entries()) {
      const product = productOf.get(entry.productId);
      if (product === undefined) continue;
      this.#productAt[place] = product;
      this.#firstStateAt[place] = this.#stateIn(this.#timelineOf(product, classIndex), now);
      this.#ownBitsAt[place] =
        (entry.isFeatured ? FEATURED : 0) | (entry.isBanner ? BANNER : 0) | (entry.isPaused ? PAUSED : 0);
      this.#hasAllGroupsAt[place] = this.#attachesAllGroups(product) ? 1 : 0;
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
    const face = this.#products.stateFaces[state] ?? NO_FACE;
    return face < 0 ? dropReasonOf(face) : null;
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
      for (let state = first + 1; (stateFroms[state] ?? Infinity) < Infinity; state++)
        add(stateFroms[state] ?? 0, place);
      const visible = this.#front.shelf[place]?.visible ?? ALWAYS;
      if (visible === ALWAYS) continue;
      add(visible.from, place);
      add(visible.until, place);
    }
    return [...placesAt].sort(([a], [b]) => a - b).map(([at, places]) => ({ at: instantOf(at), places }));
  }

  /** The first boundary of a place after the horizon. */
  nextBoundaryAt(place: number, until: Instant): number {
    if ((this.#firstStateAt[place] ?? NO_TIMELINE) === NO_TIMELINE) return Infinity;
    let next = this.#products.nextBoundaries[this.#productAt[place] ?? 0] ?? Infinity;
    const { from, until: to } = this.#front.shelf[place]?.visible ?? ALWAYS;
    if (from > until) next = Math.min(next, from);
    if (to > until) next = Math.min(next, to);
    return next;
  }

  /** Brings a place to an instant; whether the bytes of its card became others. Instants only go forward. */
  advance(place: number, at: Instant): boolean {
    const state = this.#stateIn(this.#stateAt[place] ?? NO_TIMELINE, at);
    if (state === NO_TIMELINE) return false;
    this.#stateAt[place] = state;
    const before = this.#faceAt[place] ?? NO_FACE;
    const face = this.#isVisible(place, at) ? Math.max(NO_FACE, this.#products.stateFaces[state] ?? NO_FACE) : NO_FACE;
    this.#faceAt[place] = face;
    return face !== before && !this.#isSameCard(place, before, face);
  }

  isShown(place: number): boolean {
    return (this.#faceAt[place] ?? NO_FACE) !== NO_FACE;
  }

  /** The facets of all cards shown, into `bits`. */
  collectFacets(bits: Int32Array): void {
    const { faceFacets } = this.#products;
    const words = bits.length;
    bits.fill(0);
    for (const face of this.#faceAt) {
      if (face === NO_FACE) continue;
      for (let word = 0; word < words; word++) bits[word] = (bits[word] ?? 0) | (faceFacets[face * words + word] ?? 0);
    }
  }

  lengthAt(place: number): number {
    const face = this.#faceAt[place] ?? NO_FACE;
    if (face === NO_FACE) return 0;
    const length = this.#part(face, FACE.length);
    const flags = this.#ownFlags(place, face);
    const flagsGrowth =
      flags === null ? 0 : flags.length - this.#part(face, FACE.flagsUntil) + this.#part(face, FACE.flagsFrom);
    if (this.#hasAllGroupsAt[place] === 1) return length + flagsGrowth;
    const groupsLength = this.#groupRuns(place, face).reduce((sum, run) => sum + run.length + 1, 1);
    return (
      length +
      flagsGrowth +
      Math.max(2, groupsLength) -
      this.#part(face, FACE.groupsUntil) +
      this.#part(face, FACE.groupsFrom)
    );
  }

  write(place: number, target: Uint8Array, at: number): void {
    const face = this.#faceAt[place] ?? NO_FACE;
    const flags = this.#ownFlags(place, face);
    const hasAllGroups = this.#hasAllGroupsAt[place] === 1;
    if (flags === null && hasAllGroups) {
      // Nearly every card: one copy.
      target.set(this.#run(face, 0, this.#part(face, FACE.length)), at);
      return;
    }
    let end = at;
    const put = (bytes: Uint8Array): void => {
      target.set(bytes, end);
      end += bytes.length;
    };
    put(this.#run(face, 0, this.#part(face, FACE.flagsFrom)));
    put(flags ?? this.#run(face, this.#part(face, FACE.flagsFrom), this.#part(face, FACE.flagsUntil)));
    put(this.#run(face, this.#part(face, FACE.flagsUntil), this.#part(face, FACE.groupsFrom)));
    if (hasAllGroups) put(this.#run(face, this.#part(face, FACE.groupsFrom), this.#part(face, FACE.groupsUntil)));
    else {
      target[end++] = OPENING_BRACKET;
      for (const [i, run] of this.#groupRuns(place, face).entries()) {
        if (i > 0) target[end++] = COMMA;
        put(run);
      }
      target[end++] = CLOSING_BRACKET;
    }
    put(this.#run(face, this.#part(face, FACE.groupsUntil), this.#part(face, FACE.length)));
  }

  #isVisible(place: number, at: Instant): boolean {
    const entry = this.#front.shelf[place];
    return entry !== undefined && periodContains(entry.visible, at);
  }

  /** The state in force at an instant, from one that is in force then or before. */
  #stateIn(state: number, at: Instant): number {
    if (state === NO_TIMELINE) return NO_TIMELINE;
    let inForce = state;
    while ((this.#products.stateFroms[inForce + 1] ?? Infinity) <= at) inForce += 1;
    return inForce;
  }

  /** The front's own timeline of a product where it excludes sessions of it, else its class's. */
  #timelineOf(product: number, classIndex: number): number {
    const { ids, timelines, ownStarts, ownFrontIds, ownTimelines } = this.#products;
    for (let own = ownStarts[product] ?? 0; own < (ownStarts[product + 1] ?? 0); own++) {
      if (ownFrontIds[own] === this.#front.id) return ownTimelines[own] ?? NO_TIMELINE;
    }
    const classCount = timelines.length / ids.length;
    return timelines[product * classCount + classIndex] ?? NO_TIMELINE;
  }

  #part(face: number, part: number): number {
    return this.#products.faces[face * FACE.width + part] ?? 0;
  }

  /** The bytes of a face from one position in it to another. */
  #run(face: number, from: number, until: number): Uint8Array {
    const block = this.#products.blocks[this.#part(face, FACE.block)] ?? NO_BYTES;
    const start = this.#part(face, FACE.start);
    return block.subarray(start + from, start + until);
  }

  /** The flags as the front has them, where the face's own are not these. */
  #ownFlags(place: number, face: number): Uint8Array | null {
    const own = this.#ownBitsAt[place] ?? 0;
    const bits = this.#part(face, FACE.bits);
    return (own | bits) === bits ? null : (FLAGS[own | bits] ?? NO_BYTES);
  }

  /** Whether two faces of one product make the same card here: the front's own flags may hide what tells them apart. */
  #isSameCard(place: number, before: number, after: number): boolean {
    const own = this.#ownBitsAt[place] ?? 0;
    if (own === 0 || before === NO_FACE || after === NO_FACE) return false;
    if ((this.#part(before, FACE.bits) | own) !== (this.#part(after, FACE.bits) | own)) return false;
    // Up to the flags, all faces of a product are the same.
    const a = this.#run(before, this.#part(before, FACE.flagsUntil), this.#part(before, FACE.length));
    const b = this.#run(after, this.#part(after, FACE.flagsUntil), this.#part(after, FACE.length));
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  }

  #attachesAllGroups(product: number): boolean {
    const { groupStarts, groupPlaces } = this.#products;
    let last = -1;
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      const rank = this.#rankOfGroup[groupPlaces[row * 2] ?? 0] ?? -1;
      if (rank <= last) return false;
      last = rank;
    }
    return true;
  }

  /** The bytes of those of a product's groups that the front attaches, in the front's order. */
  #groupRuns(place: number, face: number): Uint8Array[] {
    const { groupStarts, groupPlaces } = this.#products;
    const product = this.#productAt[place] ?? 0;
    const runs: { readonly rank: number; readonly bytes: Uint8Array }[] = [];
    // Behind the bracket.
    let from = this.#part(face, FACE.groupsFrom) + 1;
    for (let row = groupStarts[product] ?? 0; row < (groupStarts[product + 1] ?? 0); row++) {
      const length = groupPlaces[row * 2 + 1] ?? 0;
      const rank = this.#rankOfGroup[groupPlaces[row * 2] ?? 0] ?? -1;
      if (rank >= 0) runs.push({ rank, bytes: this.#run(face, from, from + length) });
      from += length + 1;
    }
    return runs.sort((a, b) => a.rank - b.rank).map(({ bytes }) => bytes);
  }
}
