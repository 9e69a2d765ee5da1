// What is asked of the tables that hang on products, and with which columns: each table once, in the order of product ids.

import { sql, type Compilable } from 'kysely';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { CatalogueReader } from './open.ts';
import { RowChecker } from './row-check.ts';
import { RowStream } from './row-stream.ts';

export const PRODUCT = new RowChecker('products', [
  'id',
  'slug',
  'name',
  'age_rating',
  'sale_schema',
  'pushka',
  'paused',
  'paused_until',
  'image_id',
  'status',
]);
export const IMAGE = new RowChecker('images', ['id', 'url', 'alt_text', 'copyright', 'copyright_url']);
export const SESSION = new RowChecker('sessions', [
  'product_id',
  'id',
  'venue_id',
  'starts_at',
  'starts_local',
  'sales_start_at',
  'sales_end_at',
  'status',
  'paused',
  'available',
]);
export const TIER = new RowChecker('price_tiers', [
  'product_id',
  'id',
  'session_id',
  'kind',
  'is_public',
  'in_price_from',
  'amount_minor',
  'currency',
  'available',
  'valid_from',
  'valid_until',
]);
export const EXCLUSION = new RowChecker('front_session_exclusions', ['front_id', 'session_id']);
export const CATEGORY_LINK = new RowChecker('product_categories', ['product_id', 'category_id']);
export const GROUP_LINK = new RowChecker('product_groups', ['product_id', 'group_id', 'sort_weight']);
export const TAG_LINK = new RowChecker('product_tags', ['product_id', 'tag_id']);
export const BADGE_LINK = new RowChecker('product_badges', ['product_id', 'badge_id', 'valid_from', 'valid_until']);

/** Products with their images: the columns of PRODUCT, then those of IMAGE. */
export function productQuery(reader: CatalogueReader): Compilable {
  return reader.db
    .selectFrom('products as p')
    .leftJoin('images as i', 'i.id', 'p.image_id')
    .select(['p.id', 'p.slug', 'p.name', 'p.age_rating', 'p.sale_schema', 'p.pushka'])
    .select(['p.paused', 'p.paused_until', 'p.image_id', 'p.status'])
    .select(['i.id as image_row_id', 'i.url', 'i.alt_text', 'i.copyright', 'i.copyright_url'])
    .orderBy('p.id');
}

export interface ProductStreams {
  readonly sessions: RowStream;
  readonly tiers: RowStream;
  /** product_id, front_id, session_id, and the session's status. */
  readonly exclusions: RowStream;
  readonly categories: RowStream;
  readonly groups: RowStream;
  readonly tags: RowStream;
  readonly badges: RowStream;
}

/**
 * Opens the streams; `onStray` hears of each row whose product there is not, `onLostExclusion` of each exclusion (front_id,
 * session_id) whose session there is not.
 */
export function openStreams(
  reader: CatalogueReader,
  now: Instant,
  onStray: (place: string, productId: unknown) => void,
  onLostExclusion: (row: readonly unknown[]) => void,
): ProductStreams {
  const stream = (query: Compilable, checker: { placeOf(row: readonly unknown[]): string }): RowStream =>
    new RowStream(reader, query, (row) => onStray(checker.placeOf(row), row[0]));
  const { db } = reader;
  const categories = db.selectFrom('product_categories').select([...CATEGORY_LINK.columns]);
  const groups = db.selectFrom('product_groups').select([...GROUP_LINK.columns]);
  const tags = db.selectFrom('product_tags').select([...TAG_LINK.columns]);
  const badges = db.selectFrom('product_badges').select([...BADGE_LINK.columns]);
  return {
    sessions: stream(sessionQuery(reader, now), SESSION),
    tiers: stream(tierQuery(reader), TIER),
    exclusions: new RowStream(reader, exclusionQuery(reader), ([productId, frontId, sessionId]) => {
      // An excluded session without a product is told of by the sessions' own stream.
      if (productId === null) onLostExclusion([frontId, sessionId]);
    }),
    categories: stream(categories.orderBy('product_id').orderBy('category_id'), CATEGORY_LINK),
    groups: stream(groups.orderBy('product_id').orderBy('group_id'), GROUP_LINK),
    tags: stream(tags.orderBy('product_id').orderBy('tag_id'), TAG_LINK),
    badges: stream(badges.orderBy('product_id').orderBy('badge_id'), BADGE_LINK),
  };
}

/**
 * Scheduled sessions whose offer ends after now. What is not an instant, or no status there is, comes along too: it must be
 * seen to be refused.
 */
function sessionQuery(reader: CatalogueReader, now: Instant): Compilable {
  const offerEndsAt = sql<string>`coalesce(sales_end_at, starts_at)`;
  return reader.db
    .selectFrom('sessions')
    .select([...SESSION.columns])
    .where((eb) => eb.or([eb('status', 'is', null), eb('status', 'not in', ['draft', 'postponed', 'cancelled'])]))
    .where((eb) =>
      eb.or([
        eb('starts_at', 'is', null),
        eb(offerEndsAt, '>', formatInstant(now)),
        eb(offerEndsAt, 'not like', '____-__-__T__:__:__Z'),
      ]),
    )
    .orderBy('product_id')
    .orderBy('starts_at')
    .orderBy('id');
}

/** Tiers of kind ticket, private ones included: add-ons never matter to a document. */
function tierQuery(reader: CatalogueReader): Compilable {
  return reader.db
    .selectFrom('price_tiers')
    .select([...TIER.columns])
    .where((eb) => eb.or([eb('kind', 'is', null), eb('kind', '<>', 'addon')]))
    .orderBy('product_id')
    .orderBy('session_id')
    .orderBy('id');
}

/** Exclusions with the product and status of their session, over ones included; those of no session first. */
function exclusionQuery(reader: CatalogueReader): Compilable {
  return reader.db
    .selectFrom('front_session_exclusions as e')
    .leftJoin('sessions as s', 's.id', 'e.session_id')
    .select(['s.product_id', 'e.front_id', 'e.session_id', 's.status'])
    .orderBy('s.product_id')
    .orderBy('e.front_id')
    .orderBy('e.session_id');
}

/** Tiers of a session that there is not, or that is another product's: product_id, id, session_id. Foreign keys hold this in tables. */
export function strayTierQuery(reader: CatalogueReader): Compilable {
  return reader.db
    .selectFrom('price_tiers as t')
    .leftJoin('sessions as s', (join) =>
      join.onRef('s.id', '=', 't.session_id').onRef('s.product_id', '=', 't.product_id'),
    )
    .select(['t.product_id', 't.id', 't.session_id'])
    .where('t.session_id', 'is not', null)
    .where('s.id', 'is', null)
    .orderBy('t.id');
}
