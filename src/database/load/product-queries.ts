// The queries for products and for the tables that refer to them, with their columns, by ranges of
// product ids.

import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { OFFSET_SECONDS_MAX } from '../../catalogue/calendar.ts';
import { formatDateTime, formatInstant, type Instant } from '../../catalogue/instant.ts';
import { isInRange, type Grouping, type IdRange } from './groups.ts';
import type { CatalogueReader, Query } from '../reader.ts';
import { knownTables, LOCATED_TIER } from '../contract/query-builders.ts';
import { names, RowChecker } from '../contract/row-checker.ts';

export const PRODUCT = new RowChecker(
  'products',
  names('id slug name age_rating sale_schema pushka paused paused_until image_id status'),
);
export const IMAGE = new RowChecker('images', ['id', 'url', 'alt_text', 'copyright', 'copyright_url']);
export const SESSION = new RowChecker('sessions', [
  ...names('id venue_id starts_at starts_local sales_start_at sales_end_at status paused available timezone daily'),
  ...names('ends_at ends_local sales_start_local sales_end_local visible_from visible_from_local previous_starts_at'),
]);
export const TIER = new RowChecker(
  'price_tiers',
  names('id session_id kind is_public in_price_from amount_minor currency available valid_from valid_until channels'),
);
export const EXCLUSION = new RowChecker('front_session_exclusions', ['front_id', 'session_id']);
export const ALLOCATION = new RowChecker('front_allocations', ['front_id', 'session_id', 'available']);
export const CATEGORY_LINK = new RowChecker('product_categories', ['product_id', 'category_id']);
export const GROUP_LINK = new RowChecker('product_groups', ['product_id', 'group_id', 'sort_weight']);
export const TAG_LINK = new RowChecker('product_tags', ['product_id', 'tag_id']);
export const BADGE_LINK = new RowChecker('product_badges', ['product_id', 'badge_id', 'valid_from', 'valid_until']);

/** Ids of all products, ascending. */
export const PRODUCT_IDS: Query = knownTables.selectFrom('products').select('id').orderBy('id');

export const PRODUCTS_TOTAL: Query = knownTables.selectFrom('products').select(({ fn }) => fn.countAll().as('total'));

/**
 * Products by id with their images: the columns of PRODUCT, then those of IMAGE. All of them, those
 * without an id too, unless a range is given.
 */
export function productQuery(reader: Pick<CatalogueReader, 'isSameId'>, range: IdRange | null): Query {
  const query = knownTables
    .selectFrom('products as p')
    .leftJoin('images as i', (join) => join.on(reader.isSameId('i.id', 'p.image_id')))
    .select(PRODUCT.columns.map((name) => `p.${name}` as const))
    .select(IMAGE.columns.map((name) => `i.${name}` as const))
    .orderBy('p.id');
  return range === null ? query : query.where(isInRange(sql.ref('p.id'), range));
}

/** What hangs on products besides exclusions, by table. */
export const CHILDREN = {
  sessions: SESSION,
  price_tiers: TIER,
  product_categories: CATEGORY_LINK,
  product_groups: GROUP_LINK,
  product_tags: TAG_LINK,
  product_badges: BADGE_LINK,
} as const;

export type ChildTable = keyof typeof CHILDREN;

export const CHILD_TABLES = Object.keys(CHILDREN) as readonly ChildTable[];

/** Which rows of a product are read: those that can still matter to a document, or all. */
export type RowsRead = 'relevant' | 'all';

/** The ids of all sessions, grouped by product. */
export const SESSION_IDS: Grouping = { table: 'sessions', by: 'product_id', columns: ['id'] };

/** One of those tables, grouped by product. */
export function childGrouping(
  table: ChildTable,
  reader: Pick<CatalogueReader, 'isPossiblyLater' | 'areJoinsDear'>,
  { rowsRead, now }: { readonly rowsRead: RowsRead; readonly now: Instant },
): Grouping {
  let where: Grouping['where'];
  if (rowsRead === 'relevant' && table === 'sessions') where = mayBeSold(reader, now);
  if (rowsRead === 'relevant' && table === 'price_tiers') where = reader.areJoinsDear ? MAY_MATTER : MAY_BE_TICKET;
  return { table, by: 'product_id', columns: CHILDREN[table].columns, where };
}

