// The two documents of one front at one instant, written straight down from the definitions of the
// time-dependent fields: one front, one instant, ordinary queries, no cleverness. It is the oracle
// that the fast rendering is compared with, so it shares no code with it, and it refuses to be
// fast.

import type { Kysely } from 'kysely';

import { loadFront, type Loaded } from './plain-load.ts';
import type { PlainId, PlainTables } from './plain-tables.ts';
import { dayOf, decimal, frontDates, printedTime, type FrontDates } from './plain-values.ts';

/**
 * Why a product attached to the front has no card: the first of these that empties its set of
 * sessions.
 */
export type DropReason =
  | 'not-published'
  | 'bad-data'
  | 'not-visible'
  | 'no-sessions'
  | 'not-scheduled'
  | 'not-announced'
  | 'not-on-channel'
  | 'excluded'
  | 'over'
  | 'prices-expired';

/**
 * The exact text of both documents, final newline included, and the attached products without a
 * card, by reason.
 */
export interface PlainDocuments {
  readonly products: string;
  readonly categories: string;
  readonly dropped: Record<DropReason, number>;
  /** Products that are left out because of sessions that the tables lack. */
  readonly leftOut: readonly number[];
}

/** What errors take out of one front: see plain-containment.ts. */
export interface Spoilt {
  /** Badges that rows name which the tables given lack. */
  readonly namedBadges: ReadonlySet<number>;
  /**
   * Sessions that the tables given lack and the front does not exclude; the id is null if it cannot
   * be read.
   */
  readonly sessions: readonly {
    readonly product: number;
    readonly id: PlainId | null;
    readonly isOver: (at: string) => boolean;
  }[];
}

type Front = Loaded['front'];
type Product = Loaded['products'][number];
type Session = Loaded['sessions'][number] & {
  /** Whether the front's channel sells it. */
  readonly isHere: boolean;
  /** What the front has left of its own contingent. */
  readonly allocated: number | null;
};
type Tier = Loaded['tickets'][number];
type Card = Record<string, unknown>;

/**
 * Both documents of the front with this code at `now` (canonical UTC text, whole seconds). A
 * disabled front renders too. Throws when there is no such front, `now` is not canonical, or a time
 * zone is unknown.
 */
