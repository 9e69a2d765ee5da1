// What is offered, available and in the pool at an instant, and the card fields that follow from
// it. Implements fields.md word for word.

// Every rule returns its reason with its answer: rendering needs the answer, `explain` prints the
// reason.

import type { FrontDays } from './days.ts';
import type { FrontProduct } from './front-products.ts';
import type { Instant } from './instant.ts';
import type { RowId } from './row-id.ts';
import type { BadgeRule } from './taxonomy.ts';
import type { FrontTerms, PriceTier, Product, Session, SessionStatus } from './product.ts';

/** Why a product has no card, in the order in which fields.md checks. */
export const DROP_REASONS = [
  'not-published',
  'bad-data',
  'not-visible',
  'no-sessions',
  'not-scheduled',
  'not-announced',
  'not-on-channel',
  'excluded',
  'over',
  'prices-expired',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/**
 * The sessions a card describes: A, those that can be bought, if there are any; else O, which are
 * not sold out; else U, all that are offered (fields.md). By (startsAt, id).
 */
export interface Pool {
  readonly sessions: readonly Session[];
  /** O is empty: every offered session is sold out. */
  readonly isSoldOut: boolean;
}

export function isLive(tier: PriceTier, now: Instant): boolean {
  return now < tier.valid.until;
}

/** Whether a session takes place, at its time or at another one. */
export function isScheduled(status: SessionStatus): boolean {
  return status === 'scheduled' || status === 'rescheduled';
}

/** The first rule of fields.md by which a session is not offered. */
export type OfferRefusal =
  | 'not-scheduled'
  | 'not-announced'
  | 'not-on-channel'
  | 'excluded'
  | 'over'
  | 'prices-expired';

/** offered(s) of fields.md: null if the session is offered. */
export function offerRefusalAt(session: Session, terms: FrontTerms | undefined, now: Instant): OfferRefusal | null {
  if (!isScheduled(session.status)) return 'not-scheduled';
  if (now < session.announcedAt) return 'not-announced';
  if (!session.isOnChannel) return 'not-on-channel';
  if (terms?.excludedIds.has(session.id) === true) return 'excluded';
  if (now >= session.offerEndsAt) return 'over';
  if (session.tiers.length > 0 && !session.tiers.some((tier) => isLive(tier, now))) return 'prices-expired';
  return null;
}

/** Whether any of a product's sessions is offered, on a front with these terms. */
export function isAnyOffered(product: Product, terms: FrontTerms | undefined, now: Instant): boolean {
  return product.sessions.some((session) => offerRefusalAt(session, terms, now) === null);
}

/**
 * out(s) of fields.md: no seats left in the session itself, or none at any live price; null if it
 * is not sold out.
 */
export function outReasonAt(session: Session, now: Instant): 'no-seats' | 'no-tickets' | null {
  if (session.available !== null && session.available <= 0) return 'no-seats';
  if (session.isAllocated) return null;
  let isAnyLive = false;
  for (const tier of session.tiers) {
    if (!isLive(tier, now)) continue;
    if (tier.available === null || tier.available > 0) return null;
    isAnyLive = true;
  }
  return isAnyLive ? 'no-tickets' : null;
}

/** The pool at an instant; null if nothing is offered, so that the product has no card. */
export function poolAt(product: Product, terms: FrontTerms | undefined, now: Instant): Pool | null {
  const offered: Session[] = [];
  const left: Session[] = [];
  let isAnyPaused = false;
  for (const session of product.sessions) {
    if (offerRefusalAt(session, terms, now) !== null) continue;
    offered.push(session);
    if (outReasonAt(session, now) !== null) continue;
    left.push(session);
    isAnyPaused ||= session.isPaused;
  }
  if (offered.length === 0) return null;
  if (left.length === 0) return { sessions: offered, isSoldOut: true };
  const available = isAnyPaused ? left.filter((session) => !session.isPaused) : left;
  return { sessions: available.length > 0 ? available : left, isSoldOut: false };
}

/**
 * The pool that a card shows at an instant, or why there is no card. A bad session counts as not
 * scheduled if the others give a card that is neither sold out nor paused because of them; if they
 * do not, nothing true can be said of the product (containment.md).
 */
export function cardPoolAt(product: Product, terms: FrontTerms | undefined, now: Instant): Pool | DropReason {
  const pool = poolAt(product, terms, now);
  if (hasBadSessionAt(product, terms, now)) {
    if (pool === null || pool.isSoldOut || isEverySessionPaused(pool)) return 'bad-data';
  }
  return pool ?? dropReasonAt(product, terms, now);
}

function hasBadSessionAt(product: Product, terms: FrontTerms | undefined, now: Instant): boolean {
  return product.badSessions.some(
    ({ id, endsAt }) => now < endsAt && (id === null || terms?.excludedIds.has(id) !== true),
  );
}

/** Why poolAt returns null for the product at an instant. */
function dropReasonAt(product: Product, terms: FrontTerms | undefined, now: Instant): DropReason {
  if (product.sessionsTotal === 0) return 'no-sessions';
  if (product.scheduledTotal === 0) return 'not-scheduled';
  const hidden = new Set<RowId>();
  for (const { id, status, announcedAt } of product.sessions) {
    if (isScheduled(status) && now < announcedAt) hidden.add(id);
  }
  if (hidden.size === product.scheduledTotal) return 'not-announced';
  for (const id of product.elsewhereIds) hidden.add(id);
  if (hidden.size === product.scheduledTotal) return 'not-on-channel';
  for (const id of terms?.excludedScheduledIds ?? []) hidden.add(id);
  if (hidden.size === product.scheduledTotal) return 'excluded';
  const isAnyExpired = product.sessions.some((one) => offerRefusalAt(one, terms, now) === 'prices-expired');
  return isAnyExpired ? 'prices-expired' : 'over';
}

/**
 * Why a tier is not among the public ticket tiers of any session; null if it may be. An add-on also
 * replaces no default tier.
 */
export function tierRefusal(kind: 'ticket' | 'addon', isPublic: boolean): 'addon' | 'private' | null {
  if (kind === 'addon') return 'addon';
  return isPublic ? null : 'private';
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

/**
 * Why a card has no price: everything is sold out, sales of no session have begun, or no tier
 * counts.
 */
export type PriceAbsence = 'sold-out' | 'not-on-sale' | 'no-tier';

/** The lowest amount a visitor can pay now in a currency, in minor units (0 if free); or why not. */
export function priceFromAt(pool: Pool, currency: string, now: Instant): number | PriceAbsence {
  if (pool.isSoldOut) return 'sold-out';
  let least: number | PriceAbsence = 'not-on-sale';
  for (const session of pool.sessions) {
    if (!isOnSale(session, now)) continue;
    if (least === 'not-on-sale') least = 'no-tier';
    for (const tier of session.tiers) {
      if (priceRefusalAt(tier, currency, now) !== null) continue;
      if (typeof least === 'string' || tier.amountMinor < least) least = tier.amountMinor;
    }
  }
  return least;
}

/**
 * Whether a visitor can buy at a tier now: a session on sale in the pool has it. `sessionId`: whose
 * it is; null for a default. Without ids, tiers that say the same are one.
 */
export function isTierSold(pool: Pool, tier: PriceTier, sessionId: RowId | null, now: Instant): boolean {
  if (pool.isSoldOut) return false;
  return pool.sessions.some(
    (session) => (sessionId === null || session.id === sessionId) && isOnSale(session, now) && hasTier(session, tier),
  );
}

/** Whether a tier is among the public ticket tiers of a session. */
export function hasTier({ tiers }: Session, tier: PriceTier): boolean {
  return tiers.some((one) => isSameTier(one, tier));
}

function isSameTier(one: PriceTier, other: PriceTier): boolean {
  if (one.id !== null || other.id !== null) return one.id === other.id;
  return (
    one.isInPriceFrom === other.isInPriceFrom &&
    one.amountMinor === other.amountMinor &&
    one.currency === other.currency &&
    one.available === other.available &&
    one.valid.from === other.valid.from &&
    one.valid.until === other.valid.until
  );
}

/** The first session on a set of days, and whether there are more. */
export interface Slot {
  readonly session: Session;
  readonly isMulti: boolean;
}

/** The sets of days that a card has a slot for. */
const SLOT_NAMES = ['today', 'tomorrow', 'weekend'] as const;

type SlotName = (typeof SLOT_NAMES)[number];

export type Slots = Readonly<Record<SlotName, Slot | null>>;

/** on(D0), on(D1) and on(W) of fields.md. */
export function slotsOn(pool: Pool, days: FrontDays): Slots {
  return {
    today: slotOn(pool, 'today', days),
    tomorrow: slotOn(pool, 'tomorrow', days),
    weekend: slotOn(pool, 'weekend', days),
  };
}

/** The sets of days, of those that a front's cards have slots for, to which a session belongs. */
export function slotNamesOf(session: Session, days: FrontDays): SlotName[] {
  const day = dayOf(session, days);
  return SLOT_NAMES.filter((name) => {
    const [from, until] = daysOf(name, days);
    return day >= from && day < until;
  });
}

/** The first day of a set, and the first day after it. */
function daysOf(name: SlotName, days: FrontDays): readonly [from: number, until: number] {
  switch (name) {
    case 'today':
      return [days.today, days.today + 1];
    case 'tomorrow':
      return [days.tomorrow, days.tomorrow + 1];
    case 'weekend':
      return [days.weekendFrom, days.weekendUntil];
  }
}

/** The date printed on the ticket, or that of the evening to which a session belongs. */
function dayOf({ day, startsAt, zone }: Session, days: FrontDays): number {
  return days.startsAt === 0 ? day : zone.daysFrom(days.startsAt).dayAt(startsAt);
}

function slotOn(pool: Pool, name: SlotName, days: FrontDays): Slot | null {
  const [from, until] = daysOf(name, days);
  let first: Session | null = null;
  for (const session of pool.sessions) {
    const day = dayOf(session, days);
    if (day < from || day >= until) continue;
    if (first !== null) return { session: first, isMulti: true };
    first = session;
  }
  return first === null ? null : { session: first, isMulti: false };
}

/** Whether the rule of a badge holds for a card; a badge without a rule is always shown. */
export function holdsRule(rule: BadgeRule | null, pool: Pool, now: Instant): boolean {
  if (rule === null) return true;
  if (rule.kind === 'moved') return pool.sessions[0]?.isMoved === true;
  if (pool.isSoldOut) return false;
  const seats = new Map<RowId, number | null>();
  // The dates of a daily session share their seats.
  for (const session of pool.sessions) seats.set(session.id, seatsLeftAt(session, now));
  let together = 0;
  for (const left of seats.values()) {
    if (left === null) return false;
    together += left;
  }
  return together <= rule.below;
}

/** How many seats a session has left; null if it is not limited. */
function seatsLeftAt({ available, tiers }: Session, now: Instant): number | null {
  if (available !== null) return Math.max(0, available);
  const live = tiers.filter((tier) => isLive(tier, now));
  let left = 0;
  for (const tier of live) {
    if (tier.available === null) return null;
    left += Math.max(0, tier.available);
  }
  return live.length > 0 ? left : null;
}

/** What pauses a card. */
export type PauseReason = 'product' | 'front' | 'sessions';

/**
 * `paused` of fields.md, as all that pauses a card: the product, the front, or every session of the
 * pool.
 */
export function pauseReasonsAt(
  product: Product,
  entry: Pick<FrontProduct, 'isPaused'>,
  pool: Pool,
  now: Instant,
): PauseReason[] {
  const reasons: PauseReason[] = [];
  if (isProductPaused(product, now)) reasons.push('product');
  if (entry.isPaused) reasons.push('front');
  if (isEverySessionPaused(pool)) reasons.push('sessions');
  return reasons;
}

export function isProductPaused(product: Product, now: Instant): boolean {
  return now < product.pausedUntil;
}

export function isEverySessionPaused(pool: Pool): boolean {
  return pool.sessions.every((session) => session.isPaused);
}

/** Whether there is more than one venue. Compares ids, since two venues may have the same name. */
export function hasSeveralVenues(pool: Pool): boolean {
  return pool.sessions.some((session) => session.venue.id !== pool.sessions[0]?.venue.id);
}
