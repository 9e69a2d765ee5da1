// The rows of the map: a product each, with its sessions of the day; on their own or under venues.

import { formatInstant, parseOffsetDateTime, type Instant } from '../../../catalogue/instant.ts';
import type { ProductsDocument } from '../../../contract/documents.ts';
import type { Pointer } from '../../../contract/pointer.ts';
import type { DayProduct, DaySession, DaySessions, SessionState } from '../../messages.ts';
import type { ViewState } from '../state/view-state.ts';
import { frontDayOf } from '../state/front-day.ts';
import { instantAt } from '../text/descriptions.ts';

export interface MapSession extends DaySession {
  readonly key: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant | null;
}

export interface ProductRow {
  readonly kind: 'product';
  readonly key: string;
  readonly productId: number;
  readonly slug: string;
  readonly name: string;
  /** '' if it stands under the venue, or if there are several. */
  readonly venue: string;
  readonly sessions: readonly MapSession[];
}

export interface VenueRow {
  readonly kind: 'venue';
  readonly key: string;
  readonly name: string;
  readonly count: number;
}

export type MapRow = ProductRow | VenueRow;

const names = new Intl.Collator('en', { numeric: true });

export function rowsOf(products: readonly DayProduct[], rows: ViewState['rows']): readonly MapRow[] {
  if (rows === 'products') return products.map((product) => rowOf(product, ''));
  const venues = new Map<string, { readonly name: string; readonly products: DayProduct[]; count: number }>();
  for (const product of products) {
    for (const [id, sessions] of byVenue(product.sessions)) {
      const venue = venues.get(id) ?? { name: sessions[0]?.venue ?? '', products: [], count: 0 };
      venue.products.push({ ...product, sessions });
      venue.count += sessions.length;
      venues.set(id, venue);
    }
  }
  return [...venues]
    .sort(([, a], [, b]) => names.compare(a.name, b.name))
    .flatMap(([id, { name, count, products: own }]): MapRow[] => [
      { kind: 'venue', key: `venue ${id}`, name, count },
      ...own.map((product) => ({ ...rowOf(product, `${id} `), venue: '' })),
    ]);
}

function rowOf({ productId, slug, name, sessions }: DayProduct, prefix: string): ProductRow {
  const [first] = sessions;
  const isOne = sessions.every(({ venueId }) => venueId === first?.venueId);
  return {
    kind: 'product',
    key: `product ${prefix}${slug}`,
    productId,
    slug,
    name,
    venue: isOne ? (first?.venue ?? '') : '',
    sessions: sessions.flatMap((session) => {
      const startsAt = parseOffsetDateTime(session.start);
      const endsAt = session.end === null ? null : instantAt(session.end);
      return startsAt === undefined ? [] : [{ ...session, key: `${session.id} ${session.start}`, startsAt, endsAt }];
    }),
  };
}

function byVenue(sessions: readonly DaySession[]): ReadonlyMap<string, DaySession[]> {
  const venues = new Map<string, DaySession[]>();
  for (const session of sessions) {
    const known = venues.get(session.venueId);
    if (known === undefined) venues.set(session.venueId, [session]);
    else known.push(session);
  }
  return venues;
}

/** What a document says of a day: of each card, the first session that it shows for today. */
export function dayOfDocument({ productCards }: ProductsDocument, pointer: Pointer, at: Instant): DaySessions {
  const [first, last] = frontDayOf(pointer, at);
  const [from, until] = [formatInstant(first), formatInstant(last)];
  const products = productCards.flatMap((card): DayProduct[] => {
    const { productId, slug, name, todaySlot, inventoryItemName: venue, soldOut, paused, priceFrom } = card;
    const startsAt = parseOffsetDateTime(todaySlot ?? '');
    // Its day is that of the venue, unless the front's days begin at an hour of their own.
    if (todaySlot === null || startsAt === undefined || startsAt < first || startsAt >= last) return [];
    const state: SessionState = soldOut ? 'sold-out' : paused ? 'paused' : 'offered';
    const states = [{ from, state, priceFrom }];
    const rest = { id: '', end: null, available: null, isAllocated: false, venueId: venue, venue };
    return [{ productId, slug, name, sessions: [{ ...rest, start: todaySlot, states }] }];
  });
  return { from, until, frontState: 'active', products, leftOut: 0 };
}