export async function renderPlain(
  db: Kysely<PlainTables>,
  frontCode: string,
  now: string,
  spoilt: Spoilt = { namedBadges: new Set(), sessions: [] },
): Promise<PlainDocuments> {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(now)) throw new Error(`now: expected YYYY-MM-DDTHH:MM:SSZ, got ${now}`);
  const loaded = await loadFront(db, frontCode, spoilt.namedBadges);
  const { front, products } = loaded;
  const dates = frontDates(now, front.timezone, front.day_starts_at ?? '00:00', front.weekend_days);
  const sessionsOf = groupBy(loaded.sessions, (session) => session.product_id);
  const ticketsOf = groupBy(loaded.tickets, (tier) => tier.product_id);
  const groupsOf = groupBy(loaded.productGroups, (group) => group.product_id);
  const name = namesOf(loaded);
  const badges = loaded.productBadges.filter((badge) => within(now, badge.valid_from, badge.valid_until));
  const badgesOf = groupBy(badges, (badge) => badge.product_id);
  const shownBadges: typeof badges = [];
  const excluded = new Set(loaded.exclusions.map((exclusion) => exclusion.session_id));
  const allocated = new Map(loaded.allocations.map((one) => [one.session_id, one.available]));

  const dropped: Record<DropReason, number> = {
    'not-published': 0,
    'bad-data': 0,
    'not-visible': 0,
    'no-sessions': 0,
    'not-scheduled': 0,
    'not-announced': 0,
    'not-on-channel': 0,
    excluded: 0,
    over: 0,
    'prices-expired': 0,
  };
  const cards: Card[] = [];
  const leftOut: number[] = [];
  const withCard = new Set<number>();
  for (const product of products) {
    const publicTickets = publicTicketsOf(ticketsOf.get(product.id) ?? [], front.channel);
    const isHere = isOnChannelOf(ticketsOf.get(product.id) ?? [], front.channel);
    const sessions = (sessionsOf.get(product.id) ?? []).map((session) => ({
      ...session,
      isHere: isHere(session.id),
      allocated: allocated.get(session.id) ?? null,
    }));
    const isAnyLacking = spoilt.sessions.some(({ product: id, isOver }) => id === product.id && !isOver(now));
    const isSpoilt = isAnyLacking && !isCardWithoutThem(sessions, excluded, publicTickets, now);
    if (isSpoilt && product.status === 'published') leftOut.push(product.id);
    const offered =
      product.status === 'published' && isSpoilt
        ? 'bad-data'
        : offeredOrReason(product, sessions, excluded, publicTickets, now);
    if (typeof offered === 'string') {
      dropped[offered] += 1;
      continue;
    }
    withCard.add(product.id);
    const pool = poolOf(offered, publicTickets, now);
    const shown = (badgesOf.get(product.id) ?? []).filter((badge) => holds(badge, pool, offered, publicTickets, now));
    shownBadges.push(...shown);
    const ownBadges = shown.map((badge) => badge.slug);
    const ownGroups = (groupsOf.get(product.id) ?? []).map((group) => ({
      slug: group.slug,
      sortWeight: group.product_weight,
    }));
    cards.push(card(front, product, offered, publicTickets, ownBadges, ownGroups, dates, now, name));
  }

  // The rows come one per (thing, product), in the order of the things: keep those of a product
  // with a card, once each.
  const reached = <Row extends { id: number; product_id: number }>(rows: readonly Row[]): Row[] => [
    ...new Map(rows.filter((row) => withCard.has(row.product_id)).map((row) => [row.id, row])).values(),
  ];
  const categories = reached(loaded.productCategories).map(({ id, slug, name_singular, name_plural }) => ({
    id,
    slug,
    nameSingular: name('category', id, 'name_singular', name_singular),
    namePlural: name(
      'category',
      id,
      'name_plural',
      name_plural ?? name('category', id, 'name_singular', name_singular),
    ),
  }));
  const document = {
    productCards: cards,
    categories,
    groups: reached(loaded.productGroups).map(({ id, slug, name: own, card_type }) => ({
      id,
      slug,
      name: name('group', id, 'name', own),
      cardType: card_type,
    })),
    tags: reached(loaded.productTags).map(({ id, slug, name: own }) => ({
      id,
      slug,
      name: name('tag', id, 'name', own),
    })),
    badges: reached(inOrder(shownBadges)).map(({ id, slug, name: own, color }) => ({
      id,
      slug,
      name: name('badge', id, 'name', own),
      color,
    })),
  };
  return { products: `${JSON.stringify(document)}\n`, categories: `${JSON.stringify(categories)}\n`, dropped, leftOut };
}

/** Whether good sessions alone give a card that is neither sold out nor paused because of them. */
function isCardWithoutThem(
  sessions: readonly Session[],
  excluded: ReadonlySet<PlainId>,
  publicTickets: (session: Session) => readonly Tier[],
  now: string,
): boolean {
  const always = { status: 'published', visible_from: null, visible_until: null } as const;
  const offered = offeredOrReason(always, sessions, excluded, publicTickets, now);
  if (typeof offered === 'string') return false;
  return availableOf(offered, publicTickets, now).some((session) => session.paused === 0);
}

type NameOf = <T extends string | null>(kind: string, id: PlainId | null, field: string, own: T) => T | string;

/** Looks up a text in the front's language: its tag, then the tag shortened from its end. */
function namesOf({ front, texts }: Loaded): NameOf {
  return (kind, id, field, own) => {
    for (let tag = front.locale?.toLowerCase() ?? ''; tag !== ''; tag = tag.split('-').slice(0, -1).join('-')) {
      const text = texts.find(
        (one) => one.kind === kind && one.id === String(id) && one.field === field && one.locale.toLowerCase() === tag,
      );
      if (text !== undefined) return text.text;
    }
    return own;
  };
}

/** The sessions that a card describes. */
function poolOf(
  offered: readonly Session[],
  publicTickets: (session: Session) => readonly Tier[],
  now: string,
): readonly Session[] {
  const left = availableOf(offered, publicTickets, now);
  const buyable = left.filter((session) => session.paused === 0);
  return buyable.length > 0 ? buyable : left.length > 0 ? left : offered;
}

