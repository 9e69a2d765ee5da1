// Editions: all documents of one front from `now` to the horizon, each from the instant at which its bytes become others.
// The first is gathered card by card; each later one is the one before it with the few cards that changed put in.

import { periodContains, type Front, type ShelfEntry } from '../catalogue/front.ts';
import { instantOf, type Instant } from '../catalogue/instant.ts';
import { DROP_REASONS, type DropReason } from '../catalogue/offer.ts';
import { isSameBytes, type Arena } from './arena.ts';
import { CardRow, type CardParts } from './card-row.ts';
import { leadOn, type CardFace, type CardState, type CardTimeline, type PressedProduct } from './card-timeline.ts';
import { Facets, type PressedTaxonomy } from './facets.ts';
import type { Endpoint } from './paths.ts';

/** One document of one front, valid from an instant. */
export interface Edition {
  readonly endpoint: Endpoint;
  readonly from: Instant;
  /** A view that holds until the next edition is asked for. */
  readonly bytes: Uint8Array;
  /** How many cards the front shows from then on. */
  readonly cards: number;
}

/** All that a build knows before it renders fronts: shared by all of them. */
export interface PressedCatalogue {
  readonly taxonomy: PressedTaxonomy;
  readonly arena: Arena;
  readonly products: ReadonlyMap<number, PressedProduct>;
}

/** How many products of a front have no card at now, by reason; reasons in the order of fields.md, zeros left out. */
export type Dropped = Readonly<Partial<Record<DropReason, number>>>;

/** One place on a front's shelf while its editions are rendered. */
interface Place {
  readonly entry: ShelfEntry;
  readonly product: PressedProduct;
  readonly timeline: CardTimeline;
  readonly groups: readonly Uint8Array[];
  stateIndex: number;
  face: CardFace | null;
  card: CardParts | null;
}

interface Change {
  readonly place: number;
  readonly card: CardParts | null;
}

/** One front's editions, on their way: asked once, in order, front by front, so that memory does not grow with fronts. */
export class FrontEditions {
  /** How many cards the front shows at now. */
  readonly cards: number;
  readonly dropped: Dropped;
  /** The first boundary after the horizon: until then the last edition is known to be right (snapshot.md, Pointer). */
  readonly validUntil: Instant;
  readonly #front: Front;
  readonly #pressed: PressedCatalogue;
  readonly #now: Instant;
  readonly #until: Instant;
  readonly #places: readonly (Place | null)[];

