// Editions: all documents of one front from `now` to the horizon, each starting at the instant at
// which its bytes change. The first is assembled card by card; each later one copies its
// predecessor and rewrites only the changed cards.

import type { Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import { DROP_REASONS, type DropReason } from '../catalogue/offer.ts';
import { DocumentBuffer } from './document-buffer.ts';
import { FacetBits, FrontFacets } from './facets.ts';
import type { Endpoint } from './paths.ts';
import { Ingredients } from './ingredients.ts';
import { EditionPrices, type PriceSummary } from './edition-prices.ts';
import { leftOutOf, type LeftOut } from './left-out.ts';
import { FrontCards, NO_VARIANT, type RenderedCatalogue } from './front-cards.ts';

/** One document of one front, valid from an instant. */
export interface Edition {
  readonly endpoint: Endpoint;
  readonly from: Instant;
  /**
   * What the document is made of (ingredients.ts); null if it is small. A view, valid until the
   * next edition is requested.
   */
  readonly ingredients: Uint8Array | null;
  /**
   * Assembles the document: also a view, and only callable before the next edition is requested.
   */
  readonly assemble: () => Uint8Array;
  /** How many cards the front shows from this edition on. */
  readonly cards: number;
  readonly priceSummary: PriceSummary;
  /** The cards' prices by product id; only callable before the next edition is requested. */
  readonly prices: () => ReadonlyMap<number, number>;
}

/**
 * How many products of a front have no card at `now`, by reason, in the order of fields.md; without
 * zeros.
 */
export type Dropped = Readonly<Partial<Record<DropReason, number>>>;

/**
 * One front's editions, rendered as they are consumed, so that memory does not grow with the
 * horizon.
 */
export class FrontEditions {
  /** How many cards the front shows at `now`. */
  readonly cards: number;
  readonly dropped: Dropped;
  /** Null if errors take out nothing. */
  readonly leftOut: LeftOut | null;
  /**
   * The first boundary after the horizon, until which the last edition is right (snapshot.md,
   * Pointer).
   */
  readonly validUntil: Instant;
  readonly #front: Front;
  readonly #rendered: RenderedCatalogue;
  readonly #now: Instant;
  readonly #cards: FrontCards;

  constructor(front: Front, rendered: RenderedCatalogue, now: Instant) {
    const { until } = rendered;
    this.#front = front;
    this.#rendered = rendered;
    this.#now = now;
    this.#cards = new FrontCards(front, rendered, now);
    const reasons = new Map<DropReason, number>();
    let validUntil: number = front.zone.daysFrom(front.dayStartsAt).nextChange(until);
    let cards = 0;
    for (let position = 0; position < this.#cards.length; position++) {
      const reason = this.#cards.dropReasonAt(position, now);
      if (reason === null) cards += 1;
      else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      validUntil = Math.min(validUntil, this.#cards.nextBoundaryAt(position, until));
    }
    this.cards = cards;
    this.validUntil = instantOf(validUntil);
    this.leftOut = leftOutOf(front, rendered.bad, (position) => this.#cards.dropReasonAt(position, now));
    this.dropped = Object.fromEntries(
      DROP_REASONS.filter((reason) => reasons.has(reason)).map((reason) => [reason, reasons.get(reason) ?? 0]),
    );
  }

  /**
   * The editions of both endpoints by time, products before categories. Consecutive editions of an
   * endpoint differ.
   */
  *render(): Generator<Edition> {
    const encoder = new TextEncoder();
    const frontCards = this.#cards;
    const { taxonomy, taxonomyOf, until, freeBuffers } = this.#rendered;
    const facetBits = new FacetBits(taxonomy);
    const facets = new FrontFacets(this.#front, taxonomyOf(this.#front), facetBits);
    const bits = new Int32Array(facetBits.wordCount);
    const document = new DocumentBuffer(frontCards.length, frontCards, freeBuffers);
    const ingredients = new Ingredients(this.#front, frontCards);
    const editionPrices = new EditionPrices(frontCards.length);
    const prices = (): ReadonlyMap<number, number> => frontCards.prices();
    /**
     * Positions whose cards have changed since a document was last assembled: not every edition is.
     */
    const changedSince = new Set<number>();
    let cards = 0;
    let categories = '';
    let tail: Uint8Array = new Uint8Array(0);
    const first = { at: this.#now, positions: [...this.#front.products.numbers.keys()] };
    for (const { at: from, positions } of [first, ...frontCards.changesIn(this.#now, until)]) {
      const changed: number[] = [];
      // Rewriting unchanged facets takes half the time of an edition that need not be assembled
      // (measured).
      let isTailChanged = from === this.#now;
      for (const position of positions) {
        const before = frontCards.variantAt(position);
        if (!frontCards.advance(position, from)) continue;
        changed.push(position);
        const variant = frontCards.variantAt(position);
        cards += (variant === NO_VARIANT ? 0 : 1) - (before === NO_VARIANT ? 0 : 1);
        isTailChanged ||= !frontCards.haveSameFacets(before, variant, bits.length);
      }
      if (changed.length === 0 && from !== this.#now) continue;
      const categoriesBefore = categories;
      if (isTailChanged) {
        frontCards.collectFacets(bits);
        categories = facets.categoriesText(bits);
        tail = encoder.encode(`],"categories":${categories},${facets.otherTexts(bits)}}\n`);
      }
      for (const position of changed) changedSince.add(position);
      const assemble = (): Uint8Array => {
        const positions = [...changedSince].sort((a, b) => a - b);
        changedSince.clear();
        return document.update(positions, tail);
      };
      editionPrices.update(changed, (position) => frontCards.priceAt(position));
      const facts = { from, cards, priceSummary: editionPrices.summary, prices };
      yield { endpoint: 'products', ...facts, ingredients: ingredients.update(changed, tail), assemble };
      if (categories !== categoriesBefore) {
        const bytes = encoder.encode(`${categories}\n`);
        yield { endpoint: 'categories', ...facts, ingredients: null, assemble: () => bytes };
      }
    }
    document.release();
  }
}
