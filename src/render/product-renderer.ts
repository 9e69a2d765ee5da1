// Renders card timelines: a product's card at `now` and at every later instant within the horizon
// at which it changes. A product is evaluated once per front profile (calendar, currency), not
// once per front, and only at its own boundaries.

import { boundariesOf, type Boundaries } from '../catalogue/boundaries.ts';
import { frontDaysAt, type FrontDays } from '../catalogue/days.ts';
import type { FrontProfile } from '../catalogue/front.ts';
import { periodContains } from '../catalogue/period.ts';
import type { Instant } from '../catalogue/instant.ts';
import { formatAmount } from '../catalogue/money.ts';
import {
  cardPoolAt,
  holdsRule,
  type DropReason,
  isEverySessionPaused,
  isProductPaused,
  priceFromAt,
  slotsOn,
  type Pool,
} from '../catalogue/offer.ts';
import type { FrontTerms, Product } from '../catalogue/product.ts';
import { channelNamed, productOn } from '../catalogue/selling.ts';
import { FLAG } from '../catalogue/front-products.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { Names } from '../catalogue/texts.ts';
import { badgesText, flagsText, groupText, headText, poolText, slotsText } from './card.ts';
import { FacetBits } from './facets.ts';
import { RenderedProductsBuilder, stateOfReason, type Run } from './rendered-products.ts';

/** What today, tomorrow and weekend mean to a front profile from an instant on. */
interface DaysFrom {
  readonly from: Instant;
  readonly days: FrontDays;
}

/** A product's state from an instant on, as far as all profiles share it that sell the same of it. */
interface PoolState {
  readonly from: Instant;
  /** Or why there is no card. */
  readonly card: PoolCard | DropReason;
}

/** The parts of a card that those profiles share. */
interface PoolCard {
  readonly pool: Pool;
  /** FLAG bits. */
  readonly bits: number;
  /** From the end of the price up to the groups. */
  readonly afterPrice: string;
  readonly facets: Int32Array;
  /** What has been rendered of it so far: up to the price, by names; from there on, by days and money. */
  readonly heads: Map<Names, Run>;
  readonly tails: Tail[];
}

interface Tail {
  readonly days: FrontDays;
  readonly money: Money;
  readonly run: Run;
  /** NaN without one. */
  readonly price: number;
}

/** What a card's price depends on besides its product. */
type Money = Pick<FrontProfile, 'currency' | 'currencyExponent'>;

/** A front profile with its days from `now` on. */
interface Profile {
  readonly daysFroms: readonly DaysFrom[];
  readonly money: Money;
  readonly channel: string | null;
  readonly names: Names;
}

/** The product being rendered, with what has been built for it so far. */
interface CurrentProduct {
  readonly product: Product;
  readonly groupsText: string;
  /** What comes before the flags. */
  readonly openings: Map<Names, string>;
  /** By text. */
  readonly runs: Map<string, Run>;
  /** By head and tail. Profiles mostly share variants. */
  readonly variants: Map<Run, Map<Run, number>>;
  /** By their states as text. Profiles mostly share timelines. */
  readonly timelines: Map<string, number>;
}

const NO_BOUNDARY: Pick<Boundaries, 'next' | 'nextAnnounced'> = {
  next: Number.POSITIVE_INFINITY,
  nextAnnounced: Number.POSITIVE_INFINITY,
};

/** A front that has terms of its own for a product. */
export interface FrontWithTerms {
  /** Its place among the fronts of the catalogue. */
  readonly number: number;
  readonly profileIndex: number;
  readonly terms: FrontTerms;
}

/** Renders products one by one, for all front profiles. */
export class ProductRenderer {
  readonly #now: Instant;
  readonly #until: Instant;
  readonly #profiles: readonly Profile[];
  readonly #taxonomy: Taxonomy;
  readonly #facetBits: FacetBits;
  readonly #builder: RenderedProductsBuilder;
  readonly #encoder = new TextEncoder();

