// All rows of one product, for explaining it: also what the load leaves out because no document needs it (past sessions, drafts, add-ons,
// names of tiers). Rows with a value that its column does not take are left out: the load has its findings on them.

import type { PriceTier, Venue } from '../../catalogue/product.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { ExplainResultJson } from '../../contract/explain-result.ts';
import type { CatalogueReader } from '../open.ts';
import { RowChecker } from '../schema/row-checker.ts';
import { instantIn, periodOf } from '../schema/values.ts';
import { SESSION, TIER } from './product-queries.ts';

const PRODUCT = new RowChecker('products', ['id', 'slug']);
const NAMED_TIER = new RowChecker('price_tiers', [...TIER.columns, 'name']);

/** A session as its row has it, whatever its status, past or not. */
export interface SessionRow {
  readonly id: number;
  readonly status: 'draft' | 'scheduled' | 'postponed' | 'cancelled';
  readonly venue: Venue;
  readonly startsAt: Instant;
  readonly salesStartAt: Instant | null;
  readonly salesEndAt: Instant | null;
  readonly isPaused: boolean;
  readonly available: number | null;
}

/** A price tier as its row has it, add-ons and private ones included. */
export interface TierRow {
  readonly id: number;
  readonly sessionId: number | null;
  readonly name: string;
  readonly kind: 'ticket' | 'addon';
  readonly isPublic: boolean;
  readonly price: PriceTier;
}

/** The first product with a slug, or null. @throws AppError database-unreadable, database-busy */
export async function productRow(reader: CatalogueReader, slug: string): Promise<ExplainResultJson['product'] | null> {
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
    const [id, venueId, startsAt, , salesStart, salesEnd, status, paused, available] = row;
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
    .select([...NAMED_TIER.columns])
    .where('product_id', '=', productId)
    .orderBy('session_id')
    .orderBy('id');
  return (await reader.rows(query)).flatMap((row) => {
    if (!NAMED_TIER.accepts(row)) return [];
    const [id, sessionId, kind, isPublic, inPriceFrom, amountMinor, currency, available, from, until, name] = row;
    const price = {
      isInPriceFrom: inPriceFrom === 1,
      amountMinor,
      currency,
      available,
      valid: periodOf(from, until),
    };
    return { id, sessionId, name, kind, isPublic: isPublic === 1, price };
  });
}
