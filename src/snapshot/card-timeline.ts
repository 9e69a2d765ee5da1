// Card timelines: what a product's card is at `now`, and every later instant within the horizon at which it becomes another.
// A product is evaluated once for each kind of front (zone, weekend, currency), never once per front, and only at its own
// boundaries: the work grows with what changes, not with cards × boundaries.

import { boundariesOf } from '../catalogue/boundaries.ts';
import { frontDaysOf, type FrontDays } from '../catalogue/calendar.ts';
import { periodContains, type FrontClass, type ShelfEntry } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import { formatAmount } from '../catalogue/money.ts';
import {
  dropReasonAt,
  isEverySessionPaused,
  poolAt,
  priceFromAt,
  slotsOn,
  type DropReason,
  type Pool,
} from '../catalogue/offer.ts';
import type { Exclusion, Product } from '../catalogue/product.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import { utf8Length, type Arena } from './arena.ts';
import { badgesText, flagsText, groupPlaceText, headText, poolText, slotsText } from './card.ts';

/** What a card looks like for a while; the parts are those of card.ts. */
export interface CardFace {
  /** As a front shows it that adds no flag of its own. */
  readonly lead: Uint8Array;
  /** Where ⟨flags⟩ stand in the lead. */
  readonly flagsFrom: number;
  readonly flagsUntil: number;
  readonly isPushka: boolean;
  /** The product's own pause, or every session's; a front may add its own. */
  readonly isPaused: boolean;
  /** Leads with a front's flags, made when the first front wants them; by the flags as bits. */
  readonly flaggedLeads: (Uint8Array | undefined)[];
  readonly slots: Uint8Array;
  /** Positions in the taxonomy, in the order of the card's `badges`. */
  readonly badges: readonly number[];
}

/** From an instant on: a face, or none and why. */
export type CardState =
  | { readonly from: Instant; readonly face: CardFace; readonly dropReason: null }
  | { readonly from: Instant; readonly face: null; readonly dropReason: DropReason };

/** By time; the first state is the one at `now`. Consecutive states differ. */
export type CardTimeline = readonly [CardState, ...CardState[]];

export interface PressedProduct {
  /** By class; undefined where no front of the class shows the product. */
  readonly timelines: readonly (CardTimeline | undefined)[];
  /** By front id, for the fronts that exclude sessions of the product. */
  readonly timelinesOfFronts: ReadonlyMap<number, CardTimeline>;
  /** The product's first boundary after the horizon; Infinity where there is none. */
  readonly nextBoundary: number;
  readonly groups: readonly { readonly group: number; readonly bytes: Uint8Array }[];
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** The dates a class of fronts means by today, tomorrow and weekend, from each instant on. */
interface DaysFrom {
  readonly from: Instant;
  readonly days: FrontDays;
}

/** What is true of a product from an instant on for all classes alike; the texts on both sides of the price. */
interface PoolState {
  readonly from: Instant;
  readonly pool: Pool | null;
  readonly isPaused: boolean;
  readonly beforePrice: string;
  readonly afterPrice: string;
  readonly flagsFrom: number;
  readonly flagsUntil: number;
  readonly badges: readonly number[];
}

const NO_POOL: Omit<PoolState, 'from'> = {
  pool: null,
  isPaused: false,
  beforePrice: '',
  afterPrice: '',
  flagsFrom: 0,
  flagsUntil: 0,
  badges: [],
};

/** Presses the products of one build: knows its instants, its classes of fronts, and where the bytes go. */
export class ProductPress {
  readonly #now: Instant;
  readonly #until: Instant;
  readonly #classes: readonly FrontClass[];
  readonly #daysOfClasses: readonly (readonly DaysFrom[])[];
  readonly #taxonomy: Taxonomy;
  readonly #arena: Arena;
  // Classes mostly agree on a product, so the texts, faces and timelines of the product in hand are each kept once.
  readonly #encoded = new Map<string, Uint8Array>();
  #faces: CardFace[] = [];
  #timelines: CardTimeline[] = [];

  constructor(classes: readonly FrontClass[], taxonomy: Taxonomy, arena: Arena, until: Instant, now: Instant) {
    this.#now = now;
    this.#until = until;
    this.#classes = classes;
    this.#taxonomy = taxonomy;
    this.#arena = arena;
    this.#daysOfClasses = classes.map(({ zone, weekendDays }) =>
      [now, ...zone.dateChanges(now, until)].map((from) => ({
        from,
        days: frontDaysOf(zone.dayAt(from), weekendDays),
      })),
    );
  }

