// Products with their sessions and price tiers, as loaded. offer.ts says what is true of them at an
// instant.

import type { Zone } from './calendar.ts';
import type { Period } from './period.ts';
import type { Instant } from './instant.ts';
import type { RowId } from './row-id.ts';

export interface Venue {
  readonly id: RowId;
  readonly name: string;
  /** Null if each session there has its own. */
  readonly zone: Zone | null;
}

export interface Image {
  readonly id: RowId;
  readonly url: string;
  readonly altText: string | null;
  readonly copyright: string | null;
  readonly copyrightUrl: string | null;
}

/**
 * A public price tier of kind ticket. Documents do not depend on other tiers, except that a
 * session's private tiers also replace the product's defaults.
 */
export interface PriceTier {
  /** Null where the catalogue has none: nothing refers to it. */
  readonly id: number | null;
  readonly isInPriceFrom: boolean;
  readonly amountMinor: number;
  readonly currency: string;
  /** Seats left at this price; null = unlimited. */
  readonly available: number | null;
  readonly valid: Period;
}

/** A ticket tier of a product some of whose tiers are sold on certain channels. */
export interface ChannelTier {
  readonly price: PriceTier;
  readonly isPublic: boolean;
  /** Null: everywhere. */
  readonly channels: readonly string[] | null;
}

/** A product's ticket tiers, private ones included. */
export interface ChannelTiers {
  readonly defaults: readonly ChannelTier[];
  /** Those of the sessions that have tiers of their own. */
  readonly bySession: ReadonlyMap<RowId, readonly ChannelTier[]>;
}

export type SessionStatus = 'draft' | 'scheduled' | 'rescheduled' | 'postponed' | 'cancelled';

/** All dates of a daily session, past ones too. */
export interface DailyDates {
  /** The opening on the first date, and the closing on the last, as wall times: seconds as if in UTC. */
  readonly opensAt: number;
  readonly closesAt: number;
  readonly total: number;
}

/**
 * A session, or one date of a daily session. A build loads scheduled ones alone, and leaves out those whose offer ended before now,
 * except some that ended in the last two days; an explanation loads all.
 */
export interface Session {
  readonly id: RowId;
  readonly status: SessionStatus;
  readonly venue: Venue;
  /** Its own, else its venue's. */
  readonly zone: Zone;
  readonly startsAt: Instant;
  /** The date printed on the ticket: that of startsAt in its zone, as a day number. */
  readonly day: number;
  /** Null unless this is one date of a daily session. */
  readonly daily: DailyDates | null;
  /** The end of sales, else startsAt; of a date of a daily session, not after it closes. */
  readonly offerEndsAt: Instant;
  /** -Infinity if sales have no start. */
  readonly salesStartAt: number;
  /** -Infinity if it has always been announced. */
  readonly announcedAt: number;
  readonly isPaused: boolean;
  /** Whether it has another start than it had. */
  readonly isMoved: boolean;
  /** Seats left; null = unlimited, ≤ 0 = sold out. */
  readonly available: number | null;
  /** Whether that is a front's own contingent, beside which tiers limit nothing. */
  readonly isAllocated: boolean;
  /** Whether it has a ticket tier on the front's channel, or none at all. */
  readonly isOnChannel: boolean;
  /**
   * The public ticket tiers of fields.md: the session's own, else the product's defaults. As loaded,
   * those of all channels (selling.ts).
   */
  readonly tiers: readonly PriceTier[];
}

/** One session of a product, by its id as text; the dates of a daily session have one id. */
export interface SessionKey {
  readonly id: string;
  readonly startsAt: Instant;
}

/**
 * A session with an error in its row, or in a row that decides about it (containment.md). What it
 * sells, and for how much, is not known.
 */
export interface BadSession {
  /** null if it cannot be read. */
  readonly id: RowId | null;
  /** When it no longer matters: the end of its offer; Infinity if that cannot be read. */
  readonly endsAt: number;
  /** The code of the first finding. */
  readonly code: string;
  /** Whether it may be sold anywhere, whatever tiers it has: of one of them that is not known. */
  readonly isOnEveryChannel: boolean;
}

export interface Product {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly ageRating: number;
  readonly saleSchema: number;
  readonly isPushka: boolean;
  /**
   * When the product's own pause ends: -Infinity if it is not paused, Infinity if the pause has no
   * end.
   */
  readonly pausedUntil: number;
  readonly isPublished: boolean;
  readonly image: Image | null;
  /** By (startsAt, id). */
  readonly sessions: readonly Session[];
  /** Those with an error, which are not among `sessions`. */
  readonly badSessions: readonly BadSession[];
  /**
   * Badges, groups, categories and tags are positions in the taxonomy; badges and groups are sorted
   * by them. Badges with a rule that are attached to no product are among those of each.
   */
  readonly badges: readonly { readonly badge: number; readonly valid: Period }[];
  readonly groups: readonly { readonly group: number; readonly sortWeight: number }[];
  readonly categories: readonly number[];
  readonly tags: readonly number[];
  /** Null if all its ticket tiers are sold everywhere. */
  readonly channelTiers: ChannelTiers | null;
  /** By front id, for the fronts with terms of their own. */
  readonly terms: ReadonlyMap<RowId, FrontTerms>;
  /** Totals include past sessions: they decide the reason for a missing card. */
  readonly sessionsTotal: number;
  readonly scheduledTotal: number;
  /** Ids of the scheduled sessions, past ones included; known only where `channelTiers` are. */
  readonly scheduledIds: readonly RowId[];
  /** Those of them that are not on the front's channel (selling.ts). */
  readonly elsewhereIds: readonly RowId[];
}

/** What one front alone does with the sessions of a product. */
export interface FrontTerms {
  /** Those that it does not show. */
  readonly excludedIds: ReadonlySet<RowId>;
  /** Those of them that are scheduled, past ones included. */
  readonly excludedScheduledIds: ReadonlySet<RowId>;
  /** What is left of its own contingent, by session. */
  readonly allocations: ReadonlyMap<RowId, number>;
  /** Sessions of which an error hides how many are left: the code of the finding. */
  readonly bad: ReadonlyMap<RowId, string>;
}
