// Products with their sessions and price tiers, as loaded. What is true of them at an instant is in offer.ts.

import type { Zone } from './calendar.ts';
import type { Period } from './period.ts';
import type { Instant } from './instant.ts';

export interface Venue {
  readonly id: number;
  readonly name: string;
  readonly zone: Zone;
}

export interface Image {
  readonly url: string;
  readonly altText: string | null;
  readonly copyright: string | null;
  readonly copyrightUrl: string | null;
}

/** One public price tier of kind ticket. Documents depend on no others, except that private ones too replace the defaults. */
export interface PriceTier {
  readonly isInPriceFrom: boolean;
  readonly amountMinor: number;
  readonly currency: string;
  /** Seats left at this price; null = not limited. */
  readonly available: number | null;
  readonly valid: Period;
}

/** One scheduled session. A load leaves out those whose offer ended before now, but for some that have ended within a day or two. */
export interface Session {
  readonly id: number;
  readonly venue: Venue;
  readonly startsAt: Instant;
  /** The date printed on the ticket: the day number of startsAt in the venue's zone. */
  readonly day: number;
  /** sales_end_at, else startsAt. */
  readonly offerEndsAt: Instant;
  /** -Infinity where sales have no start. */
  readonly salesStartAt: number;
  readonly isPaused: boolean;
  /** Seats left; null = not limited, ≤ 0 = sold out. */
  readonly available: number | null;
  /** The public ticket tiers of fields.md: its own, else the product's defaults. */
  readonly tiers: readonly PriceTier[];
}

export interface Product {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly ageRating: number;
  readonly saleSchema: number;
  readonly isPushka: boolean;
  /** Until when the product's own pause lasts: -Infinity where it is not paused, Infinity where the pause is open. */
  readonly pausedUntil: number;
  readonly isPublished: boolean;
  readonly image: Image | null;
  /** By (startsAt, id). */
  readonly sessions: readonly Session[];
  /** By `badge` and `group`: these, and the numbers below, are positions in the taxonomy. */
  readonly badges: readonly { readonly badge: number; readonly valid: Period }[];
  readonly groups: readonly { readonly group: number; readonly sortWeight: number }[];
  readonly categories: readonly number[];
  readonly tags: readonly number[];
  /** Per front id that excludes any: the ids of the excluded sessions, and how many of all its scheduled sessions that is. */
  readonly exclusions: ReadonlyMap<number, Exclusion>;
  /** How many sessions there are, past ones included: decides which reason a missing card has. */
  readonly sessionsTotal: number;
  readonly scheduledTotal: number;
}

export interface Exclusion {
  readonly sessionIds: ReadonlySet<number>;
  readonly scheduledTotal: number;
}