  /**
   * Presses one product for the classes that show it, and apart for each front that excludes sessions of it.
   * `excludingFronts` maps a front's id to its class; only published products have timelines.
   */
  press(
    product: Product,
    classIndexes: readonly number[],
    excludingFronts: ReadonlyMap<number, number>,
  ): PressedProduct {
    const timelines: (CardTimeline | undefined)[] = [];
    const timelinesOfFronts = new Map<number, CardTimeline>();
    let nextBoundary = Number.POSITIVE_INFINITY;
    if (product.isPublished) {
      const boundaries = boundariesOf(product, this.#now, this.#until);
      const instants = [this.#now, ...boundaries.within];
      nextBoundary = boundaries.next;
      this.#encoded.clear();
      this.#faces = [];
      this.#timelines = [];
      const shared = this.#poolStates(product, undefined, instants);
      for (const index of classIndexes) timelines[index] = this.#timeline(product, undefined, shared, index);
      for (const [frontId, index] of excludingFronts) {
        const excluded = product.exclusions.get(frontId);
        const own = this.#poolStates(product, excluded, instants);
        timelinesOfFronts.set(frontId, this.#timeline(product, excluded, own, index));
      }
    }
    return {
      timelines,
      timelinesOfFronts,
      nextBoundary,
      groups: product.groups.map(({ group, sortWeight }) => ({
        group,
        bytes: this.#arena.add(groupPlaceText(this.#taxonomy.groups[group]?.slug ?? '', sortWeight)),
      })),
      categories: product.categories,
      tags: product.tags,
    };
  }

  #poolStates(product: Product, excluded: Exclusion | undefined, instants: readonly Instant[]): PoolState[] {
    const head = headText(product);
    const flagsFrom = utf8Length(head);
    return instants.map((from) => {
      const pool = poolAt(product, excluded, from);
      const first = pool?.sessions[0];
      if (pool === null || first === undefined) {
        return { ...NO_POOL, from };
      }
      const badges = product.badges.filter(({ valid }) => periodContains(valid, from)).map(({ badge }) => badge);
      const isPaused = from < product.pausedUntil || isEverySessionPaused(pool);
      const flags = flagsText({ isFeatured: false, isBanner: false, isPushka: product.isPushka, isPaused });
      return {
        from,
        pool,
        isPaused,
        flagsFrom,
        flagsUntil: flagsFrom + flags.length,
        beforePrice: head + flags + poolText(product, pool, first),
        afterPrice: badgesText(badges.map((badge) => this.#taxonomy.badges[badge]?.slug ?? '')),
        badges,
      };
    });
  }

  /** Walks the product's own states and the dates of a class side by side. */
  #timeline(
    product: Product,
    excluded: Exclusion | undefined,
    poolStates: readonly PoolState[],
    classIndex: number,
  ): CardTimeline {
    const daysFroms = this.#daysOfClasses[classIndex] ?? [];
    const states: CardState[] = [];
    let poolIndex = 0;
    let daysIndex = 0;
    let from: number = this.#now;
    while (from < Number.POSITIVE_INFINITY) {
      const poolState = poolStates[poolIndex];
      const daysFrom = daysFroms[daysIndex];
      if (poolState === undefined || daysFrom === undefined) break;
      const state = this.#state(product, excluded, poolState, daysFrom.days, classIndex, instantOf(from));
      const last = states.at(-1);
      if (last === undefined || last.face !== state.face) states.push(state);
      const nextPoolFrom = poolStates[poolIndex + 1]?.from ?? Number.POSITIVE_INFINITY;
      const nextDaysFrom = daysFroms[daysIndex + 1]?.from ?? Number.POSITIVE_INFINITY;
      from = Math.min(nextPoolFrom, nextDaysFrom);
      if (nextPoolFrom === from) poolIndex += 1;
      if (nextDaysFrom === from) daysIndex += 1;
    }
    const known = this.#timelines.find((timeline) => isSameTimeline(timeline, states));
    if (known !== undefined) return known;
    const [first, ...later] = states;
    if (first === undefined) throw new Error(`product ${product.id} has no state at now`);
    const timeline: CardTimeline = [first, ...later];
    this.#timelines.push(timeline);
    return timeline;
  }

  #state(
    product: Product,
    excluded: Exclusion | undefined,
    poolState: PoolState,
    days: FrontDays,
    classIndex: number,
    from: Instant,
  ): CardState {
    const { pool, beforePrice, afterPrice, flagsFrom, flagsUntil, isPaused, badges } = poolState;
    const frontClass = this.#classes[classIndex];
    if (pool === null || frontClass === undefined) {
      return { from, face: null, dropReason: dropReasonAt(product, excluded, from) };
    }
    // A price changes only at the product's own boundaries, so it is the one of the pool's state.
    const amount = priceFromAt(pool, frontClass.currency, poolState.from);
    const price = amount === null ? 'null' : formatAmount(amount, frontClass.currencyExponent);
    const lead = this.#encode(beforePrice + price + afterPrice);
    const slots = this.#encode(slotsText(slotsOn(pool, days)));
    let face = this.#faces.find((known) => known.lead === lead && known.slots === slots);
    if (face === undefined) {
      face = { lead, flagsFrom, flagsUntil, isPushka: product.isPushka, isPaused, flaggedLeads: [], slots, badges };
      this.#faces.push(face);
    }
    return { from, face, dropReason: null };
  }

  #encode(text: string): Uint8Array {
    let bytes = this.#encoded.get(text);
    if (bytes === undefined) {
      bytes = this.#arena.add(text);
      this.#encoded.set(text, bytes);
    }
    return bytes;
  }
}

/** The lead of a face as one front shows it: with the front's own flags. */
export function leadOn(entry: ShelfEntry, face: CardFace, arena: Arena): Uint8Array {
  const isPaused = face.isPaused || entry.isPaused;
  if (!entry.isFeatured && !entry.isBanner && isPaused === face.isPaused) return face.lead;
  const bits = (entry.isFeatured ? 1 : 0) | (entry.isBanner ? 2 : 0) | (isPaused ? 4 : 0);
  let lead = face.flaggedLeads[bits];
  if (lead === undefined) {
    const { isFeatured, isBanner } = entry;
    const flags = arena.add(flagsText({ isFeatured, isBanner, isPushka: face.isPushka, isPaused }));
    lead = arena.join([face.lead.subarray(0, face.flagsFrom), flags, face.lead.subarray(face.flagsUntil)]);
    face.flaggedLeads[bits] = lead;
  }
  return lead;
}

function isSameTimeline(a: readonly CardState[], b: readonly CardState[]): boolean {
  return (
    a.length === b.length &&
    a.every((state, i) => {
      const other = b[i];
      // One product's equal faces are one object, so identity is equality.
      return (
        other !== undefined &&
        state.from === other.from &&
        state.face === other.face &&
        state.dropReason === other.dropReason
      );
    })
  );
}