/** Whether a badge is shown by its rule, if it has one. */
function holds(
  { rule, rule_below }: Loaded['productBadges'][number],
  pool: readonly Session[],
  offered: readonly Session[],
  publicTickets: (session: Session) => readonly Tier[],
  now: string,
): boolean {
  if (rule === null) return true;
  const [first] = pool;
  if (rule === 'moved') {
    return first?.status === 'rescheduled' || (first?.previous_starts_at ?? first?.row_start) !== first?.row_start;
  }
  if (availableOf(offered, publicTickets, now).length === 0) return false;
  const once = [...new Map(pool.map((session) => [session.id, session])).values()];
  const left = once.map((session) => {
    if (session.allocated !== null) return Math.max(0, session.allocated);
    if (session.available !== null) return Math.max(0, session.available);
    const live = publicTickets(session).filter((tier) => isLive(tier, now));
    if (live.length === 0 || live.some(({ available }) => available === null)) return Number.POSITIVE_INFINITY;
    return live.reduce((sum, { available }) => sum + Math.max(0, available ?? 0), 0);
  });
  return left.reduce((sum, seats) => sum + seats, 0) <= (rule_below ?? 0);
}

/** Badges in the order of the document. */
function inOrder<Badge extends { sort_weight: number; id: number }>(badges: readonly Badge[]): readonly Badge[] {
  return badges.toSorted((a, b) => a.sort_weight - b.sort_weight || a.id - b.id);
}

/** The offered sessions that are not sold out. */
function availableOf(
  offered: readonly Session[],
  publicTickets: (session: Session) => readonly Tier[],
  now: string,
): readonly Session[] {
  return offered.filter((session) => {
    if (session.allocated !== null) return session.allocated > 0;
    if (soldOut(session.available)) return false;
    const tiers = publicTickets(session).filter((tier) => isLive(tier, now));
    return tiers.length === 0 || tiers.some((tier) => !soldOut(tier.available));
  });
}

/** The tiers that are sold on a channel: those that name it, and those that name none. */
function onChannel<T extends Pick<Tier, 'channels'>>(tickets: readonly T[], channel: string | null): readonly T[] {
  return tickets.filter(({ channels }) => channels === null || channels.split(' ').some((name) => name === channel));
}

/** Whether a session can be sold on a channel: it has no ticket tiers at all, or one for it. */
export function isOnChannelOf(
  tickets: readonly Pick<Tier, 'session_id' | 'channels'>[],
  channel: string | null,
): (id: PlainId) => boolean {
  return (id) => {
    const all = tickets.filter(({ session_id }) => session_id === null || session_id === id);
    return all.length === 0 || onChannel(all, channel).length > 0;
  };
}

/**
 * The public ticket tiers of a session, given all ticket tiers of its product. Any own tier of the
 * channel, public or not, replaces the product's defaults.
 */
function publicTicketsOf(all: readonly Tier[], channel: string | null): (session: Session) => readonly Tier[] {
  const bySession = groupBy(onChannel(all, channel), (tier) => tier.session_id);
  return (session) => (bySession.get(session.id) ?? bySession.get(null) ?? []).filter((tier) => tier.is_public === 1);
}

/**
 * U, ordered by (starts_at, session id); or, when the product has no card, the first rule that
 * leaves it without one.
 */
function offeredOrReason(
  product: Pick<Product, 'status' | 'visible_from' | 'visible_until'>,
  sessions: readonly Session[],
  excluded: ReadonlySet<PlainId>,
  publicTickets: (session: Session) => readonly Tier[],
  now: string,
): readonly Session[] | DropReason {
  if (product.status !== 'published') return 'not-published';
  if (!within(now, product.visible_from, product.visible_until)) return 'not-visible';
  if (sessions.length === 0) return 'no-sessions';
  const scheduled = sessions.filter(({ status }) => status === 'scheduled' || status === 'rescheduled');
  if (scheduled.length === 0) return 'not-scheduled';
  const announced = scheduled.filter(({ visible_from }) => visible_from === null || visible_from <= now);
  if (announced.length === 0) return 'not-announced';
  const here = announced.filter((session) => session.isHere);
  if (here.length === 0) return 'not-on-channel';
  const sold = here.filter((session) => !excluded.has(session.id));
  if (sold.length === 0) return 'excluded';
  const ahead = sold.filter((session) => now < session.offer_ends);
  if (ahead.length === 0) return 'over';
  const offered = ahead.filter((session) => {
    const tiers = publicTickets(session);
    return tiers.length === 0 || tiers.some((tier) => isLive(tier, now));
  });
  if (offered.length === 0) return 'prices-expired';
  return offered;
}

