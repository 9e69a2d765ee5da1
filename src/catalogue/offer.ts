// What is offered, available and in the pool at an instant, and the card fields that follow from it. Implements fields.md word for word.

import type { FrontDays } from './calendar.ts';
import type { Instant } from './instant.ts';
import type { Exclusion, PriceTier, Product, Session } from './product.ts';

/** Why a product has no card, in the order in which fields.md checks. */
export const DROP_REASONS = [
  'not-published',
  'not-visible',
  'no-sessions',
  'not-scheduled',
  'excluded',
  'over',
  'prices-expired',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** The sessions a card describes: A if it is not empty, else U (fields.md); by (startsAt, id). */
export interface Pool {
  readonly sessions: readonly Session[];
  /** A is empty: every offered session is sold out. */
  readonly isSoldOut: boolean;
}

export function isLive(tier: PriceTier, now: Instant): boolean {
  return now < tier.valid.until;
}

/** The first rule of fields.md by which a scheduled session is not offered. */
export type OfferRefusal = 'excluded' | 'over' | 'prices-expired';

/** offered(s) of fields.md for a scheduled session: null if it is offered. */
export function offerRefusalAt(session: Session, excluded: Exclusion | undefined, now: Instant): OfferRefusal | null {
  if (excluded?.sessionIds.has(session.id) === true) return 'excluded';
  if (now >= session.offerEndsAt) return 'over';
  if (session.tiers.length > 0 && !session.tiers.some((tier) => isLive(tier, now))) return 'prices-expired';
  return null;
}

/** Whether any of a product's sessions is offered, on a front with these exclusions. */
export function isAnyOffered(product: Product, excluded: Exclusion | undefined, now: Instant): boolean {
  return product.sessions.some((session) => offerRefusalAt(session, excluded, now) === null);
}

/** out(s) of fields.md: no seats left in the session itself, or none at any live price; null if it is not sold out. */
export function outReasonAt(session: Session, now: Instant): 'no-seats' | 'no-tickets' | null {
  if (session.available !== null && session.available <= 0) return 'no-seats';
  let isAnyLive = false;
  for (const tier of session.tiers) {
    if (!isLive(tier, now)) continue;
    if (tier.available === null || tier.available > 0) return null;
    isAnyLive = true;
  }
  return isAnyLive ? 'no-tickets' : null;
}

/** The pool at an instant; null if nothing is offered, so that the product has no card. */
export function poolAt(product: Product, excluded: Exclusion | undefined, now: Instant): Pool | null {
  const offered: Session[] = [];
  const available: Session[] = [];
  for (const session of product.sessions) {
    if (offerRefusalAt(session, excluded, now) !== null) continue;
    offered.push(session);
    if (outReasonAt(session, now) === null) available.push(session);
  }
  if (offered.length === 0) return null;
  return available.length > 0 ? { sessions: available, isSoldOut: false } : { sessions: offered, isSoldOut: true };
}

/** Why poolAt returns null for the product at an instant. */
export function dropReasonAt(product: Product, excluded: Exclusion | undefined, now: Instant): DropReason {
  if (product.sessionsTotal === 0) return 'no-sessions';
  if (product.scheduledTotal === 0) return 'not-scheduled';
  if (product.scheduledTotal === (excluded?.scheduledTotal ?? 0)) return 'excluded';
  const isAnyBeforeEnd = product.sessions.some(
    (session) => now < session.offerEndsAt && excluded?.sessionIds.has(session.id) !== true,
  );
  return isAnyBeforeEnd ? 'prices-expired' : 'over';
}

/** Why a public ticket tier of a session on sale does not count towards `priceFrom`. */
export type PriceRefusal = 'not-counted' | 'other-currency' | 'not-yet-valid' | 'expired' | 'none-left';

/** The rule of `priceFrom` for one tier: null if its amount counts. */
export function priceRefusalAt(tier: PriceTier, currency: string, now: Instant): PriceRefusal | null {
  if (!tier.isInPriceFrom) return 'not-counted';
  if (tier.currency !== currency) return 'other-currency';
  if (now < tier.valid.from) return 'not-yet-valid';
  if (!isLive(tier, now)) return 'expired';
  if (tier.available !== null && tier.available <= 0) return 'none-left';
  return null;
}

/** Whether sales of a session have begun. */
export function isOnSale(session: Session, now: Instant): boolean {
  return session.salesStartAt <= now;
}

/** The lowest amount a visitor can pay now in a currency, in minor units: 0 if free, null if nothing is on sale. */
export function priceFromAt(pool: Pool, currency: string, now: Instant): number | null {
  if (pool.isSoldOut) return null;
  let least: number | null = null;
  for (const session of pool.sessions) {
    if (!isOnSale(session, now)) continue;
    for (const tier of session.tiers) {
      if (priceRefusalAt(tier, currency, now) !== null) continue;
      if (least === null || tier.amountMinor < least) least = tier.amountMinor;
    }
  }
  return least;
}

/** The first session on a set of dates, and whether there are more. */
export interface Slot {
  readonly session: Session;
  readonly isMulti: boolean;
}

export type Slots = Readonly<Record<'today' | 'tomorrow' | 'weekend', Slot | null>>;

/** on(D0), on(D1) and on(W) of fields.md. */
export function slotsOn(pool: Pool, days: FrontDays): Slots {
  return {
    today: slotBetween(pool, days.today, days.today + 1),
    tomorrow: slotBetween(pool, days.tomorrow, days.tomorrow + 1),
    weekend: slotBetween(pool, days.weekendFrom, days.weekendUntil),
  };
}

function slotBetween(pool: Pool, dayFrom: number, dayUntil: number): Slot | null {
  let first: Session | null = null;
  for (const session of pool.sessions) {
    if (session.day < dayFrom || session.day >= dayUntil) continue;
    if (first !== null) return { session: first, isMulti: true };
    first = session;
  }
  return first === null ? null : { session: first, isMulti: false };
}

export function isEverySessionPaused(pool: Pool): boolean {
  return pool.sessions.every((session) => session.isPaused);
}

/** Whether there is more than one venue. Compares ids, since two venues may have the same name. */
export function hasSeveralVenues(pool: Pool): boolean {
  return pool.sessions.some((session) => session.venue.id !== pool.sessions[0]?.venue.id);
}
