// The rules of fields.md for one product on one front, each with its outcome. The card is the one that a build renders, and the rules are
// those of offer.ts, as in rendering. What rendering ignores (past sessions, private tiers) is judged by its rows.

import { frontDaysOf } from '../catalogue/calendar.ts';
import { formatInstant, instantOf, SECONDS_PER_DAY, type Instant } from '../catalogue/instant.ts';
import { isOnSale, offerRefusalAt, outReasonAt, poolAt, priceFromAt, priceRefusalAt } from '../catalogue/offer.ts';
import { ALWAYS, periodContains, type Period } from '../catalogue/period.ts';
import type { Session } from '../catalogue/product.ts';
import type { ExplainedFacet, ExplainedRules, ExplainedSession, ExplainedTier } from '../contract/explain-result.ts';
import type { SessionRow, TierRow } from '../database/read/explain-rows.ts';
import { instantIn } from '../database/schema/values.ts';
import { sha256BytesOf } from '../release/tree/digest.ts';
import { productStates, type PlacedProduct } from '../render/product-states.ts';

/** How far ahead to look for the next change. */
const AHEAD_SECONDS = 366 * SECONDS_PER_DAY;

/**
 * Explains a product at an instant. `sessionRows` and `tierRows` must be complete. A product that the front does not list has a neutral
 * entry, so that its other rules can be explained, and no card.
 */
export function explainRules(
  loaded: PlacedProduct,
  isListed: boolean,
  sessionRows: readonly SessionRow[],
  tierRows: readonly TierRow[],
  now: Instant,
): ExplainedRules {
  // The load counts the sessions only of products without a card now, but a later state needs the totals too. The rows lack sessions at
  // a venue with a bad row, which the load counts.
  const scheduled = sessionRows.filter(({ status }) => status === 'scheduled').length;
  const sessionsTotal = Math.max(loaded.product.sessionsTotal, sessionRows.length);
  const scheduledTotal = Math.max(loaded.product.scheduledTotal, scheduled);
  const product = { ...loaded.product, sessionsTotal, scheduledTotal };
  const placed = { ...loaded, product };
  const [state, next] = productStates(placed, sha256BytesOf, instantOf(now + AHEAD_SECONDS), now);
  if (state === undefined) throw new Error('no state at now');
  const { isFeatured, isBanner, isPaused, visible } = placed.entry;
  const card = isListed ? state.card : null;
  return {
    reason: state.reason,
    card,
    shelf: {
      featured: isFeatured,
      banner: isBanner,
      paused: isPaused,
      visibleFrom: endText(visible.from),
      visibleUntil: endText(visible.until),
    },
    pausedUntil: now >= product.pausedUntil ? null : (endText(product.pausedUntil) ?? 'open'),
    sessions: explainSessions(sessionRows, placed, now),
    tiers: explainTiers(tierRows, placed, now),
    facets: explainFacets(placed, card !== null, now),
    nextChange:
      next === undefined || !isListed ? null : { at: formatInstant(next.from), card: next.card, reason: next.reason },
  };
}

function explainSessions(
  rows: readonly SessionRow[],
  { front, product }: PlacedProduct,
  now: Instant,
): ExplainedSession[] {
  const excluded = product.exclusions.get(front.id);
  const loaded = new Map(product.sessions.map((session) => [session.id, session]));
  const pool = new Set(poolAt(product, excluded, now)?.sessions.map(({ id }) => id));
  const days = frontDaysOf(front.zone.dayAt(now), front.weekendDays);
  return rows.map((row) => {
    const { id, venue, status, startsAt, ...sales } = row;
    const session = loaded.get(id);
    const day = venue.zone.dayAt(startsAt);
    const refusal = refusalOf(row, session, excluded?.sessionIds.has(id) === true, now);
    const isOffered = session !== undefined && offerRefusalAt(session, excluded, now) === null;
    if (isOffered !== (refusal === null)) throw new Error(`session ${id} is explained wrongly`);
    const isOn = {
      today: day === days.today,
      tomorrow: day === days.tomorrow,
      weekend: day >= days.weekendFrom && day < days.weekendUntil,
    };
    return {
      session: id,
      start: venue.zone.format(startsAt),
      venue: venue.name,
      status,
      refusal,
      soldOut: session !== undefined && isOffered ? outReasonAt(session, now) : null,
      isInPool: pool.has(id),
      isOnSale: sales.salesStartAt === null || sales.salesStartAt <= formatInstant(now),
      ...sales,
      days: (['today', 'tomorrow', 'weekend'] as const).filter((name) => isOn[name]),
    };
  });
}

