// Boundaries: the instants at which a product may change through time alone (fields.md). Extra
// instants are safe; a missing one is a bug.

import { instantOf, type Instant } from './instant.ts';
import { offerRefusalAt } from './offer.ts';
import type { Product } from './product.ts';

export interface Boundaries {
  /** The boundaries in (now, until], ascending, without duplicates. */
  readonly within: readonly Instant[];
  /**
   * The first boundary after `until` that concerns something still offered at `until`, or a bad
   * session; Infinity if there is neither.
   */
  readonly next: number;
  /** The first instant after `until` at which a session is announced; Infinity if there is none. */
  readonly nextAnnounced: number;
}

/**
 * A product's own boundaries: ends of offers (of bad sessions, too), starts of sales, announcements,
 * the validity of its public ticket tiers and badges, and the end of its pause. They do not include
 * the front's date changes or the product's visibility on a front.
 */
export function boundariesOf(product: Product, now: Instant, until: Instant): Boundaries {
  const within = new Set<number>();
  let next = Number.POSITIVE_INFINITY;
  let nextAnnounced = Number.POSITIVE_INFINITY;
  /**
   * An offer that has ended never resumes, so whatever is not offered at `until` causes no later
   * change.
   */
  const add = (instant: number, isOffered: boolean): void => {
    if (instant <= now) return;
    if (instant <= until) within.add(instant);
    else if (isOffered && instant < next) next = instant;
  };
  let lastTiers: unknown = null;
  let isLastOffered = false;
  let isAnyOffered = false;
  for (const session of product.sessions) {
    const refusal = offerRefusalAt(session, undefined, until);
    // Where only tiers of other channels have expired, it is offered.
    const isOffered = refusal === null || (refusal === 'prices-expired' && product.channelTiers !== null);
    isAnyOffered ||= isOffered;
    add(session.offerEndsAt, isOffered);
    add(session.salesStartAt, isOffered);
    add(session.announcedAt, false);
    if (session.announcedAt > until && session.announcedAt < nextAnnounced) nextAnnounced = session.announcedAt;
    // Consecutive sessions usually share the product's default tiers; visit those once.
    if (session.tiers === lastTiers && (isLastOffered || !isOffered)) continue;
    lastTiers = session.tiers;
    isLastOffered = isOffered;
    for (const tier of session.tiers) {
      add(tier.valid.from, isOffered);
      add(tier.valid.until, isOffered);
    }
  }
  for (const { endsAt } of product.badSessions) {
    if (endsAt > until) isAnyOffered = true;
    add(endsAt, true);
  }
  for (const { valid } of product.badges) {
    add(valid.from, isAnyOffered);
    add(valid.until, isAnyOffered);
  }
  add(product.pausedUntil, isAnyOffered);
  return {
    within: [...within].sort((a, b) => a - b).map(instantOf),
    next: Math.min(next, nextAnnounced),
    nextAnnounced,
  };
}