  constructor(
    profiles: readonly FrontProfile[],
    { taxonomy, texts }: Pick<Catalogue, 'taxonomy' | 'texts'>,
    builder: RenderedProductsBuilder,
    until: Instant,
    now: Instant,
  ) {
    this.#builder = builder;
    this.#now = now;
    this.#until = until;
    this.#taxonomy = taxonomy;
    this.#facetBits = new FacetBits(taxonomy);
    // Equal days are the same object, and so is equal money, so that they can be compared by
    // identity.
    const days = new Interned<FrontDays>();
    const money = new Interned<Money>();
    this.#profiles = profiles.map(({ zone, dayStartsAt, weekendDays, currency, currencyExponent, channel, locale }) => {
      const daysOfZone = zone.daysFrom(dayStartsAt);
      const daysFroms = [now, ...daysOfZone.changes(now, until)].map((from) => ({
        from,
        days: days.one(frontDaysAt(daysOfZone, weekendDays, from)),
      }));
      return { daysFroms, money: money.one({ currency, currencyExponent }), channel, names: texts.in(locale) };
    });
  }

  /**
   * Renders one product for the profiles that show it, and separately for each front that has terms
   * of its own. Only published products have timelines.
   */
  render(product: Product, profileIndexes: readonly number[], frontsWithTerms: readonly FrontWithTerms[]): void {
    const timelines = new Map<number, number>();
    const own = new Map<number, number>();
    const groupTexts = product.groups.map(({ group, sortWeight }) =>
      groupText(this.#taxonomy.groups[group]?.slug ?? '', sortWeight),
    );
    let after = NO_BOUNDARY;
    if (product.isPublished) {
      const boundaries = boundariesOf(product, this.#now, this.#until);
      const instants = [this.#now, ...boundaries.within];
      after = boundaries;
      const current: CurrentProduct = {
        product,
        groupsText: `[${groupTexts.join(',')}]`,
        openings: new Map(),
        runs: new Map(),
        variants: new Map(),
        timelines: new Map(),
      };
      /** By the channel, where a tier names it. */
      const shared = new Map<string | null, readonly PoolState[]>();
      for (const index of profileIndexes) {
        const profile = this.#profile(index);
        const channel = channelNamed(product, profile.channel);
        const states =
          shared.get(channel) ?? this.#poolStates(productOn(product, channel, undefined), undefined, instants);
        shared.set(channel, states);
        timelines.set(index, this.#timeline(current, states, profile));
      }
      for (const { number, profileIndex, terms } of frontsWithTerms) {
        const profile = this.#profile(profileIndex);
        const states = this.#poolStates(productOn(product, profile.channel, terms), terms, instants);
        own.set(number, this.#timeline(current, states, profile));
      }
    }
    const groups = product.groups.map(({ group }, i) => ({ group, length: groupTexts[i]?.length ?? 0 }));
    this.#builder.product(product.id, after, timelines, own, groups);
  }

  /** Gives a product that an error takes out no card on the fronts of these profiles. */
  leaveOut(productId: number, profileIndexes: readonly number[]): void {
    const timeline = this.#builder.timeline([{ from: this.#now, variant: stateOfReason('bad-data') }]);
    const timelines = new Map(profileIndexes.map((index) => [index, timeline]));
    this.#builder.product(productId, NO_BOUNDARY, timelines, new Map(), []);
  }

  #profile(index: number): Profile {
    const profile = this.#profiles[index];
    if (profile === undefined) throw new Error(`no profile ${index}`);
    return profile;
  }

  /** A product's states at the given instants, as it is sold on a front with these terms. */
  #poolStates(product: Product, terms: FrontTerms | undefined, instants: readonly Instant[]): PoolState[] {
    const unbadged = this.#facetsOf(product);
    return instants.map((from) => {
      const pool = cardPoolAt(product, terms, from);
      if (typeof pool === 'string') return { from, card: pool };
      const badges = product.badges
        .filter(({ valid }) => periodContains(valid, from))
        .map(({ badge }) => badge)
        .filter((badge) => holdsRule(this.#taxonomy.badges[badge]?.rule ?? null, pool, from));
      const facets = badges.length === 0 ? unbadged : unbadged.slice();
      for (const badge of badges) this.#facetBits.set(facets, 'badges', badge);
      const isPaused = isProductPaused(product, from) || isEverySessionPaused(pool);
      const card = {
        pool,
        bits: (product.isPushka ? FLAG.pushka : 0) | (isPaused ? FLAG.paused : 0),
        afterPrice: badgesText(badges.map((badge) => this.#taxonomy.badges[badge]?.slug ?? '')),
        facets,
        heads: new Map(),
        tails: [],
      };
      return { from, card };
    });
  }

  /** The facets of the product's cards that do not depend on time: all but the badges. */
  #facetsOf(product: Product): Int32Array {
    const facets = new Int32Array(this.#facetBits.wordCount);
    for (const category of product.categories) this.#facetBits.set(facets, 'categories', category);
    for (const { group } of product.groups) this.#facetBits.set(facets, 'groups', group);
    for (const tag of product.tags) this.#facetBits.set(facets, 'tags', tag);
    return facets;
  }

  /**
   * Merges the product's own states with the date changes of a profile. Returns the timeline's
   * number.
   */
  #timeline(current: CurrentProduct, poolStates: readonly PoolState[], profile: Profile): number {
    const { daysFroms } = profile;
    const states: { readonly from: number; readonly variant: number }[] = [];
    let poolIndex = 0;
    let daysIndex = 0;
    let from: number = this.#now;
    let key = '';
    while (from < Number.POSITIVE_INFINITY) {
      const poolState = poolStates[poolIndex];
      const daysFrom = daysFroms[daysIndex];
      if (poolState === undefined || daysFrom === undefined) break;
      const variant =
        typeof poolState.card === 'string'
          ? stateOfReason(poolState.card)
          : this.#variant(current, poolState.from, poolState.card, daysFrom.days, profile);
      if (states.at(-1)?.variant !== variant) {
        states.push({ from, variant });
        key += `${from} ${variant},`;
      }
      const nextPoolFrom = poolStates[poolIndex + 1]?.from ?? Number.POSITIVE_INFINITY;
      const nextDaysFrom = daysFroms[daysIndex + 1]?.from ?? Number.POSITIVE_INFINITY;
      from = Math.min(nextPoolFrom, nextDaysFrom);
      if (nextPoolFrom === from) poolIndex += 1;
      if (nextDaysFrom === from) daysIndex += 1;
    }
    let timeline = current.timelines.get(key);
    if (timeline === undefined) {
      timeline = this.#builder.timeline(states);
      current.timelines.set(key, timeline);
    }
    return timeline;
  }

  /** The variant of a card for days and a profile's money and names. */
  #variant(
    current: CurrentProduct,
    from: Instant,
    card: PoolCard,
    days: FrontDays,
    { money, names }: Pick<Profile, 'money' | 'names'>,
  ): number {
    const head = card.heads.get(names) ?? this.#head(current, card, names);
    const tail =
      card.tails.find((one) => one.days === days && one.money === money) ??
      this.#tail(current, from, card, days, money);
    const ofHead = current.variants.get(head) ?? new Map<Run, number>();
    const variant = ofHead.get(tail.run) ?? this.#builder.variant(head, tail.run, card.bits, tail.price, card.facets);
    current.variants.set(head, ofHead.set(tail.run, variant));
    return variant;
  }

  #head(current: CurrentProduct, card: PoolCard, names: Names): Run {
    const { product, openings } = current;
    const [first] = card.pool.sessions;
    if (first === undefined) throw new Error('a pool without sessions');
    const opening = openings.get(names) ?? headText(product, names);
    openings.set(names, opening);
    const flags = flagsText(card.bits);
    const text = opening + flags + poolText(product, card.pool, first, names);
    const head = this.#run(current, text, this.#encoder.encode(opening).length, flags.length);
    card.heads.set(names, head);
    return head;
  }

  /** A price changes only at the product's own boundaries, so `from` determines it. */
  #tail(current: CurrentProduct, from: Instant, card: PoolCard, days: FrontDays, money: Money): Tail {
    const amount = priceFromAt(card.pool, money.currency, from);
    const price = typeof amount === 'string' ? 'null' : formatAmount(amount, money.currencyExponent);
    const beforeGroups = price + card.afterPrice;
    const { groupsText } = current;
    const text = beforeGroups + groupsText + slotsText(slotsOn(card.pool, days));
    // Slugs, numbers and dates are ASCII, so characters and bytes count the same.
    const run = this.#run(current, text, beforeGroups.length, groupsText.length);
    const tail = { days, money, run, price: price === 'null' ? Number.NaN : Number(price) };
    card.tails.push(tail);
    return tail;
  }

  /** Stores a run of the product's cards; equal runs are stored once. */
  #run({ runs }: CurrentProduct, text: string, partFrom: number, partLength: number): Run {
    const run = runs.get(text) ?? this.#builder.run(text, partFrom, partLength);
    runs.set(text, run);
    return run;
  }
}

/** Makes equal values one object. */
class Interned<T> {
  readonly #values = new Map<string, T>();

  one(value: T): T {
    const key = JSON.stringify(value);
    const known = this.#values.get(key) ?? value;
    this.#values.set(key, known);
    return known;
  }
}
