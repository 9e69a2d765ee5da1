// Pressed products: every look that a product's card has within the horizon, as bytes, and when it has which. Kept as columns
// (typed arrays, no object per product), so that they cost the collector nothing, and go to another thread as they are.

import type { DropReason } from '../catalogue/offer.ts';
import { DROP_REASONS } from '../catalogue/offer.ts';

/** Where a product has no timeline for a class: no front of the class shows it, or it is not published. */
export const NO_TIMELINE = -1;

/**
 * What a face's numbers are, in their order in `faces`: the block that its bytes are in and where they begin there; where in it the
 * flags and the groups stand, from its first byte; its length; its bits of FLAG (catalogue/shelf.ts), pushka and paused.
 */
export const FACE = {
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
 * The columns. A product has a timeline per class of fronts; a timeline is a run of states, each from an instant on, and ends with a
 * state from Infinity. A state is a face, or the reason why there is no card. A face is a run of bytes (card.ts).
 */
export interface PressedProducts {
  /** By product: ids, ascending. */
  readonly ids: Float64Array;
  /** By product: its first boundary after the horizon; Infinity where there is none. */
  readonly nextBoundaries: Float64Array;
  /** By product and class: the first state of the timeline, or NO_TIMELINE. */
  readonly timelines: Int32Array;
  /** By product, and one more: where its rows in `ownFrontIds` and `ownTimelines` begin: fronts that exclude sessions of it. */
  readonly ownStarts: Int32Array;
  readonly ownFrontIds: Float64Array;
  readonly ownTimelines: Int32Array;
  /** By product, and one more: where its rows in `groupPlaces` begin; by taxonomy position. */
  readonly groupStarts: Int32Array;
  /** By product and group: the group's position in the taxonomy, and the length of its bytes in every face. */
  readonly groupPlaces: Int32Array;
  /** By state. */
  readonly stateFroms: Float64Array;
  /** By state: a face, or -1 - the position of a DropReason. */
  readonly stateFaces: Int32Array;
  /** By face: FACE.width numbers. */
  readonly faces: Int32Array;
  /** By face: the facets that it reaches (facets.ts), as words of bits. */
  readonly faceFacets: Int32Array;
  /** The bytes of the faces, as pressed range by range. */
  readonly blocks: readonly Uint8Array[];
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

/** One face as it is pressed: positions and lengths in bytes. */
export interface FaceParts {
  readonly flagsFrom: number;
  readonly flagsUntil: number;
  readonly groupsLength: number;
  /** From behind the groups on. */
  readonly restLength: number;
  readonly bits: number;
}

const FIRST_BYTES = 1 << 18;

/** Collects pressed products of one range after the other, by ascending id. */
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
  readonly #faces: number[] = [];
  readonly #faceFacets: number[] = [];
  /** All of these. */
  readonly #columns: readonly number[][] = [
    this.#ids,
    this.#nextBoundaries,
    this.#timelines,
    this.#ownStarts,
    this.#ownFrontIds,
    this.#ownTimelines,
    this.#groupStarts,
    this.#groupPlaces,
    this.#stateFroms,
    this.#stateFaces,
    this.#faces,
    this.#faceFacets,
  ];
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
    const { flagsFrom, flagsUntil, groupsLength, restLength, bits } = parts;
    const groupsUntil = written - restLength;
    const groupsFrom = groupsUntil - groupsLength;
    this.#faces.push(0, this.#used, flagsFrom, flagsUntil, groupsFrom, groupsUntil, written, bits);
    for (const word of facets) this.#faceFacets.push(word);
    this.#used += written;
    return this.#faces.length / FACE.width - 1;
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

  /** All that was added since the last call; its bytes in memory that threads can share, where they are to. */
  take(isShared: boolean): PressedProducts {
    const bytes = new Uint8Array(isShared ? new SharedArrayBuffer(this.#used) : new ArrayBuffer(this.#used));
    bytes.set(this.#bytes.subarray(0, this.#used));
    const products: PressedProducts = {
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
      faces: Int32Array.from(this.#faces),
      faceFacets: Int32Array.from(this.#faceFacets),
      blocks: [bytes],
    };
    this.#used = 0;
    for (const column of this.#columns) column.length = 0;
    // One more entry than there are products.
    this.#ownStarts.push(0);
    this.#groupStarts.push(0);
    return products;
  }
}

/** The columns that are one array of numbers. */
type NumberColumn = Exclude<keyof PressedProducts, 'blocks'>;

/** One set of columns from several, in their order: what points into another column is moved along. */
export function joinPressed(ranges: readonly PressedProducts[], isShared: boolean): PressedProducts {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1 && !isShared) return only;
  const total = (column: NumberColumn): number => ranges.reduce((sum, range) => sum + range[column].length, 0);
  const starts = (column: 'ownStarts' | 'groupStarts'): number => total(column) - ranges.length + 1;
  const memory = (bytes: number): ArrayBufferLike => (isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  const floats = (length: number): Float64Array => new Float64Array(memory(length * 8));
  const integers = (length: number): Int32Array => new Int32Array(memory(length * 4));
  const joined = {
    ids: floats(total('ids')),
    nextBoundaries: floats(total('nextBoundaries')),
    timelines: integers(total('timelines')),
    ownStarts: integers(starts('ownStarts')),
    ownFrontIds: floats(total('ownFrontIds')),
    ownTimelines: integers(total('ownTimelines')),
    groupStarts: integers(starts('groupStarts')),
    groupPlaces: integers(total('groupPlaces')),
    stateFroms: floats(total('stateFroms')),
    stateFaces: integers(total('stateFaces')),
    faces: integers(total('faces')),
    faceFacets: integers(total('faceFacets')),
    blocks: ranges.flatMap((range) => range.blocks),
  };
  const at = { ...ZERO };
  let blocks = 0;
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
    joined.stateFaces.set(moved(range.stateFaces, at.faces / FACE.width), at.stateFaces);
    joined.faces.set(range.faces, at.faces);
    for (let face = at.faces; face < at.faces + range.faces.length; face += FACE.width) {
      joined.faces[face + FACE.block] = (joined.faces[face + FACE.block] ?? 0) + blocks;
    }
    joined.faceFacets.set(range.faceFacets, at.faceFacets);
    for (const column of NUMBER_COLUMNS) at[column] += range[column].length;
    // The last entry of starts is the first of the next range's.
    at.ownStarts -= 1;
    at.groupStarts -= 1;
    blocks += range.blocks.length;
  }
  return joined;
}

const ZERO: Record<NumberColumn, number> = {
  ids: 0,
  nextBoundaries: 0,
  timelines: 0,
  ownStarts: 0,
  ownFrontIds: 0,
  ownTimelines: 0,
  groupStarts: 0,
  groupPlaces: 0,
  stateFroms: 0,
  stateFaces: 0,
  faces: 0,
  faceFacets: 0,
};

const NUMBER_COLUMNS = Object.keys(ZERO) as readonly NumberColumn[];