/** The first rule that refuses a session. The load omits sessions that are over, so that is judged by the row. */
function refusalOf(
  { status, startsAt, salesEndAt }: SessionRow,
  session: Session | undefined,
  isExcluded: boolean,
  now: Instant,
): ExplainedSession['refusal'] {
  if (status !== 'scheduled') return 'not-scheduled';
  if (isExcluded) return 'excluded';
  if (now >= (salesEndAt === null ? startsAt : instantIn(salesEndAt))) return 'over';
  return session === undefined ? 'product-not-published' : offerRefusalAt(session, undefined, now);
}

function explainTiers(rows: readonly TierRow[], { front, product }: PlacedProduct, now: Instant): ExplainedTier[] {
  const pool = poolAt(product, product.exclusions.get(front.id), now);
  const least = pool === null ? null : priceFromAt(pool, front.currency, now);
  const ownTiers = new Set(rows.filter(({ kind }) => kind === 'ticket').map(({ sessionId }) => sessionId));
  const selling = pool === null || pool.isSoldOut ? [] : pool.sessions.filter((session) => isOnSale(session, now));
  const isSold = (sessionId: number | null): boolean =>
    selling.some(({ id }) => (sessionId === null ? !ownTiers.has(id) : id === sessionId));
  const verdictOf = ({ kind, isPublic, price, sessionId }: TierRow): ExplainedTier['verdict'] => {
    if (kind === 'addon') return 'addon';
    if (!isPublic) return 'private';
    const refusal = priceRefusalAt(price, front.currency, now);
    if (refusal !== null) return refusal;
    if (!isSold(sessionId)) return 'no-session';
    return price.amountMinor === least ? 'price-from' : 'dearer';
  };
  const tiers = rows.map((row) => ({
    tier: row.id,
    name: row.name,
    session: row.sessionId,
    amountMinor: row.price.amountMinor,
    currency: row.price.currency,
    available: row.price.available,
    validFrom: endText(row.price.valid.from),
    validUntil: endText(row.price.valid.until),
    verdict: verdictOf(row),
  }));
  const isNamed = tiers.some(({ verdict }) => verdict === 'price-from');
  const isCounted = tiers.some(({ verdict }) => verdict === 'dearer');
  if (product.isPublished && (isNamed !== (least !== null) || (isCounted && !isNamed))) {
    throw new Error(`the price of product ${product.id} is explained wrongly`);
  }
  return tiers;
}

function explainFacets({ front, product, taxonomy }: PlacedProduct, hasCard: boolean, now: Instant): ExplainedFacet[] {
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
      const { slug = '', namePlural: name = '' } = taxonomy.categories[position] ?? {};
      return explain('category', { slug, name }, attached(front.categories, position));
    }),
    ...product.groups.map(({ group }) => explain('group', taxonomy.groups[group], attached(front.groups, group))),
    ...product.tags.map((position) => explain('tag', taxonomy.tags[position])),
    ...product.badges.map(({ badge, valid }) => {
      const refusal = periodContains(valid, now) ? null : now < valid.from ? 'not-yet' : 'ended';
      return explain('badge', taxonomy.badges[badge], refusal, valid);
    }),
  ];
}

/** An end of a period as text; null if it is open. */
function endText(instant: number): string | null {
  return Number.isFinite(instant) ? formatInstant(instantOf(instant)) : null;
}
