// Why a product has a card on a front or has none, rule by rule, as plain data. The rules themselves are those of offer.ts, which the
// build asks too; what they look past (sessions that are over, tiers that are private) is told from the rows.

import { frontDaysOf } from './calendar.ts';
import { cardStateAt, nextCardChange, type CardFacts, type ShelvedProduct } from './card-facts.ts';
import { periodContains } from './period.ts';
import { formatInstant, instantOf, type Instant } from './instant.ts';
import {
  isOnSale,
  offerRefusalAt,
  outReasonAt,
  poolAt,
  priceFromAt,
  priceRefusalAt,
  type DropReason,
  type OfferRefusal,
  type PriceRefusal,
} from './offer.ts';
import type { PriceTier, Session, Venue } from './product.ts';

/** A session as its row has it, whatever its status, over or not. */
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

export type Day = 'today' | 'tomorrow' | 'weekend';

export interface ExplainedSession {
  readonly session: number;
  /** The venue's wall time, as documents print it. */
  readonly start: string;
  readonly venue: string;
  readonly status: SessionRow['status'];
  /** The first rule that refuses it; null where it is offered. Those of a product that is not published are not looked at further. */
  readonly refusal: 'not-scheduled' | OfferRefusal | 'product-not-published' | null;
  readonly soldOut: 'no-seats' | 'no-tickets' | null;
  /** Whether the card describes it: the offered sessions that are not sold out, else all offered ones. */
  readonly isInPool: boolean;
  readonly isOnSale: boolean;
  readonly salesStartAt: string | null;
  readonly salesEndAt: string | null;
  readonly isPaused: boolean;
  readonly available: number | null;
  /** Which of the front's days the date on its ticket is. */
  readonly days: readonly Day[];
}

export type TierVerdict =
  /** It is the card's `priceFrom`. */
  | 'price-from'
  /** It counts, and another costs less. */
  | 'dearer'
  | 'addon'
  | 'private'
  | PriceRefusal
  /** No session that can be bought now sells it: it has tiers of its own, sales have not begun, or it is sold out. */
  | 'no-session';

export interface ExplainedTier {
  readonly tier: number;
  readonly name: string;
  /** null for a default of all sessions without ticket tiers of their own. */
  readonly session: number | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly available: number | null;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly verdict: TierVerdict;
}

/** A category, group, tag or badge of the product, and whether the front shows it with this card. */
export interface ExplainedFacet {
  readonly kind: 'category' | 'group' | 'tag' | 'badge';
  readonly slug: string;
  readonly name: string;
  readonly refusal: 'no-card' | 'not-attached' | 'not-yet' | 'ended' | null;
  readonly validFrom: string | null;
  readonly validUntil: string | null;
}

export interface ExplainedChange {
  readonly at: string;
  /** null where there will be no card: then the reason says why. */
  readonly card: CardFacts | null;
  readonly reason: DropReason | null;
}

export interface Explanation {
  readonly reason: DropReason | null;
  readonly card: CardFacts | null;
  readonly shelf: {
    readonly featured: boolean;
    readonly banner: boolean;
    readonly paused: boolean;
    readonly visibleFrom: string | null;
    readonly visibleUntil: string | null;
  };
  /** Until when the product itself is paused; `open` where there is no end; null where it is not. */
  readonly pausedUntil: string | null;
  /** By (start, id). */
  readonly sessions: readonly ExplainedSession[];
  /** By (session, id), the defaults first. */
  readonly tiers: readonly ExplainedTier[];
  readonly facets: readonly ExplainedFacet[];
  readonly nextChange: ExplainedChange | null;
}

/** Explains one product on one front at an instant; `sessionRows` and `tierRows` are all of the product's. */
export function explainAt(
  loaded: ShelvedProduct,
  sessionRows: readonly SessionRow[],
  tierRows: readonly TierRow[],
  now: Instant,
): Explanation {
  // The load counts sessions only for products that may have no card now; here they are asked about later instants as well.
  const scheduledTotal = sessionRows.filter(({ status }) => status === 'scheduled').length;
  const product = { ...loaded.product, sessionsTotal: sessionRows.length, scheduledTotal };
  const shelved = { ...loaded, product };
  const { entry } = shelved;
  const { facts, reason } = cardStateAt(shelved, now);
  const next = nextCardChange(shelved, now);
  return {
    reason,
    card: facts,
    shelf: {
      featured: entry.isFeatured,
      banner: entry.isBanner,
      paused: entry.isPaused,
      visibleFrom: endText(entry.visible.from),
      visibleUntil: endText(entry.visible.until),
    },
    pausedUntil: now >= product.pausedUntil ? null : (endText(product.pausedUntil) ?? 'open'),
    sessions: explainSessions(sessionRows, shelved, now),
    tiers: explainTiers(tierRows, shelved, now),
    facets: explainFacets(shelved, facts !== null, now),
    nextChange:
      next === null ? null : { at: formatInstant(next.at), card: next.state.facts, reason: next.state.reason },
  };
}

