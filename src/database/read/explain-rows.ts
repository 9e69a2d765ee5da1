// All rows of one product, for explaining it: what the load leaves out because no document needs it (sessions that are over, drafts,
// add-ons, names of tiers) included. Rows that no column takes are left out: the load has its findings on them.

import type { SessionRow, TierRow } from '../../catalogue/explanation.ts';
import type { Venue } from '../../catalogue/product.ts';
import type { CatalogueReader } from '../open.ts';
import { RowChecker } from '../schema/row-checker.ts';
import { instantIn, periodOf } from '../schema/values.ts';

const PRODUCT = new RowChecker('products', ['id', 'slug']);
const SESSION = new RowChecker('sessions', [
  'id',
  'venue_id',
  'starts_at',
  'sales_start_at',
  'sales_end_at',
  'status',
  'paused',
  'available',
]);
const TIER = new RowChecker('price_tiers', [
  'id',
  'session_id',
  'name',
  'kind',
  'is_public',
  'in_price_from',
  'amount_minor',
  'currency',
  'available',
  'valid_from',
  'valid_until',
]);

export interface ProductRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** As the row has it: draft, published, archived, or what no build would take. */
  readonly status: string;
}

/** The first product with a slug; null where there is none. @throws AppError database-unreadable, database-busy */
export async function productRow(reader: CatalogueReader, slug: string): Promise<ProductRow | null> {
  const query = reader.db.selectFrom('products').select([...PRODUCT.columns, 'name', 'status']);
  for (const row of await reader.rows(query.where('slug', '=', slug).orderBy('id'))) {
    const key = row.slice(0, PRODUCT.columns.length);
    if (PRODUCT.accepts(key)) return { id: key[0], slug, name: String(row[2]), status: String(row[3]) };
  }
  return null;
}

/** Slugs and names of all products, by id: what a mistyped slug is compared with. */
export async function productNames(reader: CatalogueReader): Promise<{ name: string; title: string }[]> {
  const rows = await reader.rows(reader.db.selectFrom('products').select(['slug', 'name']).orderBy('id'));
  return rows.map(([slug, name]) => ({ name: String(slug), title: String(name) }));
}

/** All sessions of a product by (start, id), except those at a venue whose own row is bad. */
export async function sessionRows(
  reader: CatalogueReader,
  venues: ReadonlyMap<number, Venue | null>,
  productId: number,
): Promise<SessionRow[]> {
  const query = reader.db
    .selectFrom('sessions')
    .select([...SESSION.columns])
    .where('product_id', '=', productId)
    .orderBy('starts_at')
    .orderBy('id');
  return (await reader.rows(query)).flatMap((row) => {
    if (!SESSION.accepts(row)) return [];
    const [id, venueId, startsAt, salesStart, salesEnd, status, paused, available] = row;
    const venue = venues.get(venueId) ?? null;
    if (venue === null) return [];
    return {
      id,
      status,
      venue,
      startsAt: instantIn(startsAt),
      salesStartAt: salesStart === null ? null : instantIn(salesStart),
      salesEndAt: salesEnd === null ? null : instantIn(salesEnd),
      isPaused: paused === 1,
      available,
    };
  });
}

/** All price tiers of a product by (session, id), the defaults first. */
export async function tierRows(reader: CatalogueReader, productId: number): Promise<TierRow[]> {
  const query = reader.db
    .selectFrom('price_tiers')
    .select([...TIER.columns])
    .where('product_id', '=', productId)
    .orderBy('session_id')
    .orderBy('id');
  return (await reader.rows(query)).flatMap((row) => {
    if (!TIER.accepts(row)) return [];
    const [id, sessionId, name, kind, isPublic, inPriceFrom, amountMinor, currency, available, from, until] = row;
    const valid = periodOf(from, until);
    const price = { isInPriceFrom: inPriceFrom === 1, amountMinor, currency, available, valid };
    return { id, sessionId, name, kind, isPublic: isPublic === 1, price };
  });
}
