// Rendered products: every look that a product's card has within the horizon, as bytes, and when it has which. Kept as columns
// (typed arrays, no object per product), so that they cost the collector nothing.

import type { DropReason } from '../catalogue/offer.ts';
import { DROP_REASONS } from '../catalogue/offer.ts';

/** Where a product has no timeline for a profile: no front of the profile shows it, or it is not published. */
export const NO_TIMELINE = -1;

/**
 * What a variant's numbers are, in their order in `variants`: the block that its bytes are in and where they begin there; where in it the
 * flags and the groups stand, from its first byte; its length; its bits of FLAG (catalogue/front-products.ts), pushka and paused.
 */
export const VARIANT = {
  block: 0,
  start: 1,
  flagsFrom: 2,
  flagsUntil: 3,
  groupsFrom: 4,
  groupsUntil: 5,
  length: 6,
  bits: 7,
  width: 8,
} as const;

/**
 * The columns. A product has a timeline per front profile; a timeline is a run of states, each from an instant on, and ends with a
 * state from Infinity. A state is a variant, or the reason why there is no card. A variant is a run of bytes (card.ts).
 */
export interface RenderedProducts {
  /** By product: ids, ascending. */
  readonly ids: Float64Array;
  /** By product: its first boundary after the horizon; Infinity where there is none. */
  readonly nextBoundaries: Float64Array;
  /** By product and profile: the first state of the timeline, or NO_TIMELINE. */
  readonly timelines: Int32Array;
  /** By product, and one more: where its rows in `ownFrontIds` and `ownTimelines` begin: fronts that exclude sessions of it. */
  readonly ownStarts: Int32Array;
  readonly ownFrontIds: Float64Array;
  readonly ownTimelines: Int32Array;
  /** By product, and one more: where its rows in `groupPlaces` begin; by taxonomy position. */
  readonly groupStarts: Int32Array;
  /** By product and group: the group's position in the taxonomy, and the length of its bytes in every variant. */
  readonly groupPlaces: Int32Array;
  /** By state. */
  readonly stateFroms: Float64Array;
  /** By state: a variant, or -1 - the position of a DropReason. */
  readonly stateVariants: Int32Array;
  /** By variant: VARIANT.width numbers. */
  readonly variants: Int32Array;
  /** By variant: the facets that it reaches (facets.ts), as words of bits. */
  readonly variantFacets: Int32Array;
  /** The bytes of the variants. */
  readonly blocks: readonly Uint8Array[];
}

/** The reason of a state without a variant. */
export function dropReasonOf(stateVariant: number): DropReason {
  const reason = DROP_REASONS[-1 - stateVariant];
  if (reason === undefined) throw new Error(`state ${stateVariant} has a variant`);
  return reason;
}

/** What a state without a variant is written as. */
export function stateOfReason(reason: DropReason): number {
  return -1 - DROP_REASONS.indexOf(reason);
}

/** One variant as it is rendered: positions and lengths in bytes. */
export interface VariantParts {
  readonly flagsFrom: number;
  readonly flagsUntil: number;
  readonly groupsLength: number;
  /** From behind the groups on. */
  readonly restLength: number;
  readonly bits: number;
}

/** Variants lie in blocks of this size, so that no position in one comes near the end of 32 bits; one that is larger has its own. */
const BLOCK_BYTES = 1 << 22;

/** Collects rendered products, by ascending id. */
export class RenderedProductsBuilder {
  readonly #ids: number[] = [];
  readonly #nextBoundaries: number[] = [];
  readonly #timelines: number[] = [];
  readonly #ownStarts: number[] = [0];
  readonly #ownFrontIds: number[] = [];
  readonly #ownTimelines: number[] = [];
  readonly #groupStarts: number[] = [0];
  readonly #groupPlaces: number[] = [];
  readonly #stateFroms: number[] = [];
  readonly #stateVariants: number[] = [];
  readonly #variants: number[] = [];
  readonly #variantFacets: number[] = [];
  readonly #blocks: Uint8Array[] = [];
  readonly #encoder = new TextEncoder();
  /** The last block, and how much of it is used. */
  #block = new Uint8Array(0);
  #used = 0;

  /** A variant, from its text; gives its number. */
  variant(text: string, parts: VariantParts, facets: Int32Array): number {
    // Three bytes are the most that one UTF-16 unit can take.
    if (this.#used + text.length * 3 > this.#block.length) {
      this.#block = new Uint8Array(Math.max(BLOCK_BYTES, text.length * 3));
      this.#blocks.push(this.#block);
      this.#used = 0;
    }
    const { written } = this.#encoder.encodeInto(text, this.#block.subarray(this.#used));
    const { flagsFrom, flagsUntil, groupsLength, restLength, bits } = parts;
    const groupsUntil = written - restLength;
    const groupsFrom = groupsUntil - groupsLength;
    this.#variants.push(
      this.#blocks.length - 1,
      this.#used,
      flagsFrom,
      flagsUntil,
      groupsFrom,
      groupsUntil,
      written,
      bits,
    );
    for (const word of facets) this.#variantFacets.push(word);
    this.#used += written;
    return this.#variants.length / VARIANT.width - 1;
  }

  /** A timeline from its states, at least one; gives the number of the first. */
  timeline(states: readonly { readonly from: number; readonly variant: number }[]): number {
    const first = this.#stateFroms.length;
    for (const { from, variant } of states) {
      this.#stateFroms.push(from);
      this.#stateVariants.push(variant);
    }
    this.#stateFroms.push(Number.POSITIVE_INFINITY);
    this.#stateVariants.push(NO_TIMELINE);
    return first;
  }

  /** A product whose timelines have been added: by profile, and by the ids of fronts that have their own. */
  product(
    id: number,
    nextBoundary: number,
    timelines: readonly number[],
    own: ReadonlyMap<number, number>,
    groups: readonly { readonly group: number; readonly length: number }[],
  ): void {
    this.#ids.push(id);
    this.#nextBoundaries.push(nextBoundary);
    this.#timelines.push(...timelines);
    for (const [frontId, timeline] of own) {
      this.#ownFrontIds.push(frontId);
      this.#ownTimelines.push(timeline);
    }
    this.#ownStarts.push(this.#ownFrontIds.length);
    for (const { group, length } of groups) this.#groupPlaces.push(group, length);
    this.#groupStarts.push(this.#groupPlaces.length / 2);
  }

  /** All that was added. */
  products(): RenderedProducts {
    return {
      ids: Float64Array.from(this.#ids),
      nextBoundaries: Float64Array.from(this.#nextBoundaries),
      timelines: Int32Array.from(this.#timelines),
      ownStarts: Int32Array.from(this.#ownStarts),
      ownFrontIds: Float64Array.from(this.#ownFrontIds),
      ownTimelines: Int32Array.from(this.#ownTimelines),
      groupStarts: Int32Array.from(this.#groupStarts),
      groupPlaces: Int32Array.from(this.#groupPlaces),
      stateFroms: Float64Array.from(this.#stateFroms),
      stateVariants: Int32Array.from(this.#stateVariants),
      variants: Int32Array.from(this.#variants),
      variantFacets: Int32Array.from(this.#variantFacets),
      blocks: this.#blocks,
    };
  }
}
