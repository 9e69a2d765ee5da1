// What somebody who knows Kysely would write for a catalogue like the seeded one: the builds are
// measured against it. It writes one edition of each front's two documents, under the same names
// and with the same bytes, and nothing else: no editions that the clock will bring, no check of any
// row, no pointers, nothing durable. What the seeded catalogue does not have, it does not know:
// languages, channels, contingents, daily sessions, days that begin late.
//
//   tsx scripts/bench/competent.ts --db CATALOGUE --out FOLDER --now INSTANT [--once]
//
// By default it asks for the rows of each front; with --once it reads each table once.

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { plainKysely, type PlainId, type PlainTables } from '../../test/support/reference/plain-tables.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Data = Awaited<ReturnType<typeof load>>;
type Front = Awaited<ReturnType<typeof activeFronts>>[number];
type Listing = Data['listings'] extends ReadonlyMap<PlainId, readonly (infer Row)[]> ? Row : never;
type Session = Data['sessions'] extends ReadonlyMap<number, readonly (infer Row)[]> ? Row : never;
type Tier = Data['tiers'] extends ReadonlyMap<number, readonly (infer Row)[]> ? Row : never;

function activeFronts(db: Kysely<PlainTables>) {
  return db.selectFrom('fronts').selectAll().where('status', '=', 'active').execute();
}

/** The rows of one front, or of all, by what they are looked up by; each list in its order. */
async function load(db: Kysely<PlainTables>, front: PlainId | null) {
  const isOne = front !== null;
  const shown = db
    .selectFrom('front_products')
    .select('product_id')
    .where('front_id', '=', front ?? 0);
  const listings = await db
    .selectFrom('front_products as f')
    .innerJoin('products as p', 'p.id', 'f.product_id')
    .leftJoin('images as i', 'i.id', 'p.image_id')
    .select(['p.id', 'p.slug', 'p.name', 'p.age_rating', 'p.sale_schema', 'p.pushka', 'p.paused', 'p.paused_until'])
    .select(['i.url', 'i.alt_text', 'i.copyright', 'i.copyright_url', 'f.front_id', 'f.featured', 'f.banner'])
    .select(['f.paused as front_paused', 'f.visible_from', 'f.visible_until'])
    .where('p.status', '=', 'published')
    .$if(isOne, (query) => query.where('f.front_id', '=', front ?? 0))
    .orderBy('f.sort_weight')
    .orderBy('p.id')
    .execute();
  const sessions = await db
    .selectFrom('sessions as s')
    .innerJoin('venues as v', 'v.id', 's.venue_id')
    .select(['s.id', 's.product_id', 's.venue_id', 's.starts_at', 's.sales_start_at', 's.sales_end_at', 's.status'])
    .select(['s.previous_starts_at', 's.visible_from', 's.paused', 's.available', 's.timezone'])
    .select(['v.name as venue', 'v.timezone as venue_timezone'])
    .where('s.status', 'in', ['scheduled', 'rescheduled'])
    .$if(isOne, (query) => query.where('s.product_id', 'in', shown))
    .orderBy('s.starts_at')
    .orderBy('s.id')
    .execute();
  const tiers = await db
    .selectFrom('price_tiers')
    .select(['product_id', 'session_id', 'is_public', 'in_price_from', 'amount_minor', 'currency', 'available'])
    .select(['valid_from', 'valid_until'])
    .where('kind', '=', 'ticket')
    .$if(isOne, (query) => query.where('product_id', 'in', shown))
    .execute();
  const exclusions = await db
    .selectFrom('front_session_exclusions')
    .selectAll()
    .$if(isOne, (query) => query.where('front_id', '=', front ?? 0))
    .execute();
  const categories = await db
    .selectFrom('front_categories as f')
    .innerJoin('categories as c', 'c.id', 'f.category_id')
    .select(['f.front_id', 'c.id', 'c.slug', 'c.name_singular', 'c.name_plural'])
    .$if(isOne, (query) => query.where('f.front_id', '=', front ?? 0))
    .orderBy('f.sort_weight')
    .orderBy('c.id')
    .execute();
  const groups = await db
    .selectFrom('front_groups as f')
    .innerJoin('groups as g', 'g.id', 'f.group_id')
    .select(['f.front_id', 'g.id', 'g.slug', 'g.name', 'g.card_type'])
    .$if(isOne, (query) => query.where('f.front_id', '=', front ?? 0))
    .orderBy('f.sort_weight')
    .orderBy('g.id')
    .execute();
  const productCategories = await db
    .selectFrom('product_categories')
    .selectAll()
    .$if(isOne, (query) => query.where('product_id', 'in', shown))
    .execute();
  const productGroups = await db
    .selectFrom('product_groups')
    .selectAll()
    .$if(isOne, (query) => query.where('product_id', 'in', shown))
    .execute();
  const productTags = await db
    .selectFrom('product_tags')
    .selectAll()
    .$if(isOne, (query) => query.where('product_id', 'in', shown))
    .execute();
  const productBadges = await db
    .selectFrom('product_badges')
    .selectAll()
    .$if(isOne, (query) => query.where('product_id', 'in', shown))
    .execute();
  return {
    listings: Map.groupBy(listings, (row) => row.front_id),
    sessions: Map.groupBy(sessions, (row) => row.product_id),
    tiers: Map.groupBy(tiers, (row) => row.product_id),
    exclusions: Map.groupBy(exclusions, (row) => row.front_id),
    categories: Map.groupBy(categories, (row) => row.front_id),
    groups: Map.groupBy(groups, (row) => row.front_id),
    productCategories: Map.groupBy(productCategories, (row) => row.product_id),
    productGroups: Map.groupBy(productGroups, (row) => row.product_id),
    productTags: Map.groupBy(productTags, (row) => row.product_id),
    productBadges: Map.groupBy(productBadges, (row) => row.product_id),
  };
}

