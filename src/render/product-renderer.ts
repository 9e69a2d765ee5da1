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
import { productOn } from '../catalogue/selling.ts';
import { FLAG } from '../catalogue/front-products.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { Names } from '../catalogue/texts.ts';
import { badgesText, flagsText, groupText, headText, poolText, slotsText } from './card.ts';
import { FacetBits } from './facets.ts';
import { NO_TIMELINE, RenderedProductsBuilder, stateOfReason, type Run } from './rendered-products.ts';

/** What today, tomorrow and weekend mean to a front profile from an instant on. */
interface DaysFrom {
  readonly from: Instant;
  readonly days: FrontDays;
}

/** A product's state from an instant on, as far as all profiles share it. */
interface PoolState {
  readonly from: Instant;
  /** Or why there is no card. */
  readonly card: PoolCard | DropReason;
}

/** The parts of a card that all profiles share. */
interface PoolCard {
  readonly pool: Pool;
  /** FLAG bits. */
  readonly bits: number;
  /** Up to the price. */
  readonly head: Run;
  /** From the end of the price up to the groups. */
  readonly afterPrice: string;
  readonly facets: Int32Array;
  /** The variants rendered so far, by days and money. */
  readonly variants: { readonly days: FrontDays; readonly money: Money; readonly variant: number }[];
}

/** What a card's price depends on besides its product. */
type Money = Pick<FrontProfile, 'currency' | 'currencyExponent'>;

/** Which tiers a front sells, and which names it shows. */
interface Sales {
  readonly channel: string | null;
  readonly names: Names;
}

