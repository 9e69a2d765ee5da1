// What the rules of catalogue/ return for one product on one front, each session, tier and list
// with its reason. States no rule itself: the card is the one that a build renders.

import { frontDaysAt } from '../catalogue/days.ts';
import { formatDateTime, formatInstant, instantOf, SECONDS_PER_DAY, type Instant } from '../catalogue/instant.ts';
import {
  hasTier,
  holdsRule,
  isOnSale,
  isProductPaused,
  isTierSold,
  offerRefusalAt,
  outReasonAt,
  pauseReasonsAt,
  poolAt,
  priceFromAt,
  priceRefusalAt,
  slotNamesOf,
  tierRefusal,
  type Pool,
} from '../catalogue/offer.ts';
import { ALWAYS, outsideOf, type Period } from '../catalogue/period.ts';
import type { DailyDates, FrontTerms, Product, Session, SessionKey } from '../catalogue/product.ts';
import type {
  ExplainedDailySession,
  ExplainedFacet,
  ExplainedRules,
  ExplainedSession,
  ExplainedTier,
} from '../contract/results/explain.ts';
import type { TierRow } from '../database/load/explain-rows.ts';
import type { SessionState } from '../preview/messages.ts';
import type { Front } from '../catalogue/front.ts';
import { productOn } from '../catalogue/selling.ts';
import { sha256BytesOf } from '../release/tree/digest.ts';
import { productStates, type PlacedProduct } from '../render/product-states.ts';

/** How far ahead to look for the next change. */
const AHEAD_SECONDS = 366 * SECONDS_PER_DAY;

/**
 * Explains a product at an instant. The product must have all its sessions, past ones too, and
 * `tierRows` all its tiers. A product that the front does not list has a neutral entry, so that its
 * other rules can be explained, and no card.
 */
export function explainRules(
  placed: PlacedProduct,
  isListed: boolean,
  tierRows: readonly TierRow[],
  now: Instant,
): ExplainedRules {
  const [state, next] = productStates(placed, sha256BytesOf, instantOf(now + AHEAD_SECONDS), now);
  if (state === undefined) throw new Error('no state at now');
  const { front, entry } = placed;
  const terms = placed.product.terms.get(front.id);
  const product = productOn(placed.product, front.channel, terms);
  const { isFeatured, isBanner, isPaused, visible } = entry;
  const pool = product.isPublished ? poolAt(product, terms, now) : null;
  const price = pool === null ? null : priceFromAt(pool, front.currency, now);
  const card = isListed ? state.card : null;
  const sessions = explainSessions({ ...placed, product }, pool, now);
  return {
    reason: state.reason,
    card,
    listing: {
      featured: isFeatured,
      banner: isBanner,
      paused: isPaused,
      visibleFrom: endText(visible.from),
      visibleUntil: endText(visible.until),
      hidden: outsideOf(visible, now),
    },
    pausedUntil: now >= product.pausedUntil ? null : (endText(product.pausedUntil) ?? 'open'),
    pauses: pool === null ? [] : pauseReasonsAt(product, entry, pool, now),
    noPrice: typeof price === 'string' ? price : null,
    sessions,
    dailySessions: explainDaily(product.sessions, sessions),
    tiers: explainTiers(tierRows, front, pool, price, now),
    facets: explainFacets(placed, pool, card !== null, now),
    nextChange:
      next === undefined || !isListed ? null : { at: formatInstant(next.from), card: next.card, reason: next.reason },
  };
}