/**
 * Scheduled sessions whose offer ends after now, or that are announced after now: of the others it
 * is known that they have been announced. Rows with an invalid instant or status are included, so
 * that they are reported. A wall time may be up to sixteen hours from UTC, so it counts for that
 * long after now. Daily sessions are few.
 */
export function mayBeSold(reader: Pick<CatalogueReader, 'isPossiblyLater'>, now: Instant): RawBuilder<SqlBool> {
  const isLater = (column: string, text: string) => reader.isPossiblyLater('sessions', column, text);
  const isLaterByUtc = (column: string) => isLater(column, formatInstant(now));
  const isLaterByWall = (column: string) => isLater(column, formatDateTime(now - OFFSET_SECONDS_MAX));
  return sql<SqlBool>`(status is null or status not in ('draft', 'postponed', 'cancelled')) and case
    when starts_at is null and starts_local is null then true
    when cast(daily as text) not in ('0', '0.0', 'false') then true
    when visible_from is not null and ${isLaterByUtc('visible_from')} then true
    when visible_from_local is not null and ${isLaterByWall('visible_from_local')} then true
    when sales_end_at is not null then ${isLaterByUtc('sales_end_at')}
    when sales_end_local is not null then ${isLaterByWall('sales_end_local')}
    when starts_at is not null then ${isLaterByUtc('starts_at')}
    else ${isLaterByWall('starts_local')} end`;
}

/** Tiers of kind ticket, private ones included: add-ons never matter to a document. */
const MAY_BE_TICKET = sql`(kind is null or kind <> 'addon')`;

/** And add-ons of a session: if that is another product's, they spoil it as tickets do. */
const MAY_MATTER = sql`(kind is null or kind <> 'addon' or session_id is not null)`;

/**
 * All exclusions as product_id, front_id, session_id and the session's status, past sessions
 * included; those of no session come first.
 */
export function exclusionsQuery({ isSameId }: Pick<CatalogueReader, 'isSameId'>): Query {
  return knownTables
    .selectFrom('front_session_exclusions as e')
    .leftJoin('sessions as s', (join) => join.on(isSameId('s.id', 'e.session_id')))
    .select(['s.product_id', 'e.front_id', 'e.session_id', 's.status'])
    .orderBy('s.product_id')
    .orderBy('e.front_id')
    .orderBy('e.session_id');
}

/** All contingents likewise, as product_id, front_id, session_id and what is left. */
export function allocationsQuery({ isSameId }: Pick<CatalogueReader, 'isSameId'>): Query {
  return knownTables
    .selectFrom('front_allocations as a')
    .leftJoin('sessions as s', (join) => join.on(isSameId('s.id', 'a.session_id')))
    .select(['s.product_id', 'a.front_id', 'a.session_id', 'a.available'])
    .orderBy('s.product_id')
    .orderBy('a.front_id')
    .orderBy('a.session_id');
}

/**
 * Tiers of a session that does not exist or is another product's: the columns of LOCATED_TIER, and
 * the product of that session.
 */
export function orphanTiersQuery({ isSameId }: Pick<CatalogueReader, 'isSameId'>): Query {
  return knownTables
    .selectFrom('price_tiers as t')
    .leftJoin('sessions as s', (join) => join.on(isSameId('s.id', 't.session_id')))
    .select(LOCATED_TIER.columns.map((name) => `t.${name}` as const))
    .select('s.product_id as session_product_id')
    .where('t.session_id', 'is not', null)
    .where((eb) => eb.or([eb('s.id', 'is', null), eb('s.product_id', 'is distinct from', eb.ref('t.product_id'))]))
    .$call((query) => LOCATED_TIER.columns.reduce((ordered, name) => ordered.orderBy(`t.${name}`), query));
}
