// Boundaries: the instants at which a product may change through time alone (fields.md). A superset is right, a gap is not.

import { instantOf, type Instant } from './instant.ts';
import type { Product } from './product.ts';

export interface Boundaries {
  /** Those in (now, until], ascending, each once. */
  readonly within: readonly Instant[];
  /** The first after `until`; Infinity where there is none. */
  readonly next: number;
}

/**
 * A product's own boundaries: ends of offers, starts of sales, the windows of its public ticket tiers and badges, the end of
 * its pause. The front's dates and the product's visibility on a front are the front's.
 */
export function boundariesOf(product: Product, now: Instant, until: Instant): Boundaries {
  const within = new Set<number>();
  let next = Number.POSITIVE_INFINITY;
  const add = (instant: number): void => {
    if (instant <= now) return;
    if (instant <= until) within.add(instant);
    else if (instant < next) next = instant;
  };
  let lastTiers: unknown = null;
  for (const session of product.sessions) {
    add(session.offerEndsAt);
    add(session.salesStartAt);
    // Sessions that follow one another usually share the product's default tiers: one look is enough.
    if (session.tiers === lastTiers) continue;
    lastTiers = session.tiers;
    for (const tier of session.tiers) {
      add(tier.valid.from);
      add(tier.valid.until);
    }
  }
  for (const { valid } of product.badges) {
    add(valid.from);
    add(valid.until);
  }
  add(product.pausedUntil);
  return { within: [...within].sort((a, b) => a - b).map(instantOf), next };
}