function explainSessions(
  { front, product, texts }: PlacedProduct,
  pool: Pool | null,
  now: Instant,
): ExplainedSession[] {
  const terms = product.terms.get(front.id);
  const names = texts.in(front.locale);
  const days = frontDaysAt(front.zone.daysFrom(front.dayStartsAt), front.weekendDays, now);
  return product.sessions.map((session) => {
    const {
      id,
      venue,
      zone,
      status,
      startsAt,
      offerEndsAt,
      salesStartAt,
      announcedAt,
      isPaused,
      available,
      isAllocated,
    } = session;
    const refusal = refusalAt(product, session, terms, now);
    return {
      session: id,
      start: zone.format(startsAt),
      venue: names.of('venue', 'name', venue.id, venue.name),
      status,
      refusal,
      soldOut: offerRefusalAt(session, terms, now) === null ? outReasonAt(session, now) : null,
      isInPool: pool?.sessions.includes(session) === true,
      isOnSale: isOnSale(session, now),
      announcedAt: endText(announcedAt),
      salesStartAt: endText(salesStartAt),
      salesEndAt: offerEndsAt === startsAt ? null : formatInstant(offerEndsAt),
      isPaused,
      available,
      isAllocated,
      days: slotNamesOf(session, days),
    };
  });
}

/** The first rule that refuses a session; null if it is offered. */
function refusalAt(
  { isPublished }: Product,
  session: Session,
  terms: FrontTerms | undefined,
  now: Instant,
): ExplainedSession['refusal'] {
  return offerRefusalAt(session, terms, now) ?? (isPublished ? null : 'product-not-published');
}

/** How the visitors of a front find a session of a product as the front sells it. */
export function sessionStateAt(
  { entry, product, front }: Pick<PlacedProduct, 'entry' | 'product' | 'front'>,
  session: Session,
  now: Instant,
): SessionState {
  const refusal = refusalAt(product, session, product.terms.get(front.id), now);
  if (refusal !== null) return refusal;
  if (outsideOf(entry.visible, now) !== null) return 'not-visible';
  if (outReasonAt(session, now) !== null) return 'sold-out';
  if (session.isPaused || entry.isPaused || isProductPaused(product, now)) return 'paused';
  return isOnSale(session, now) ? 'on-sale' : 'not-on-sale';
}

/**
 * Explains one session, or one date of a daily session, as if its product had no other: then what
 * the rules say of the product, they say of the session. null if there is none that starts then.
 */
export function explainSession(
  placed: PlacedProduct,
  isListed: boolean,
  tierRows: readonly TierRow[],
  { id, startsAt }: SessionKey,
  now: Instant,
): ExplainedRules | null {
  const isMeant = (one: Session): boolean => String(one.id) === id && one.startsAt === startsAt;
  const { front, product } = placed;
  const whole = product.sessions.find(isMeant);
  const sold = productOn(product, front.channel, product.terms.get(front.id)).sessions.find(isMeant);
  if (whole === undefined || sold === undefined) return null;
  const isItsOwn = ({ sessionId, kind, price }: TierRow): boolean =>
    sessionId === null ? kind === 'addon' || hasTier(sold, price) : sessionId === sold.id;
  const alone = { ...product, sessions: [{ ...whole, daily: null }], badSessions: [] };
  return explainRules({ ...placed, product: alone }, isListed, tierRows.filter(isItsOwn), now);
}

/** Each daily session once; `explained` are its dates and all others, in the same order. */
function explainDaily(sessions: readonly Session[], explained: readonly ExplainedSession[]): ExplainedDailySession[] {
  const datesOf = new Map<Session['id'], { readonly daily: DailyDates; readonly dates: ExplainedSession[] }>();
  for (const [i, { id, daily }] of sessions.entries()) {
    const date = explained[i];
    if (daily === null || date === undefined) continue;
    const known = datesOf.get(id) ?? { daily, dates: [] };
    known.dates.push(date);
    datesOf.set(id, known);
  }
  return [...datesOf].map(([session, { daily, dates }]) => {
    const offered = dates.filter(({ refusal }) => refusal === null);
    const refused = new Map<NonNullable<ExplainedSession['refusal']>, number>();
    // Those that are not loaded are over.
    if (daily.total > dates.length) refused.set('over', daily.total - dates.length);
    for (const { refusal } of dates) if (refusal !== null) refused.set(refusal, (refused.get(refusal) ?? 0) + 1);
    return {
      session,
      opens: formatDateTime(daily.opensAt),
      closes: formatDateTime(daily.closesAt),
      dates: daily.total,
      offered: offered.length,
      refused: [...refused].map(([refusal, count]) => ({ refusal, dates: count })),
      shown: offered.flatMap(({ start, days }, i) =>
        i === 0 || days.length > 0 ? [{ start, isNext: i === 0, days }] : [],
      ),
    };
  });
}

