// One product's sessions and price tiers, from their rows: what is sold, and for how much.

import { instantOfText, SECONDS_PER_DAY } from '../../catalogue/instant.ts';
import { tierRefusal } from '../../catalogue/offer.ts';
import type { PriceTier, Session, Venue } from '../../catalogue/product.ts';
import { SESSION, TIER } from './product-queries.ts';
import { dangling, repeated, type FindingLog } from '../contract/row-checker.ts';
import { noPublicTier, startOf } from '../contract/row-rules.ts';
import { periodOf } from '../contract/values.ts';

/** What sessions refer to. */
interface SessionContext {
  readonly venues: ReadonlyMap<number, Venue | null>;
  /** Version of the time-zone rules, for the drift warning. */
  readonly tzdata: string;
}

/**
 * One product's sessions by (startsAt, id), with their tiers. Bad rows become findings and mark the
 * product bad.
 */
export function sessionsOf(
  productId: number,
  rows: readonly unknown[][],
  tierRows: readonly unknown[][],
  context: SessionContext,
  log: FindingLog,
): Session[] {
  const { defaults, bySession } = tiersOf(productId, tierRows, log);
  const sessions: Session[] = [];
  const ids = new Set<number>();
  for (const row of rows) {
    if (!SESSION.check(row, log, { productId })) continue;
    // By index, not destructured: there are millions.
    const id = row[0];
    const venueId = row[1];
    const salesStart = row[4];
    const salesEnd = row[5];
    if (isRepeated(id, ids)) {
      log.add([repeated(SESSION.locationOf(row))], { productId });
      continue;
    }
    const venue = context.venues.get(venueId);
    if (venue === undefined) {
      log.add([dangling(SESSION.locationOf(row), 'venue_id', 'venues', venueId)], { productId });
      continue;
    }
    if (venue === null) {
      // The venue's own row has a finding, which holds back every product with a session there.
      log.badProductIds.add(productId);
      continue;
    }
    const start = startOf(() => SESSION.locationOf(row), row[2], row[3], venue.zone, context.tzdata);
    if (start.finding !== null) log.add([start.finding], { productId });
    const startsAt = start.startsAt;
    if (startsAt === null) continue;
    const own = bySession.get(id);
    if (own?.length === 0) log.add([noPublicTier(SESSION.locationOf(row))], {});
    sessions.push({
      id,
      status: row[6],
      venue,
      startsAt,
      day: Math.floor(start.wallTime / SECONDS_PER_DAY),
      offerEndsAt: salesEnd === null ? startsAt : instantOfText(salesEnd),
      salesStartAt: salesStart === null ? Number.NEGATIVE_INFINITY : instantOfText(salesStart),
      isPaused: row[7] === 1,
      available: row[8],
      tiers: own ?? defaults,
    });
  }
  // An index gives instants in this order; a view may not, and wall times have no order before they
  // are resolved.
  const isBefore = (a: Session, b: Session): boolean =>
    a.startsAt < b.startsAt || (a.startsAt === b.startsAt && a.id < b.id);
  const isSorted = sessions.every((session, i) => i === 0 || isBefore(sessions[i - 1] ?? session, session));
  return isSorted ? sessions : sessions.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

/**
 * The public ticket tiers: the product's defaults, and for each session with ticket tiers of its
 * own, those instead.
 */
function tiersOf(
  productId: number,
  rows: readonly unknown[][],
  log: FindingLog,
): { defaults: readonly PriceTier[]; bySession: ReadonlyMap<number, readonly PriceTier[]> } {
  const defaults: PriceTier[] = [];
  const bySession = new Map<number, PriceTier[]>();
  const ids = new Set<number>();
  for (const row of rows) {
    if (!TIER.check(row, log, { productId })) continue;
    const [id, sessionId, kind, isPublic, isInPriceFrom, amountMinor, currency, available, validFrom, validUntil] = row;
    if (isRepeated(id, ids)) {
      log.add([repeated(TIER.locationOf(row))], { productId });
      continue;
    }
    const refusal = tierRefusal(kind, isPublic === 1);
    if (refusal === 'addon') continue;
    let tiers = defaults;
    if (sessionId !== null) {
      tiers = bySession.get(sessionId) ?? [];
      // Private tiers replace the defaults too.
      bySession.set(sessionId, tiers);
    }
    if (refusal !== null) continue;
    const valid = periodOf(validFrom, validUntil);
    tiers.push({ id, isInPriceFrom: isInPriceFrom === 1, amountMinor, currency, available, valid });
  }
  return { defaults, bySession };
}

/** Whether an id was seen before; it is from now on. */
function isRepeated(id: number, seen: Set<number>): boolean {
  if (seen.has(id)) return true;
  seen.add(id);
  return false;
}
