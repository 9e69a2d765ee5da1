// Pressed products: every look that a product's card has within the horizon, as bytes, and when it has which. Kept as columns
// (typed arrays, no object per product), so that they cost the collector nothing, and go to another thread or into a file as they are.

import type { DropReason } from '../catalogue/offer.ts';
import { DROP_REASONS } from '../catalogue/offer.ts';

/** Where a product has no timeline for a class: no front of the class shows it, or it is not published. */
export const NO_TIMELINE = -1;

/** What a face's numbers are, in their order in `faceParts`; positions are relative to the face's first byte. */
export const FACE = {
  flagsFrom: 0,
  flagsUntil: 1,
  groupsFrom: 2,
  groupsUntil: 3,
  length: 4,
  bits: 5,
  width: 6,
} as const;

/** A face's bits. */
export const PUSHKA = 1;
export const PAUSED = 2;

/**
 * The columns. A product has a timeline per class of fronts; a timeline is a run of states, each from an instant on, and ends with a
 * state from Infinity. A state is a face, or the reason why there is no card. A face is a run of bytes (card.ts).
 */
export interface PressedProducts {
  /** By product: ids, ascending. */
  readonly ids: Float64Array<ArrayBuffer>;
  /** By product: its first boundary after the horizon; Infinity where there is none. */
  readonly nextBoundaries: Float64Array<ArrayBuffer>;
  /** By product and class: the first state of the timeline, or NO_TIMELINE. */
  readonly timelines: Int32Array<ArrayBuffer>;
  /** By product, and one more: where its rows in `ownFrontIds` and `ownTimelines` begin: fronts that exclude sessions of it. */
  readonly ownStarts: Int32Array<ArrayBuffer>;
  readonly ownFrontIds: Float64Array<ArrayBuffer>;
  readonly ownTimelines: Int32Array<ArrayBuffer>;
  /** By product, and one more: where its rows in `groupPlaces` begin; by taxonomy position. */
  readonly groupStarts: Int32Array<ArrayBuffer>;
  /** By product and group: the group's position in the taxonomy, and the length of its bytes in every face. */
  readonly groupPlaces: Int32Array<ArrayBuffer>;
  /** By state. */
  readonly stateFroms: Float64Array<ArrayBuffer>;
  /** By state: a face, or -1 - the position of a DropReason. */
  readonly stateFaces: Int32Array<ArrayBuffer>;
  /** By face: where its bytes begin. */
  readonly faceStarts: Float64Array<ArrayBuffer>;
  /** By face: FACE.width numbers. */
  readonly faceParts: Int32Array<ArrayBuffer>;
  /** By face: the facets that it reaches (facets.ts), as words of bits. */
  readonly faceFacets: Int32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The reason of a state without a face. */
export function dropReasonOf(stateFace: number): DropReason {
  const reason = DROP_REASONS[-1 - stateFace];
  if (reason === undefined) throw new Error(`state ${stateFace} has a face`);
  return reason;
}

/** What a state without a face is written as. */
export function stateOfReason(reason: DropReason): number {
  return -1 - DROP_REASONS.indexOf(reason);
}

/** One face as it is pressed. */
export interface FaceParts {
  readonly flagsFrom: number;
  readonly flagsUntil: number;
  readonly groupsFrom: number;
  readonly groupsUntil: number;
  readonly bits: number;
}

const FIRST_BYTES = 1 << 18;

/** Collects pressed products of a range, by ascending id. */
export class PressedBuilder {
  readonly #ids: number[] = [];
  readonly #nextBoundaries: number[] = [];
  readonly #timelines: number[] = [];
  readonly #ownStarts: number[] = [0];
  readonly #ownFrontIds: number[] = [];
  readonly #ownTimelines: number[] = [];
  readonly #groupStarts: number[] = [0];
  readonly #groupPlaces: number[] = [];
  readonly #stateFroms: number[] = [];
  readonly #stateFaces: number[] = [];
  readonly #faceStarts: number[] = [];
  readonly #faceParts: number[] = [];
  readonly #faceFacets: number[] = [];
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;