/** The things that no front and no product chooses the order of. */
async function loadShared(db: Kysely<PlainTables>) {
  const tags = await db.selectFrom('tags').selectAll().orderBy('sort_weight').orderBy('id').execute();
  const badges = await db.selectFrom('badges').selectAll().orderBy('sort_weight').orderBy('id').execute();
  const named = await db.selectFrom('product_badges').select('badge_id').distinct().execute();
  const namedBadges = new Set(named.map((row) => row.badge_id));
  return {
    tags,
    badges,
    everywhere: new Set(badges.flatMap((one) => (one.rule && !namedBadges.has(one.id) ? [one.id] : []))),
  };
}

/** Prints instants in one zone, each hour's offset and each instant once. */
class Clock {
  static readonly #clocks = new Map<string, Clock>();
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, string>();
  readonly #printed = new Map<string, string>();

  private constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  static of(zone: string): Clock {
    const clock = Clock.#clocks.get(zone) ?? new Clock(zone);
    Clock.#clocks.set(zone, clock);
    return clock;
  }

  /** `2026-05-01T19:00:00+02:00` */
  print(instant: string): string {
    const known = this.#printed.get(instant);
    if (known !== undefined) return known;
    const ms = Date.parse(instant);
    const quarter = Math.floor((4 * ms) / HOUR_MS);
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      const name =
        this.#format
          .formatToParts(ms)
          .find(({ type }) => type === 'timeZoneName')
          ?.value.slice(3) ?? '';
      this.#offsets.set(quarter, (offset = name === '' ? '+00:00' : name));
    }
    const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
    const shift = (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
    const printed = `${new Date(ms + shift).toISOString().slice(0, 19)}${offset}`;
    this.#printed.set(instant, printed);
    return printed;
  }
}

/** The front's today, tomorrow and weekend, as dates. */
function datesOf(front: Front, now: string) {
  const today = Date.parse(Clock.of(front.timezone).print(now).slice(0, 10));
  const isWeekend = (day: number): boolean => front.weekend_days.includes(String(new Date(day).getUTCDay() || 7));
  let day = today;
  if (isWeekend(day)) while (isWeekend(day - DAY_MS)) day -= DAY_MS;
  else while (!isWeekend(day)) day += DAY_MS;
  const weekend: string[] = [];
  for (; isWeekend(day); day += DAY_MS) weekend.push(dateText(day));
  return { today: dateText(today), tomorrow: dateText(today + DAY_MS), weekend };
}

const dateText = (day: number): string => new Date(day).toISOString().slice(0, 10);
const isWithin = (now: string, from: string | null, until: string | null): boolean =>
  (from === null || from <= now) && (until === null || now < until);
const isLive = (tier: Tier, now: string): boolean => tier.valid_until === null || now < tier.valid_until;
const isSoldOut = (available: number | null): boolean => available !== null && available <= 0;