function explainSessions(
  rows: readonly SessionRow[],
  { front, product }: ShelvedProduct,
  now: Instant,
): ExplainedSession[] {
  const excluded = product.exclusions.get(front.id);
  const loaded = new Map(product.sessions.map((session) => [session.id, session]));
  const pool = new Set(poolAt(product, excluded, now)?.sessions.map(({ id }) => id));
  const days = frontDaysOf(front.zone.dayAt(now), front.weekendDays);
  return rows.map((row) => {
    const session = loaded.get(row.id);
    const day = row.venue.zone.dayAt(row.startsAt);
    const refusal = refusalOf(row, session, excluded?.sessionIds.has(row.id) === true, now);
    const isOffered = session !== undefined && offerRefusalAt(session, excluded, now) === null;
    if (isOffered !== (refusal === null)) throw new Error(`session ${row.id} is explained wrongly`);
    return {
      session: row.id,
      start: row.venue.zone.format(row.startsAt),
      venue: row.venue.name,
      status: row.status,
      refusal,
      soldOut: session !== undefined && isOffered ? outReasonAt(session, now) : null,
      isInPool: pool.has(row.id),
      isOnSale: row.salesStartAt === null || row.salesStartAt <= now,
      salesStartAt: endText(row.salesStartAt),
      salesEndAt: endText(row.salesEndAt),
      isPaused: row.isPaused,
      available: row.available,
      days: [
        ...(day === days.today ? (['today'] as const) : []),
        ...(day === days.tomorrow ? (['tomorrow'] as const) : []),
        ...(day >= days.weekendFrom && day < days.weekendUntil ? (['weekend'] as const) : []),
      ],
    };
  });
}

/** The first rule that refuses a session: its status, then those of offer.ts. The load leaves sessions out that are over already. */
function refusalOf(
  row: SessionRow,
  session: Session | undefined,
  isExcluded: boolean,
  now: Instant,
): ExplainedSession['refusal'] {
  if (row.status !== 'scheduled') return 'not-scheduled';
  if (isExcluded) return 'excluded';
  if (now >= (row.salesEndAt ?? row.startsAt)) return 'over';
  return session === undefined ? 'product-not-published' : offerRefusalAt(session, undefined, now);
}

function explainTiers(rows: readonly TierRow[], { front, product }: ShelvedProduct, now: Instant): ExplainedTier[] {
  const pool = poolAt(product, product.exclusions.get(front.id), now);
  const least = pool === null ? null : priceFromAt(pool, front.currency, now);
  const ownTiers = new Set(rows.filter(({ kind }) => kind === 'ticket').map(({ sessionId }) => sessionId));
  const selling = pool === null || pool.isSoldOut ? [] : pool.sessions.filter((session) => isOnSale(session, now));
  const isSold = (sessionId: number | null): boolean =>
    selling.some(({ id }) => (sessionId === null ? !ownTiers.has(id) : id === sessionId));
  const explained = rows.map(({ id, sessionId, name, kind, isPublic, price }): ExplainedTier => {
    let verdict: TierVerdict | null = null;
    if (kind === 'addon') verdict = 'addon';
    else if (!isPublic) verdict = 'private';
    verdict ??= priceRefusalAt(price, front.currency, now);
    verdict ??= isSold(sessionId) ? (price.amountMinor === least ? 'price-from' : 'dearer') : 'no-session';
    return {
      tier: id,
      name,
      session: sessionId,
      amountMinor: price.amountMinor,
      currency: price.currency,
      available: price.available,
      validFrom: endText(price.valid.from),
      validUntil: endText(price.valid.until),
      verdict,
    };
  });
  const isNamed = explained.some(({ verdict }) => verdict === 'price-from');
  const isCounted = explained.some(({ verdict }) => verdict === 'dearer');
  if (product.isPublished && (isNamed !== (least !== null) || (isCounted && !isNamed))) {
    throw new Error(`the price of product ${product.id} is explained wrongly`);
  }
  return explained;
}

function explainFacets({ front, product, taxonomy }: ShelvedProduct, hasCard: boolean, now: Instant): ExplainedFacet[] {
  const always = { validFrom: null, validUntil: null };
  const attached = (positions: readonly number[], position: number): ExplainedFacet['refusal'] =>
    positions.includes(position) ? (hasCard ? null : 'no-card') : 'not-attached';
  return [
    ...product.categories.map((position): ExplainedFacet => {
      const { slug = '', namePlural: name = '' } = taxonomy.categories[position] ?? {};
      return { kind: 'category', slug, name, refusal: attached(front.categories, position), ...always };
    }),
    ...product.groups.map(({ group }): ExplainedFacet => {
      const { slug = '', name = '' } = taxonomy.groups[group] ?? {};
      return { kind: 'group', slug, name, refusal: attached(front.groups, group), ...always };
    }),
    ...product.tags.map((position): ExplainedFacet => {
      const { slug = '', name = '' } = taxonomy.tags[position] ?? {};
      return { kind: 'tag', slug, name, refusal: hasCard ? null : 'no-card', ...always };
    }),
    ...product.badges.map(({ badge, valid }): ExplainedFacet => {
      const { slug = '', name = '' } = taxonomy.badges[badge] ?? {};
      const window = { validFrom: endText(valid.from), validUntil: endText(valid.until) };
      const card = hasCard ? null : 'no-card';
      const refusal = periodContains(valid, now) ? card : now < valid.from ? 'not-yet' : 'ended';
      return { kind: 'badge', slug, name, refusal, ...window };
    }),
  ];
}

/** The text of an instant; null for none, and for the open end of a period. */
function endText(instant: number | null): string | null {
  return instant === null || !Number.isFinite(instant) ? null : formatInstant(instantOf(instant));
}