function card(
  front: Front,
  product: Product,
  offered: readonly Session[],
  publicTickets: (session: Session) => readonly Tier[],
  badges: readonly string[],
  groups: readonly { slug: string; sortWeight: number }[],
  dates: FrontDates,
  now: string,
  name: NameOf,
): Card {
  const liveTickets = (session: Session) => publicTickets(session).filter((tier) => isLive(tier, now));
  const left = availableOf(offered, publicTickets, now);
  const pool = poolOf(offered, publicTickets, now);
  const printed = pool.map((session) => printedTime(session.starts_at, session.zone));
  const days = pool.map((session) => dayOf(session.starts_at, session.zone, front.day_starts_at ?? '00:00'));
  const on = (dates: readonly string[]) => printed.filter((_, i) => dates.includes(days[i] ?? ''));
  const today = on([dates.today]);
  const tomorrow = on([dates.tomorrow]);
  const weekend = on(dates.weekend);
  const productPaused = product.paused === 1 && (product.paused_until === null || now < product.paused_until);

  const prices = pool
    .filter((session) => left.includes(session))
    .filter((session) => session.sales_start_at === null || session.sales_start_at <= now)
    .flatMap(liveTickets)
    .filter((tier) => tier.valid_from === null || tier.valid_from <= now)
    .filter((tier) => tier.in_price_from === 1 && tier.currency === front.currency && !soldOut(tier.available))
    .map((tier) => tier.amount_minor);

  return {
    productId: product.id,
    slug: product.slug ?? String(product.id),
    name: name('product', product.id, 'name', product.name),
    ageRating: product.age_rating,
    saleSchema: product.sale_schema,
    featured: product.featured === 1,
    banner: product.banner === 1,
    pushka: product.pushka === 1,
    paused: productPaused || product.front_paused === 1 || pool.every((session) => session.paused === 1),
    soldOut: left.length === 0,
    nextScheduleSlot: printed[0],
    multiScheduleSlots: pool.length > 1,
    imageUrl: product.url,
    altText: name('image', product.image_id, 'alt_text', product.alt_text),
    copyright: name('image', product.image_id, 'copyright', product.copyright),
    copyrightUrl: product.copyright_url,
    inventoryItemName: name('venue', pool[0]?.venue_id ?? null, 'name', pool[0]?.venue_name ?? null),
    multiInventoryItems: new Set(pool.map((session) => session.venue_id)).size > 1,
    priceFrom: prices.length === 0 ? null : decimal(Math.min(...prices), front.currency_exponent),
    badges,
    groups,
    todaySlot: today[0] ?? null,
    todayMultiScheduleSlots: today.length === 0 ? null : today.length > 1,
    tomorrowSlot: tomorrow[0] ?? null,
    tomorrowMultiScheduleSlots: tomorrow.length === 0 ? null : tomorrow.length > 1,
    weekendSlot: weekend[0] ?? null,
    weekendMultiScheduleSlots: weekend.length === 0 ? null : weekend.length > 1,
  };
}

/**
 * live(t): a tier that has not begun yet is live all the same; only priceFrom asks for
 * `valid_from`.
 */
function isLive(tier: Tier, now: string): boolean {
  return tier.valid_until === null || now < tier.valid_until;
}

/** NULL means "not limited" and is never sold out. */
function soldOut(available: number | null): boolean {
  return available !== null && available <= 0;
}

/**
 * Whether `now` is inside `[from, until)`; instants are canonical UTC text, which sorts as it
 * flows.
 */
function within(now: string, from: string | null, until: string | null): boolean {
  return (from === null || from <= now) && (until === null || now < until);
}

function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