/** The product being rendered, with what has been built for it so far. */
interface CurrentProduct {
  readonly product: Product;
  readonly groupsText: string;
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

/** Renders products one by one, for all front profiles. */
export class ProductRenderer {
  readonly #now: Instant;
  readonly #until: Instant;
  readonly #moneyOfProfiles: readonly Money[];
  readonly #salesOfProfiles: readonly Sales[];
  readonly #daysOfProfiles: readonly (readonly DaysFrom[])[];
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
    this.#daysOfProfiles = profiles.map(({ zone, dayStartsAt, weekendDays }) => {
      const daysOfZone = zone.daysFrom(dayStartsAt);
      return [now, ...daysOfZone.changes(now, until)].map((from) => ({
        from,
        days: days.one(frontDaysAt(daysOfZone, weekendDays, from)),
      }));
    });
    this.#salesOfProfiles = profiles.map(({ channel, locale }) => ({ channel, names: texts.in(locale) }));
    this.#moneyOfProfiles = profiles.map(({ currency, currencyExponent }) => money.one({ currency, currencyExponent }));
  }

  /**
   * Renders one product for the profiles that show it, and separately for each front that has terms
   * of its own. `frontsWithTerms` maps the ids of those fronts to their profiles. Only
   * published products have timelines.
   */
  render(product: Product, profileIndexes: Iterable<number>, frontsWithTerms: ReadonlyMap<number, number>): void {
    const timelines: number[] = this.#moneyOfProfiles.map(() => NO_TIMELINE);
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
        runs: new Map(),
        variants: new Map(),
        timelines: new Map(),
      };
      const soldOn = new Map<string | null, Product>();
      /** By the product as it is sold, and by the names that are shown. */
      const shared = new Map<Product, Map<Names, readonly PoolState[]>>();
      for (const index of profileIndexes) {
        const { channel, names } = this.#salesOf(index);
        const sold = soldOn.get(channel) ?? productOn(product, channel, undefined);
        soldOn.set(channel, sold);
        const inNames = shared.get(sold) ?? new Map<Names, readonly PoolState[]>();
        const poolStates = inNames.get(names) ?? this.#poolStates(current, sold, undefined, names, instants);
        shared.set(sold, inNames.set(names, poolStates));
        timelines[index] = this.#timeline(current, poolStates, index);
      }
      for (const [frontId, index] of frontsWithTerms) {
        const terms = product.terms.get(frontId);
        const { channel, names } = this.#salesOf(index);
        const poolStates = this.#poolStates(current, productOn(product, channel, terms), terms, names, instants);
        own.set(frontId, this.#timeline(current, poolStates, index));
      }
    }
    const groups = product.groups.map(({ group }, i) => ({ group, length: groupTexts[i]?.length ?? 0 }));
    this.#builder.product(product.id, after, timelines, own, groups);
  }

  /** Gives a product that an error takes out no card on any front. */
  leaveOut(productId: number): void {
    const timeline = this.#builder.timeline([{ from: this.#now, variant: stateOfReason('bad-data') }]);
    const timelines = this.#moneyOfProfiles.map(() => timeline);
    this.#builder.product(productId, NO_BOUNDARY, timelines, new Map(), []);
  }

  #salesOf(profileIndex: number): Sales {
    const sales = this.#salesOfProfiles[profileIndex];
    if (sales === undefined) throw new Error(`no profile ${profileIndex}`);
    return sales;
  }

  /** A product's states at the given instants, as it is sold on a front with these terms. */
  #poolStates(
    current: CurrentProduct,
    product: Product,
    terms: FrontTerms | undefined,
    names: Names,
    instants: readonly Instant[],
  ): PoolState[] {
    const head = headText(product, names);
    const headLength = this.#encoder.encode(head).length;
    const unbadged = this.#facetsOf(product);
    return instants.map((from) => {
      const pool = cardPoolAt(product, terms, from);
      if (typeof pool === 'string') return { from, card: pool };
      const [first] = pool.sessions;
      if (first === undefined) throw new Error('a pool without sessions');
      const badges = product.badges
        .filter(({ valid }) => periodContains(valid, from))
        .map(({ badge }) => badge)
        .filter((badge) => holdsRule(this.#taxonomy.badges[badge]?.rule ?? null, pool, from));
      const facets = badges.length === 0 ? unbadged : unbadged.slice();
      for (const badge of badges) this.#facetBits.set(facets, 'badges', badge);
      const isPaused = isProductPaused(product, from) || isEverySessionPaused(pool);
      const bits = (product.isPushka ? FLAG.pushka : 0) | (isPaused ? FLAG.paused : 0);
      const flags = flagsText(bits);
      const card = {
        pool,
        bits,
        head: this.#run(current, head + flags + poolText(product, pool, first, names), headLength, flags.length),
        afterPrice: badgesText(badges.map((badge) => this.#taxonomy.badges[badge]?.slug ?? '')),
        facets,
        variants: [],
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
  #timeline(current: CurrentProduct, poolStates: readonly PoolState[], profileIndex: number): number {
    const daysFroms = this.#daysOfProfiles[profileIndex] ?? [];
    const states: { readonly from: number; readonly variant: number }[] = [];
    let poolIndex = 0;
    let daysIndex = 0;
    let from: number = this.#now;
    let key = '';
    while (from < Number.POSITIVE_INFINITY) {
      const poolState = poolStates[poolIndex];
      const daysFrom = daysFroms[daysIndex];
      const money = this.#moneyOfProfiles[profileIndex];
      if (poolState === undefined || daysFrom === undefined || money === undefined) break;
      const variant =
        typeof poolState.card === 'string'
          ? stateOfReason(poolState.card)
          : this.#variant(current, poolState.from, poolState.card, daysFrom.days, money);
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

  /**
   * The variant of a card for days and money. A price changes only at the product's own boundaries,
   * so `from` determines it.
   */
  #variant(current: CurrentProduct, from: Instant, card: PoolCard, days: FrontDays, money: Money): number {
    for (const known of card.variants) if (known.days === days && known.money === money) return known.variant;
    const amount = priceFromAt(card.pool, money.currency, from);
    const price = typeof amount === 'string' ? 'null' : formatAmount(amount, money.currencyExponent);
    const slots = slotsText(slotsOn(card.pool, days));
    const beforeGroups = price + card.afterPrice;
    const { groupsText, variants } = current;
    // Slugs, numbers and dates are ASCII, so characters and bytes count the same.
    const tail = this.#run(current, beforeGroups + groupsText + slots, beforeGroups.length, groupsText.length);
    const ofHead = variants.get(card.head) ?? new Map<Run, number>();
    const variant =
      ofHead.get(tail) ??
      this.#builder.variant(card.head, tail, card.bits, price === 'null' ? Number.NaN : Number(price), card.facets);
    variants.set(card.head, ofHead.set(tail, variant));
    card.variants.push({ days, money, variant });
    return variant;
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