type Shared = Awaited<ReturnType<typeof loadShared>>;
type Dates = ReturnType<typeof datesOf>;

/** Both documents of a front, as text. */
function render(front: Front, data: Data, shared: Shared, now: string): { products: string; categories: string } {
  const dates = datesOf(front, now);
  const excluded = new Set(data.exclusions.get(front.id)?.map((row) => row.session_id));
  const groups = data.groups.get(front.id) ?? [];
  const reached = {
    categories: new Set<number>(),
    groups: new Set<number>(),
    tags: new Set<number>(),
    badges: new Set<number>(),
  };
  const cards: object[] = [];
  for (const listing of data.listings.get(front.id) ?? []) {
    const { id } = listing;
    if (!isWithin(now, listing.visible_from, listing.visible_until)) continue;
    const offer = offerOf(data.sessions.get(id) ?? [], data.tiers.get(id) ?? [], excluded, now);
    if (offer === null) continue;
    const own = new Map(data.productBadges.get(id)?.map((row) => [row.badge_id, row]));
    const badges = shared.badges.filter((badge) => {
      const row = own.get(badge.id);
      if (row === undefined ? !shared.everywhere.has(badge.id) : !isWithin(now, row.valid_from, row.valid_until))
        return false;
      return badge.rule === null || (badge.rule === 'moved' ? isMoved(offer) : isFewLeft(offer, badge.rule_below ?? 0));
    });
    for (const badge of badges) reached.badges.add(badge.id);
    for (const row of data.productCategories.get(id) ?? []) reached.categories.add(row.category_id);
    for (const row of data.productTags.get(id) ?? []) reached.tags.add(row.tag_id);
    const weights = new Map(data.productGroups.get(id)?.map((row) => [row.group_id, row.sort_weight]));
    const attached = groups.flatMap((group) => {
      const sortWeight = weights.get(group.id);
      if (sortWeight === undefined) return [];
      reached.groups.add(group.id);
      return [{ slug: group.slug, sortWeight }];
    });
    cards.push(
      cardOf(
        front,
        listing,
        offer,
        badges.map(({ slug }) => slug),
        attached,
        dates,
        now,
      ),
    );
  }
  const categories = (data.categories.get(front.id) ?? [])
    .filter(({ id }) => reached.categories.has(id))
    .map(({ id, slug, name_singular, name_plural }) => ({
      id,
      slug,
      nameSingular: name_singular,
      namePlural: name_plural ?? name_singular,
    }));
  const document = {
    productCards: cards,
    categories,
    groups: groups
      .filter(({ id }) => reached.groups.has(id))
      .map(({ id, slug, name, card_type }) => ({ id, slug, name, cardType: card_type })),
    tags: shared.tags.filter(({ id }) => reached.tags.has(id)).map(({ id, slug, name }) => ({ id, slug, name })),
    badges: shared.badges
      .filter(({ id }) => reached.badges.has(id))
      .map(({ id, slug, name, color }) => ({ id, slug, name, color })),
  };
  return { products: `${JSON.stringify(document)}\n`, categories: `${JSON.stringify(categories)}\n` };
}

interface Offer {
  /** The sessions that a card describes. */
  readonly pool: readonly Session[];
  /** Those of all offered that are not sold out. */
  readonly left: ReadonlySet<Session>;
  readonly liveTiers: (session: Session) => readonly Tier[];
}

/** null for a product without a card. */
function offerOf(
  sessions: readonly Session[],
  tiers: readonly Tier[],
  excluded: ReadonlySet<PlainId>,
  now: string,
): Offer | null {
  const bySession = Map.groupBy(tiers, (tier) => tier.session_id);
  const byDefault = bySession.get(null) ?? [];
  const publicTiers = (session: Session): readonly Tier[] =>
    (bySession.get(session.id) ?? byDefault).filter((tier) => tier.is_public === 1);
  const live = new Map<Session, readonly Tier[]>();
  const offered = sessions.filter((session) => {
    if (session.visible_from !== null && now < session.visible_from) return false;
    if (now >= (session.sales_end_at ?? session.starts_at ?? '') || excluded.has(session.id)) return false;
    const all = publicTiers(session);
    const usable = all.filter((tier) => isLive(tier, now));
    live.set(session, usable);
    return all.length === 0 || usable.length > 0;
  });
  if (offered.length === 0) return null;
  const liveTiers = (session: Session): readonly Tier[] => live.get(session) ?? [];
  const left = offered.filter((session) => {
    const usable = liveTiers(session);
    return !isSoldOut(session.available) && (usable.length === 0 || usable.some((tier) => !isSoldOut(tier.available)));
  });
  const buyable = left.filter((session) => session.paused === 0);
  const pool = buyable.length > 0 ? buyable : left.length > 0 ? left : offered;
  return { pool, left: new Set(left), liveTiers };
}

