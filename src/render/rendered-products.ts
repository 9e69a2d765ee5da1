// Rendered products: every variant of a product's card within the horizon, as bytes, and when each
// applies. Stored as columns (typed arrays, no object per product), so that they cost the garbage
// collector nothing.

import type { Boundaries } from '../catalogue/boundaries.ts';
import { DROP_REASONS, type DropReason } from '../catalogue/offer.ts';
import { Column } from '../catalogue/column.ts';

/**
 * Stands for a product without a timeline for a profile: no front of the profile shows it, or it is
 * not published.
 */
export const NO_TIMELINE = -1;

/**
 * The layout of a run: bytes of which a front may replace one part. The block that holds it, and
 * its start there; its length; the range of the replaceable part, relative to the start; the
 * position of its digest in `digests`.
 */
export const RUN = { block: 0, start: 1, length: 2, partFrom: 3, partUntil: 4, digest: 5, width: 6 } as const;

/**
 * The layout of a variant in `variants`: its head, a run with the flags; its tail, a run with the
 * groups; its FLAG bits, pushka and paused. Variants of a product often share a head, which is most
 * of a card.
 */
export const VARIANT = { head: 0, tail: RUN.width, bits: 2 * RUN.width, width: 2 * RUN.width + 1 } as const;

/**
 * The columns. A product has a timeline per front profile that lists it. A timeline is a sequence of states, each
 * from an instant on, and ends with a state from Infinity. A state is a variant, or the reason why
 * there is no card. A variant consists of two runs of bytes (card.ts).
 */
export interface RenderedProducts {
  /** By product: ids. */
  readonly ids: Float64Array;
  /** By product: its first boundary after the horizon; Infinity if there is none. */
  readonly nextBoundaries: Float64Array;
  /** By product: the first instant after the horizon at which a session is announced, or Infinity. */
  readonly nextAnnouncements: Float64Array;
  /** By profile: the timelines of the products that its fronts list. */
  readonly timelines: readonly ProfileTimelines[];
  /**
   * By product, plus an end: where its rows in `ownFronts` and `ownTimelines` begin, one per
   * front that has terms of its own for it.
   */
  readonly ownStarts: Int32Array;
  readonly ownFronts: Int32Array;
  readonly ownTimelines: Int32Array;
  /** By product, plus an end: where its pairs in `groupMemberships` begin. */
  readonly groupStarts: Int32Array;
  /**
   * By product and group, in the order of the taxonomy: the group's position there, and the length
   * of its bytes in every variant.
   */
  readonly groupMemberships: Int32Array;
  /** By state. */
  readonly stateFroms: Float64Array;
  /** By state: a variant, or -1 minus the index of a DropReason. */
  readonly stateVariants: Int32Array;
  /** By variant: VARIANT.width numbers. */
  readonly variants: Int32Array;
  /** By variant: its price in the units of `priceFrom`; NaN without one. */
  readonly variantPrices: Float64Array;
  /** By variant: its facets (facets.ts), as 32-bit words. */
  readonly variantFacets: Int32Array;
  /** The bytes of the variants. */
  readonly blocks: readonly Uint8Array[];
  /** RUN_DIGEST_BYTES for each run, the same in every build. */
  readonly digests: Uint8Array;
}

/** By product of which a profile has a timeline. */
export interface ProfileTimelines {
  readonly products: Int32Array;
  /** The first state of the timeline. */
  readonly firstStates: Int32Array;
}

/** Digests of runs are truncated to this length. */
export const RUN_DIGEST_BYTES = 16;

/** SHA-256, passed in because the language itself does not have it. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;

/** The reason of a state without a variant. */
export function dropReasonOf(stateVariant: number): DropReason {
  const reason = DROP_REASONS[-1 - stateVariant];
  if (reason === undefined) throw new Error(`state ${stateVariant} has a variant`);
  return reason;
}

/** The inverse of dropReasonOf. */
export function stateOfReason(reason: DropReason): number {
  return -1 - DROP_REASONS.indexOf(reason);
}

/** A run in the layout of RUN. */
export type Run = readonly [
  block: number,
  start: number,
  length: number,
  partFrom: number,
  partUntil: number,
  digest: number,
];

/**
 * Blocks have this size, so that positions stay far below 2^31; a larger run gets a block of its
 * own.
 */
const BLOCK_BYTES = 1 << 22;

