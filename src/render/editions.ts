// Editions: all documents of one front from `now` to the horizon, each from the instant at which its bytes become others.
// The first is gathered card by card; each later one is the one before it with the few cards that changed put in.

import type { Front } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import { DROP_REASONS, type DropReason } from '../catalogue/offer.ts';
import { DocumentBuffer } from './document-buffer.ts';
import { FacetBits, FrontFacets } from './facets.ts';
import type { Endpoint } from './paths.ts';
import type { RenderedCatalogue } from './rendered-catalogue.ts';
import { FrontCards } from './front-cards.ts';

/** One document of one front, valid from an instant. */
export interface Edition {
  readonly endpoint: Endpoint;
  readonly from: Instant;
  /** A view that holds until the next edition is asked for. */
  readonly bytes: Uint8Array;
  /** How many cards the front shows from then on. */
  readonly cards: number;
}

/** How many products of a front have no card at now, by reason; reasons in the order of fields.md, zeros left out. */
export type Dropped = Readonly<Partial<Record<DropReason, number>>>;

/** One front's editions, on their way: asked once, in order, front by front, so that memory does not grow with fronts. */
export class FrontEditions {
  /** How many cards the front shows at now. */
  readonly cards: number;
  readonly dropped: Dropped;
  /** The first boundary after the horizon: until then the last edition is known to be right (snapshot.md, Pointer). */
  readonly validUntil: Instant;
  readonly #front: Front;
  readonly #rendered: RenderedCatalogue;
  /** The end of the horizon. */
  readonly #until: Instant;
  readonly #now: Instant;
  readonly #shelf: FrontCards;

  constructor(front: Front, profileIndex: number, rendered: RenderedCatalogue, until: Instant, now: Instant) {
    this.#front = front;
    this.#rendered = rendered;
    this.#until = until;
    this.#now = now;
    this.#shelf = new FrontCards(front, profileIndex, rendered, now);
    const reasons = new Map<DropReason, number>();
    let validUntil: number = front.zone.nextDateChange(until);
    let cards = 0;
    for (let place = 0; place < this.#shelf.places; place++) {
      const reason = this.#shelf.dropReasonAt(place, now);
      if (reason === null) cards += 1;
      else reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      validUntil = Math.min(validUntil, this.#shelf.nextBoundaryAt(place, until));
    }
    this.cards = cards;
    this.validUntil = instantOf(validUntil);
    this.dropped = Object.fromEntries(
      DROP_REASONS.filter((reason) => reasons.has(reason)).map((reason) => [reason, reasons.get(reason) ?? 0]),
    );
  }

  /**
   * The editions of both endpoints, by time; at one instant products before categories. Consecutive ones of an endpoint differ.
   */
  *render(): Generator<Edition> {
    const encoder = new TextEncoder();
    const shelf = this.#shelf;
    const { taxonomy, spares } = this.#rendered;
    const facetBits = new FacetBits(taxonomy);
    const facets = new FrontFacets(this.#front, taxonomy, facetBits);
    const bits = new Int32Array(facetBits.words);
    const row = new DocumentBuffer(shelf.places, shelf, spares);
    let cards = 0;
    let categories = '';
    let tail: Uint8Array = new Uint8Array(0);
    const first = { at: this.#now, places: Array.from({ length: shelf.places }, (_, place) => place) };
    for (const { at: from, places } of [first, ...shelf.changesIn(this.#now, this.#until)]) {
      const changed: number[] = [];
      for (const place of places) {
        const wasShown = shelf.isShown(place);
        if (!shelf.advance(place, from)) continue;
        changed.push(place);
        cards += (shelf.isShown(place) ? 1 : 0) - (wasShown ? 1 : 0);
      }
      if (changed.length === 0 && from !== this.#now) continue;
      const categoriesBefore = categories;
      shelf.collectFacets(bits);
      categories = facets.categoriesText(bits);
      tail = encoder.encode(`],"categories":${categories},${facets.otherTexts(bits)}}\n`);
      yield { endpoint: 'products', from, bytes: row.put(changed, tail), cards };
      if (categories !== categoriesBefore) {
        yield { endpoint: 'categories', from, bytes: encoder.encode(`${categories}\n`), cards };
      }
    }
    row.release();
  }
}