function isMoved({ pool: [first] }: Offer): boolean {
  return first?.status === 'rescheduled' || (first?.previous_starts_at ?? first?.starts_at) !== first?.starts_at;
}

function isFewLeft({ pool, left, liveTiers }: Offer, below: number): boolean {
  if (left.size === 0) return false;
  let seats = 0;
  for (const session of pool) {
    const tiers = liveTiers(session);
    if (session.available !== null) seats += Math.max(0, session.available);
    else if (tiers.length === 0 || tiers.some((tier) => tier.available === null)) return false;
    else for (const tier of tiers) seats += Math.max(0, tier.available ?? 0);
  }
  return seats <= below;
}

function cardOf(
  front: Front,
  product: Listing,
  { pool, left, liveTiers }: Offer,
  badges: readonly string[],
  groups: readonly object[],
  dates: Dates,
  now: string,
): object {
  const printed = pool.map((one) => Clock.of(one.timezone ?? one.venue_timezone ?? 'UTC').print(one.starts_at ?? ''));
  const on = (days: readonly string[]): readonly string[] => printed.filter((text) => days.includes(text.slice(0, 10)));
  const [today, tomorrow, weekend] = [on([dates.today]), on([dates.tomorrow]), on(dates.weekend)];
  const prices = pool
    .filter((session) => left.has(session) && (session.sales_start_at === null || session.sales_start_at <= now))
    .flatMap(liveTiers)
    .filter((tier) => tier.in_price_from === 1 && tier.currency === front.currency && !isSoldOut(tier.available))
    .filter((tier) => tier.valid_from === null || tier.valid_from <= now)
    .map((tier) => tier.amount_minor);
  const slots = (name: string, found: readonly string[]) => ({
    [`${name}Slot`]: found[0] ?? null,
    [`${name}MultiScheduleSlots`]: found.length === 0 ? null : found.length > 1,
  });
  const isPaused = product.paused === 1 && (product.paused_until === null || now < product.paused_until);
  return {
    productId: product.id,
    slug: product.slug ?? String(product.id),
    name: product.name,
    ageRating: product.age_rating,
    saleSchema: product.sale_schema,
    featured: product.featured === 1,
    banner: product.banner === 1,
    pushka: product.pushka === 1,
    paused: isPaused || product.front_paused === 1 || pool.every((session) => session.paused === 1),
    soldOut: left.size === 0,
    nextScheduleSlot: printed[0],
    multiScheduleSlots: pool.length > 1,
    imageUrl: product.url,
    altText: product.alt_text,
    copyright: product.copyright,
    copyrightUrl: product.copyright_url,
    inventoryItemName: pool[0]?.venue ?? null,
    multiInventoryItems: new Set(pool.map((session) => session.venue_id)).size > 1,
    priceFrom: prices.length === 0 ? null : Math.min(...prices) / 10 ** front.currency_exponent,
    badges,
    groups,
    ...slots('today', today),
    ...slots('tomorrow', tomorrow),
    ...slots('weekend', weekend),
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { db: { type: 'string' }, out: { type: 'string' }, now: { type: 'string' }, once: { type: 'boolean' } },
  });
  const { db: path = '', out = '', now = '', once = false } = values;
  const db = plainKysely(new Database(path, { readonly: true, fileMustExist: true }));
  const shared = await loadShared(db);
  const all = once ? await load(db, null) : null;
  for (const front of await activeFronts(db)) {
    const documents = render(front, all ?? (await load(db, front.id)), shared, now);
    const folder = join(out, 'public', 'fronts', front.code);
    await mkdir(folder, { recursive: true });
    for (const [endpoint, text] of Object.entries(documents)) {
      const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
      await writeFile(join(folder, `${endpoint}.${digest}.json`), text);
    }
  }
  await db.destroy();
}

await main();
