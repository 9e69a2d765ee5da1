// Boundaries: the instants at which a product may change through time alone (fields.md). A superset is right, a gap is not.

import { instantOf, type Instant } from './instant.ts';
import { offerRefusalAt } from './offer.ts';
import type { Product } from './product.ts';

export interface Boundaries {
  /** Those in (now, until], ascending, each once. */
  readonly within: readonly Instant[];
  /** The first after `until` at which something still offered then may change; Infinity where nothing is offered by then. */
  readonly next: number;
}

/**
 * A product's own boundaries: ends of offers, starts of sales, the windows of its public ticket tiers and badges, the end of
 * its pause. The front's dates and the product's visibility on a front are not among them.
 */
export function boundariesOf(product: Product, now: Instant, until: Instant): Boundaries {
  const within = new Set<number>();
  let next = Number.POSITIVE_INFINITY;
  /** Offers only end: what is not offered at `until` changes nothing later. */
  const add = (instant: number, isOffered: boolean): void => {
    if (instant <= now) return;
    if (instant <= until) within.add(instant);
    else if (isOffered && instant < next) next = instant;
  };
  let lastTiers: unknown = null;
  let isLastOffered = false;
  let isAnyOffered = false;
  for (const session of product.sessions) {
    const isOffered = offerRefusalAt(session, undefined, until) === null;
    isAnyOffered ||= isOffered;
    add(session.offerEndsAt, isOffered);
    add(session.salesStartAt, isOffered);
    // Consecutive sessions usually share the product's default tiers, which are looked at once.
    if (session.tiers === lastTiers && (isLastOffered || !isOffered)) continue;
    lastTiers = session.tiers;
    isLastOffered = isOffered;
    for (const tier of session.tiers) {
      add(tier.valid.from, isOffered);
      add(tier.valid.until, isOffered);
    }
  }
  for (const { valid } of product.badges) {
    add(valid.from, isAnyOffered);
    add(valid.until, isAnyOffered);
  }
  add(product.pausedUntil, isAnyOffered);
  return { within: [...within].sort((a, b) => a - b).map(instantOf), next };
}
