// What the plain reference reads for one front: ordinary queries, joins and sorting left to SQLite,
// but for sessions that have only a wall time. It decides nothing about time: sessions that are
// over, tiers that have expired and badges of other days come along.

import type { Kysely, Selectable } from 'kysely';

import type { PlainId, PlainTables } from './plain-tables.ts';
import { dailyTimes, firstInstantOf, idOrder } from './plain-values.ts';

export type Loaded = Awaited<ReturnType<typeof loadFront>>;

/**
 * Everything that concerns one front, each list in the order in which the documents show it. Throws
 * when there is no such front, or when a session has no start.
 */
export async function loadFront(db: Kysely<PlainTables>, frontCode: string, namedBadges: ReadonlySet<number>) {
  const front = await db.selectFrom('fronts').selectAll().where('code', '=', frontCode).executeTakeFirstOrThrow();
  const attached = db.selectFrom('front_products').select('product_id').where('front_id', '=', front.id);

  const products = await db
    .selectFrom('front_products as f')
    .innerJoin('products as p', 'p.id', 'f.product_id')
    .leftJoin('images as i', 'i.id', 'p.image_id')
    .select(['p.id', 'p.slug', 'p.name', 'p.age_rating', 'p.sale_schema', 'p.pushka', 'p.status', 'p.image_id'])
    .select(['p.paused', 'p.paused_until', 'i.url', 'i.alt_text', 'i.copyright', 'i.copyright_url'])
    .select(['f.featured', 'f.banner', 'f.paused as front_paused', 'f.visible_from', 'f.visible_until'])
    .where('f.front_id', '=', front.id)
    .orderBy('f.sort_weight')
    .orderBy('p.id')
    .execute();
  const storedSessions = await db
    .selectFrom('sessions as s')
    .innerJoin('venues as v', 'v.id', 's.venue_id')
    .selectAll('s')
    .select(['v.name as venue_name', 'v.timezone as venue_timezone'])
    .where('s.product_id', 'in', attached)
    .execute();
  const sessions = storedSessions
    .flatMap(datesOf)
    .toSorted((a, b) => (a.starts_at === b.starts_at ? idOrder(a.id, b.id) : a.starts_at < b.starts_at ? -1 : 1));
  const exclusions = await db
    .selectFrom('front_session_exclusions')
    .select('session_id')
    .where('front_id', '=', front.id)
    .execute();
  const allocations = await db.selectFrom('front_allocations').selectAll().where('front_id', '=', front.id).execute();
  const tickets = await db
    .selectFrom('price_tiers')
    .selectAll()
    .where('kind', '=', 'ticket')
    .where('product_id', 'in', attached)
    .execute();

  const texts = await db.selectFrom('texts').selectAll().execute();
  return {
    texts,
    front,
    products,
    sessions,
    exclusions,
    allocations,
    tickets,
    ...(await loadTaxonomy(db, front.id, namedBadges)),
  };
}

type StoredSession = Selectable<PlainTables['sessions']> & { venue_name: string; venue_timezone: string | null };

/**
 * A session with its times as instants, in its own zone; one that is daily, once for each date from
 * that of its start to that of its end.
 */
function datesOf(session: StoredSession) {
  const zone = session.timezone ?? session.venue_timezone;
  if (zone === null) throw new Error(`session ${session.id} has no zone`);
  const instantOf = (instant: string | null, local: string | null): string | null => {
    if (instant !== null || local === null) return instant;
    const first = firstInstantOf(local, zone);
    if (first === null) throw new Error(`session ${session.id}: no instant is ${local} in ${zone}`);
    return first;
  };
  const starts_at = instantOf(session.starts_at, session.starts_local);
  if (starts_at === null) throw new Error(`session ${session.id} has no start`);
  const salesEnd = instantOf(session.sales_end_at, session.sales_end_local);
  const timed = {
    ...session,
    zone,
    starts_at,
    row_start: starts_at,
    offer_ends: salesEnd ?? starts_at,
    sales_start_at: instantOf(session.sales_start_at, session.sales_start_local),
    visible_from: instantOf(session.visible_from, session.visible_from_local),
  };
  const ends = session.daily === 1 ? instantOf(session.ends_at, session.ends_local) : null;
  if (session.daily !== 1) return [timed];
  if (ends === null) throw new Error(`session ${session.id} is daily and has no end`);
  return dailyTimes(starts_at, ends, zone).map(({ opens, closes }) => ({
    ...timed,
    starts_at: opens,
    offer_ends: salesEnd !== null && salesEnd < closes ? salesEnd : closes,
  }));
}

/**
 * The categories, groups, tags and badges that a product of the front may have: one row per thing
 * and product.
 */
async function loadTaxonomy(db: Kysely<PlainTables>, frontId: PlainId, namedBadges: ReadonlySet<number>) {
  const attached = db.selectFrom('front_products').select('product_id').where('front_id', '=', frontId);
  const productCategories = await db
    .selectFrom('front_categories as f')
    .innerJoin('categories as c', 'c.id', 'f.category_id')
    .innerJoin('product_categories as pc', 'pc.category_id', 'c.id')
    .select(['c.id', 'c.slug', 'c.name_singular', 'c.name_plural', 'pc.product_id'])
    .where('f.front_id', '=', frontId)
    .where('pc.product_id', 'in', attached)
    .orderBy('f.sort_weight')
    .orderBy('c.id')
    .execute();
  const productGroups = await db
    .selectFrom('front_groups as f')
    .innerJoin('groups as g', 'g.id', 'f.group_id')
    .innerJoin('product_groups as pg', 'pg.group_id', 'g.id')
    .select(['g.id', 'g.slug', 'g.name', 'g.card_type', 'pg.product_id', 'pg.sort_weight as product_weight'])
    .where('f.front_id', '=', frontId)
    .where('pg.product_id', 'in', attached)
    .orderBy('f.sort_weight')
    .orderBy('g.id')
    .execute();
  const productTags = await db
    .selectFrom('tags as t')
    .innerJoin('product_tags as pt', 'pt.tag_id', 't.id')
    .select(['t.id', 't.slug', 't.name', 'pt.product_id'])
    .where('pt.product_id', 'in', attached)
    .orderBy('t.sort_weight')
    .orderBy('t.id')
    .execute();
  const productBadges = await db
    .selectFrom('badges as b')
    .innerJoin('product_badges as pb', 'pb.badge_id', 'b.id')
    .select(['b.id', 'b.slug', 'b.name', 'b.color', 'b.sort_weight', 'b.rule', 'b.rule_below'])
    .select(['pb.product_id', 'pb.valid_from', 'pb.valid_until'])
    .where('pb.product_id', 'in', attached)
    .orderBy('b.sort_weight')
    .orderBy('b.id')
    .execute();
  // Badges with a rule that no product names are for every product.
  const everywhere = await db
    .selectFrom('badges as b')
    .innerJoin('front_products as f', (join) => join.on('f.front_id', '=', frontId))
    .select(['b.id', 'b.slug', 'b.name', 'b.color', 'b.sort_weight', 'b.rule', 'b.rule_below', 'f.product_id'])
    .where('b.rule', 'is not', null)
    .where('b.id', 'not in', db.selectFrom('product_badges').select('badge_id'))
    .where('b.id', 'not in', [0, ...namedBadges])
    .execute();
  const badges = [
    ...productBadges,
    ...everywhere.map((badge) => ({ ...badge, valid_from: null, valid_until: null })),
  ].toSorted((a, b) => a.sort_weight - b.sort_weight || a.id - b.id);
  return { productBadges: badges, productCategories, productGroups, productTags };
}