  /** A face, from its text; gives its number. */
  face(text: string, parts: FaceParts, facets: Int32Array): number {
    // Three bytes are the most that one UTF-16 unit can take.
    if (this.#used + text.length * 3 > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + text.length * 3));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    const { written } = this.#encoder.encodeInto(text, this.#bytes.subarray(this.#used));
    this.#faceStarts.push(this.#used);
    this.#faceParts.push(parts.flagsFrom, parts.flagsUntil, parts.groupsFrom, parts.groupsUntil, written, parts.bits);
    for (const word of facets) this.#faceFacets.push(word);
    this.#used += written;
    return this.#faceStarts.length - 1;
  }

  /** A timeline from its states, at least one; gives the number of the first. */
  timeline(states: readonly { readonly from: number; readonly face: number }[]): number {
    const first = this.#stateFroms.length;
    for (const { from, face } of states) {
      this.#stateFroms.push(from);
      this.#stateFaces.push(face);
    }
    this.#stateFroms.push(Number.POSITIVE_INFINITY);
    this.#stateFaces.push(NO_TIMELINE);
    return first;
  }

  /** A product whose timelines have been added: by class, and by the ids of fronts that have their own. */
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

  build(): PressedProducts {
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
      stateFaces: Int32Array.from(this.#stateFaces),
      faceStarts: Float64Array.from(this.#faceStarts),
      faceParts: Int32Array.from(this.#faceParts),
      faceFacets: Int32Array.from(this.#faceFacets),
      bytes: this.#bytes.slice(0, this.#used),
    };
  }
}

/** One set of columns from those of ranges, by ascending ids: what points into another column is moved along. */
export function joinPressed(ranges: readonly PressedProducts[]): PressedProducts {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) return only;
  const total = (column: keyof PressedProducts): number => ranges.reduce((sum, range) => sum + range[column].length, 0);
  const starts = (column: 'ownStarts' | 'groupStarts'): number => total(column) - ranges.length + 1;
  const joined = {
    ids: new Float64Array(total('ids')),
    nextBoundaries: new Float64Array(total('nextBoundaries')),
    timelines: new Int32Array(total('timelines')),
    ownStarts: new Int32Array(starts('ownStarts')),
    ownFrontIds: new Float64Array(total('ownFrontIds')),
    ownTimelines: new Int32Array(total('ownTimelines')),
    groupStarts: new Int32Array(starts('groupStarts')),
    groupPlaces: new Int32Array(total('groupPlaces')),
    stateFroms: new Float64Array(total('stateFroms')),
    stateFaces: new Int32Array(total('stateFaces')),
    faceStarts: new Float64Array(total('faceStarts')),
    faceParts: new Int32Array(total('faceParts')),
    faceFacets: new Int32Array(total('faceFacets')),
    bytes: new Uint8Array(total('bytes')),
  };
  const at = Object.fromEntries(Object.keys(joined).map((column) => [column, 0])) as Record<
    keyof PressedProducts,
    number
  >;
  for (const range of ranges) {
    const moved = (values: Int32Array, by: number): Int32Array =>
      values.map((value) => (value < 0 ? value : value + by));
    joined.ids.set(range.ids, at.ids);
    joined.nextBoundaries.set(range.nextBoundaries, at.nextBoundaries);
    joined.timelines.set(moved(range.timelines, at.stateFroms), at.timelines);
    joined.ownStarts.set(moved(range.ownStarts, at.ownFrontIds), at.ownStarts);
    joined.ownFrontIds.set(range.ownFrontIds, at.ownFrontIds);
    joined.ownTimelines.set(moved(range.ownTimelines, at.stateFroms), at.ownTimelines);
    joined.groupStarts.set(moved(range.groupStarts, at.groupPlaces / 2), at.groupStarts);
    joined.groupPlaces.set(range.groupPlaces, at.groupPlaces);
    joined.stateFroms.set(range.stateFroms, at.stateFroms);
    joined.stateFaces.set(moved(range.stateFaces, at.faceStarts), at.stateFaces);
    joined.faceStarts.set(
      range.faceStarts.map((start) => start + at.bytes),
      at.faceStarts,
    );
    joined.faceParts.set(range.faceParts, at.faceParts);
    joined.faceFacets.set(range.faceFacets, at.faceFacets);
    joined.bytes.set(range.bytes, at.bytes);
    for (const [column, values] of Object.entries(range) as [keyof PressedProducts, Uint8Array][])
      at[column] += values.length;
    // The last entry of starts is the first of the next range's.
    at.ownStarts -= 1;
    at.groupStarts -= 1;
  }
  return joined;
}
