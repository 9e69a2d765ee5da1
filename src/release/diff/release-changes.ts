// What changed from one kept release to the next (containment.md, "Guards"): of the fields that
// data decides, and at instants for which both releases have an edition, so that the clock alone
// shows nothing. Refuses to guess: a front whose files are gone is unknown.

import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { ManifestFront } from '../../contract/manifest.ts';
import type { DocumentChange } from '../../contract/results/diff.ts';
import type { FrontChanges, ReleaseChanges } from '../../contract/results/history.ts';
import { AppError } from '../../errors.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { listingsOf } from './release-diff.ts';
import { diffDocuments } from './document-diff.ts';
import { productsDigestAt, type ReleaseView } from '../tree/release-view.ts';

type Kind = keyof FrontChanges['changed'];

/** null: the calendar decides it, or a field that counts itself. */
const KINDS: Readonly<Record<keyof ProductCard, Kind | null>> = {
  productId: null,
  slug: 'names',
  name: 'names',
  priceFrom: 'prices',
  saleSchema: 'flags',
  featured: 'flags',
  banner: 'flags',
  pushka: 'flags',
  paused: 'flags',
  soldOut: 'seats',
  nextScheduleSlot: 'sessions',
  multiScheduleSlots: 'sessions',
  inventoryItemName: 'sessions',
  multiInventoryItems: 'sessions',
  todaySlot: null,
  todayMultiScheduleSlots: null,
  tomorrowSlot: null,
  tomorrowMultiScheduleSlots: null,
  weekendSlot: null,
  weekendMultiScheduleSlots: null,
  ageRating: 'other',
  imageUrl: 'other',
  altText: 'other',
  copyright: 'other',
  copyrightUrl: 'other',
  badges: 'other',
  groups: 'other',
};

/** Among the five numbers of a summary. */
const MEDIAN = 2;

/**
 * What `newer` changed of `older`, on these fronts or on all (null); fronts that are the same are
 * left out. Reads no document of a front whose editions are the same.
 * @throws AppError of a store that cannot be reached
 */
export async function changesSince(
  older: ReleaseView,
  newer: ReleaseView,
  frontCodes: readonly string[] | null,
): Promise<ReleaseChanges> {
  const [before, after] = [listingsOf(older), listingsOf(newer)];
  const codes = [...new Set([...before.keys(), ...after.keys()])].sort();
  const fronts: FrontChanges[] = [];
  for (const front of codes.filter((code) => frontCodes?.includes(code) ?? true)) {
    const [was, is] = [before.get(front), after.get(front)];
    const changes = await frontChanges(front, was && { view: older, listing: was }, is && { view: newer, listing: is });
    if (changes !== null) fronts.push(changes);
  }
  return { since: older.id, fronts };
}

interface Side {
  readonly view: ReleaseView;
  readonly listing: ManifestFront;
}

/** What changed of a front that at least one release has; null if nothing. */
async function frontChanges(
  front: string,
  older: Side | undefined,
  newer: Side | undefined,
): Promise<FrontChanges | null> {
  const none = unchanged(front);
  if (newer === undefined) return { ...none, state: 'gone', cards: { added: 0, removed: older?.listing.cards ?? 0 } };
  if (older === undefined) return { ...none, state: 'added', cards: { added: newer.listing.cards, removed: 0 } };
  const { pointer } = newer.listing;
  const { now } = newer.view.manifest;
  const reach = older.listing.pointer.validUntil;
  const instants = differingInstants(older.listing.pointer, pointer, now);
  if (instants.length === 0) return null;
  const tally = new Tally(front, now < reach ? null : reach);
  try {
    for (const at of instants) {
      const was = await documentAt(older, at);
      const is = await documentAt(newer, at);
      if (tally.add(was, is))
        tally.medians = { at, before: medianAt(older.listing, at), after: medianAt(newer.listing, at) };
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'tree-unreadable') throw error;
    return { ...none, state: 'unknown', message: error.message };
  }
  return tally.result();
}