  constructor(front: Front, classIndex: number, pressed: PressedCatalogue, until: Instant, now: Instant) {
    this.#front = front;
    this.#pressed = pressed;
    this.#now = now;
    this.#until = until;
    const reasons = new Map<DropReason, number>();
    const drop = (reason: DropReason): void => void reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const groupsOf = groupPicker(front, pressed.taxonomy);
    let validUntil: number = front.zone.nextDateChange(until);
    let cards = 0;
    this.#places = front.shelf.map((entry) => {
      const product = pressed.products.get(entry.productId);
      const timeline = product?.timelinesOfFronts.get(front.id) ?? product?.timelines[classIndex];
      if (product === undefined || timeline === undefined) {
        drop('not-published');
        return null;
      }
      for (const boundary of [product.nextBoundary, entry.visible.from, entry.visible.until]) {
        if (boundary > until && boundary < validUntil) validUntil = boundary;
      }
      const [state] = timeline;
      const isVisible = periodContains(entry.visible, now);
      if (!isVisible) drop('not-visible');
      else if (state.dropReason !== null) drop(state.dropReason);
      else cards += 1;
      return { entry, product, timeline, groups: groupsOf(product), stateIndex: 0, face: null, card: null };
    });
    this.cards = cards;
    this.validUntil = instantOf(validUntil);
    this.dropped = Object.fromEntries(
      DROP_REASONS.filter((reason) => reasons.has(reason)).map((reason) => [reason, reasons.get(reason) ?? 0]),
    );
  }

  /** The editions of both endpoints, by time; at one instant products before categories. Consecutive ones of an endpoint differ. */
  *render(): Generator<Edition> {
    const encoder = new TextEncoder();
    const row = new CardRow(this.#places.length);
    const facets = new Facets(this.#front, this.#pressed.taxonomy);
    let cards = 0;
    let categories = '';
    let tail: Uint8Array = new Uint8Array(0);
    for (const { at: from, places } of this.#events()) {
      const changes: Change[] = [];
      let isAnyFacetMoved = from === this.#now;
      for (const index of places) {
        const place = this.#places[index];
        if (place === null || place === undefined) continue;
        const before = place.face;
        const changed = this.#advance(place, from);
        if (!changed) continue;
        changes.push({ place: index, card: place.card });
        if (before !== null) facets.count(place.product, before, -1);
        if (place.face !== null) facets.count(place.product, place.face, 1);
        cards += (place.face === null ? 0 : 1) - (before === null ? 0 : 1);
        isAnyFacetMoved ||= before === null || place.face === null || before.badges !== place.face.badges;
      }
      if (changes.length === 0 && from !== this.#now) continue;
      const categoriesBefore = categories;
      if (isAnyFacetMoved) {
        categories = facets.categoriesText();
        const groups = facets.groupsText();
        tail = encoder.encode(
          `],"categories":${categories},"groups":${groups},"tags":${facets.tagsText()},"badges":${facets.badgesText()}}\n`,
        );
      }
      yield { endpoint: 'products', from, bytes: row.put(changes, tail), cards };
      if (categories !== categoriesBefore) {
        yield { endpoint: 'categories', from, bytes: encoder.encode(`${categories}\n`), cards };
      }
    }
  }

  /** The instants at which any place may change, `now` first, with the places, ascending. */
  #events(): { readonly at: Instant; readonly places: readonly number[] }[] {
    const placesAt = new Map<number, number[]>();
    const add = (at: number, place: number): void => {
      if (at <= this.#now || at > this.#until) return;
      const places = placesAt.get(at);
      if (places === undefined) placesAt.set(at, [place]);
      else if (places.at(-1) !== place) places.push(place);
    };
    this.#places.forEach((place, index) => {
      if (place === null) return;
      for (const state of place.timeline) add(state.from, index);
      add(place.entry.visible.from, index);
      add(place.entry.visible.until, index);
    });
    const later = [...placesAt].sort(([a], [b]) => a - b).map(([at, places]) => ({ at: instantOf(at), places }));
    return [{ at: this.#now, places: [...this.#places.keys()] }, ...later];
  }

  /** Brings a place to an instant; whether its card's bytes became others. */
  #advance(place: Place, at: Instant): boolean {
    const { timeline, entry } = place;
    while ((timeline[place.stateIndex + 1]?.from ?? Number.POSITIVE_INFINITY) <= at) place.stateIndex += 1;
    const state: CardState = timeline[place.stateIndex] ?? timeline[0];
    const face = periodContains(entry.visible, at) ? state.face : null;
    const before = place.card;
    if (face === null) {
      place.face = null;
      place.card = null;
      return before !== null;
    }
    const lead = leadOn(entry, face, this.#pressed.arena);
    place.face = face;
    if (before !== null && isSameBytes(before.lead, lead) && isSameBytes(before.slots, face.slots)) return false;
    place.card = { lead, groups: place.groups, slots: face.slots };
    return true;
  }
}

/** Picks those of a product's groups that a front attaches, in the front's order. */
function groupPicker(front: Front, taxonomy: PressedTaxonomy): (product: PressedProduct) => readonly Uint8Array[] {
  const rankOf = new Int32Array(taxonomy.groups.length).fill(-1);
  front.groups.forEach((group, rank) => {
    rankOf[group] = rank;
  });
  return ({ groups }) => {
    if (groups.length === 0) return [];
    return groups
      .filter(({ group }) => (rankOf[group] ?? -1) >= 0)
      .sort((a, b) => (rankOf[a.group] ?? 0) - (rankOf[b.group] ?? 0))
      .map(({ bytes }) => bytes);
  };
}