export class RenderedProductsBuilder {
  readonly #ids = new Column(Float64Array);
  readonly #nextBoundaries = new Column(Float64Array);
  readonly #nextAnnouncements = new Column(Float64Array);
  /** By profile. */
  readonly #timelines: readonly { readonly products: Column<Int32Array>; readonly firstStates: Column<Int32Array> }[];
  readonly #ownStarts = new Column(Int32Array);
  readonly #ownFronts = new Column(Int32Array);
  readonly #ownTimelines = new Column(Int32Array);
  readonly #groupStarts = new Column(Int32Array);
  readonly #groupMemberships = new Column(Int32Array);
  readonly #stateFroms = new Column(Float64Array);
  readonly #stateVariants = new Column(Int32Array);
  readonly #variants = new Column(Int32Array);
  readonly #variantPrices = new Column(Float64Array);
  readonly #variantFacets = new Column(Int32Array);
  readonly #blocks: Uint8Array[] = [];
  readonly #digests = new Column(Uint8Array);
  readonly #sha256: Sha256;
  readonly #encoder = new TextEncoder();
  /** The last block, and how much of it is used. */
  #block = new Uint8Array(0);
  #used = 0;

  constructor(sha256: Sha256, profileCount: number) {
    this.#sha256 = sha256;
    this.#timelines = Array.from({ length: profileCount }, () => ({
      products: new Column(Int32Array),
      firstStates: new Column(Int32Array),
    }));
    this.#ownStarts.push(0);
    this.#groupStarts.push(0);
  }

  /** Adds a run; `partFrom` and `partLength` are in bytes. */
  run(text: string, partFrom: number, partLength: number): Run {
    // A UTF-16 code unit takes at most three bytes of UTF-8.
    if (this.#used + text.length * 3 > this.#block.length) {
      this.#block = new Uint8Array(Math.max(BLOCK_BYTES, text.length * 3));
      this.#blocks.push(this.#block);
      this.#used = 0;
    }
    const start = this.#used;
    const { written } = this.#encoder.encodeInto(text, this.#block.subarray(start));
    this.#used += written;
    const digest = this.#digests.length;
    this.#digests.append(this.#sha256(this.#block.subarray(start, this.#used)).subarray(0, RUN_DIGEST_BYTES));
    return [this.#blocks.length - 1, start, written, partFrom, partFrom + partLength, digest];
  }

  /** Adds a variant and returns its number; `price` is NaN without one. */
  variant(head: Run, tail: Run, bits: number, price: number, facets: Int32Array): number {
    for (const number of [...head, ...tail, bits]) this.#variants.push(number);
    this.#variantPrices.push(price);
    for (const word of facets) this.#variantFacets.push(word);
    return this.#variants.length / VARIANT.width - 1;
  }

  /** Adds a timeline of at least one state and returns the number of the first. */
  timeline(states: readonly { readonly from: number; readonly variant: number }[]): number {
    const first = this.#stateFroms.length;
    for (const { from, variant } of [...states, END_OF_TIMELINE]) {
      this.#stateFroms.push(from);
      this.#stateVariants.push(variant);
    }
    return first;
  }

  /**
   * Adds a product with the numbers of its timelines: by profile that lists it, and by the front's number for
   * fronts that have their own.
   */
  product(
    id: number,
    { next, nextAnnounced }: Pick<Boundaries, 'next' | 'nextAnnounced'>,
    timelines: ReadonlyMap<number, number>,
    own: ReadonlyMap<number, number>,
    groups: readonly { readonly group: number; readonly length: number }[],
  ): void {
    this.#ids.push(id);
    this.#nextBoundaries.push(next);
    this.#nextAnnouncements.push(nextAnnounced);
    for (const [profile, timeline] of timelines) {
      this.#timelines[profile]?.products.push(this.#ids.length - 1);
      this.#timelines[profile]?.firstStates.push(timeline);
    }
    for (const [front, timeline] of own) {
      this.#ownFronts.push(front);
      this.#ownTimelines.push(timeline);
    }
    this.#ownStarts.push(this.#ownFronts.length);
    for (const { group, length } of groups) {
      this.#groupMemberships.push(group);
      this.#groupMemberships.push(length);
    }
    this.#groupStarts.push(this.#groupMemberships.length / 2);
  }

  products(): RenderedProducts {
    return {
      ids: this.#ids.values,
      nextBoundaries: this.#nextBoundaries.values,
      nextAnnouncements: this.#nextAnnouncements.values,
      timelines: this.#timelines.map(({ products, firstStates }) => ({
        products: products.values,
        firstStates: firstStates.values,
      })),
      ownStarts: this.#ownStarts.values,
      ownFronts: this.#ownFronts.values,
      ownTimelines: this.#ownTimelines.values,
      groupStarts: this.#groupStarts.values,
      groupMemberships: this.#groupMemberships.values,
      stateFroms: this.#stateFroms.values,
      stateVariants: this.#stateVariants.values,
      variants: this.#variants.values,
      variantPrices: this.#variantPrices.values,
      variantFacets: this.#variantFacets.values,
      blocks: this.#blocks,
      digests: this.#digests.values,
    };
  }
}

const END_OF_TIMELINE = { from: Number.POSITIVE_INFINITY, variant: NO_TIMELINE };