/**
 * The first and the last instant at which two snapshots differ, from the newer release's `now` on
 * and while both are right: a mistake that begins at midnight shows in the release that made it.
 * Where the older one does not reach so far, its last edition is compared.
 */
function differingInstants(older: Pointer, newer: Pointer, now: string): readonly string[] {
  const end = [older.validUntil, newer.validUntil].sort()[0] ?? '';
  const starts = [...older.products, ...newer.products].map((entry) => entryOf(entry).from);
  const later = [...new Set(starts)].filter((from) => from > now && from < end).sort();
  const differing = [now, ...later].filter((at) => productsDigestAt(older, at) !== productsDigestAt(newer, at));
  return [...new Set([...differing.slice(0, 1), ...differing.slice(-1)])];
}

function documentAt({ view, listing }: Side, at: string): Promise<ProductsDocument> {
  return view.documents.products(listing.front, productsDigestAt(listing.pointer, at));
}

function medianAt({ pointer, prices }: ManifestFront, at: string): number | null {
  return prices?.[editionIndexAt(pointer.products, at)]?.prices[MEDIAN] ?? null;
}

/** Counts each card once for each kind, at however many instants it differs. */
class Tally {
  readonly #front: string;
  readonly #comparableUntil: string | null;
  readonly #seen = new Map<Kind | 'added' | 'removed', Set<string>>();
  medians: FrontChanges['medianPrice'] = null;

  constructor(front: string, comparableUntil: string | null) {
    this.#front = front;
    this.#comparableUntil = comparableUntil;
  }

  /** Returns whether prices changed that had not before. */
  add(before: ProductsDocument, after: ProductsDocument): boolean {
    const pricesBefore = this.#count('prices');
    for (const change of diffDocuments(before, after)) {
      const key = `${change.list} ${change.id}`;
      if (change.list !== 'productCards') this.#note('other', key);
      else this.#addCard(change, key);
    }
    return this.medians === null && this.#count('prices') > pricesBefore;
  }

  #addCard(change: DocumentChange, key: string): void {
    switch (change.change) {
      case 'added':
        return this.#note('added', key);
      case 'gone':
        return this.#note('removed', key);
      case 'moved':
        return this.#note('other', key);
      case 'changed':
        for (const { path } of change.fields) this.#noteField(path.replace(/\..*$/, ''), key);
    }
  }

  /** null if nothing changed but what the calendar decides. */
  result(): FrontChanges | null {
    if (this.#seen.size === 0) return null;
    const count = (kind: Kind | 'added' | 'removed'): number => this.#count(kind);
    const [names, prices, flags] = [count('names'), count('prices'), count('flags')];
    const [seats, sessions, other] = [count('seats'), count('sessions'), count('other')];
    return {
      front: this.#front,
      state: 'changed',
      cards: { added: count('added'), removed: count('removed') },
      changed: { names, prices, flags, seats, sessions, other },
      medianPrice: this.medians,
      comparableUntil: this.#comparableUntil,
    };
  }

  #noteField(field: string, key: string): void {
    const kind = isCardField(field) ? KINDS[field] : 'other';
    if (kind !== null) this.#note(kind, key);
  }

  #note(kind: Kind | 'added' | 'removed', key: string): void {
    this.#seen.set(kind, (this.#seen.get(kind) ?? new Set()).add(key));
  }

  #count(kind: Kind | 'added' | 'removed'): number {
    return this.#seen.get(kind)?.size ?? 0;
  }
}

function isCardField(field: string): field is keyof ProductCard {
  return Object.hasOwn(KINDS, field);
}

function unchanged(front: string): FrontChanges {
  return {
    front,
    state: 'changed',
    cards: { added: 0, removed: 0 },
    changed: { names: 0, prices: 0, flags: 0, seats: 0, sessions: 0, other: 0 },
    medianPrice: null,
    comparableUntil: null,
  };
}