function explainTiers(
  rows: readonly TierRow[],
  { currency, channel }: Front,
  pool: Pool | null,
  priceFrom: number | string | null,
  now: Instant,
): ExplainedTier[] {
  const isElsewhere = (channels: TierRow['channels']): boolean =>
    channels !== null && (channel === null || !channels.includes(channel));
  const verdictOf = ({ sessionId, kind, isPublic, price, channels }: TierRow): ExplainedTier['verdict'] => {
    if (isElsewhere(channels)) return 'other-channel';
    const refusal = tierRefusal(kind, isPublic) ?? priceRefusalAt(price, currency, now);
    if (refusal !== null) return refusal;
    if (pool === null || !isTierSold(pool, price, sessionId, now)) return 'no-session';
    return price.amountMinor === priceFrom ? 'price-from' : 'dearer';
  };
  return rows.map((row) => ({
    tier: row.id,
    name: row.name,
    session: row.sessionId,
    amountMinor: row.price.amountMinor,
    currency: row.price.currency,
    available: row.price.available,
    channels: row.channels,
    validFrom: endText(row.price.valid.from),
    validUntil: endText(row.price.valid.until),
    verdict: verdictOf(row),
  }));
}

function explainFacets(
  { front, product, taxonomy, texts }: PlacedProduct,
  pool: Pool | null,
  hasCard: boolean,
  now: Instant,
): ExplainedFacet[] {
  const names = texts.in(front.locale);
  const named = (
    kind: 'group' | 'tag' | 'badge',
    element: { readonly id: number; readonly slug: string; readonly name: string } | undefined,
  ) => element && { slug: element.slug, name: names.of(kind, 'name', element.id, element.name) };
  const explain = (
    kind: ExplainedFacet['kind'],
    { slug = '', name = '' }: { readonly slug?: string; readonly name?: string } = {},
    refusal: ExplainedFacet['refusal'] = null,
    { from, until }: Period = ALWAYS,
  ): ExplainedFacet => ({
    kind,
    slug,
    name,
    refusal: refusal ?? (hasCard ? null : 'no-card'),
    validFrom: endText(from),
    validUntil: endText(until),
  });
  const attached = (positions: readonly number[], position: number) =>
    positions.includes(position) ? null : 'not-attached';
  return [
    ...product.categories.map((position) => {
      const { id = 0, slug = '', nameSingular = '', namePlural = null } = taxonomy.categories[position] ?? {};
      const { namePlural: name } = names.ofCategory(id, nameSingular, namePlural);
      return explain('category', { slug, name }, attached(front.categories, position));
    }),
    ...product.groups.map(({ group }) =>
      explain('group', named('group', taxonomy.groups[group]), attached(front.groups, group)),
    ),
    ...product.tags.map((position) => explain('tag', named('tag', taxonomy.tags[position]))),
    ...product.badges.map(({ badge, valid }) => {
      const element = taxonomy.badges[badge];
      const isHeld = pool === null || holdsRule(element?.rule ?? null, pool, now);
      return explain('badge', named('badge', element), outsideOf(valid, now) ?? (isHeld ? null : 'rule'), valid);
    }),
  ];
}

/** An end of a period as text; null if it is open. */
function endText(instant: number): string | null {
  return Number.isFinite(instant) ? formatInstant(instantOf(instant)) : null;
}
