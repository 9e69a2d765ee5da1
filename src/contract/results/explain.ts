// What `explain --json` prints.

import * as z from 'zod';
import { DROP_REASONS } from '../../catalogue/offer.ts';
import { productCardSchema } from '../documents.ts';
import { count, frontCode, instantText, rowId } from '../primitives.ts';
import { findingSchema } from './parts.ts';

const dropReason = z.enum(DROP_REASONS);
const maybeInstant = instantText.nullable();
const maybeText = z.string().nullable();

const refusal = z.enum([
  'not-scheduled',
  'not-announced',
  'not-on-channel',
  'excluded',
  'over',
  'prices-expired',
  'product-not-published',
]);
const days = z.array(z.enum(['today', 'tomorrow', 'weekend']));

const sessionSchema = z.strictObject({
  session: rowId,
  /** The venue's wall time, as documents print it. */
  start: z.string(),
  venue: z.string(),
  status: z.enum(['draft', 'scheduled', 'rescheduled', 'postponed', 'cancelled']),
  /** The first rule that refuses it; null if it is offered. */
  refusal: refusal.nullable(),
  soldOut: z.enum(['no-seats', 'no-tickets']).nullable(),
  /**
   * Whether the card describes it. The pool is the offered sessions that are not sold out, or all
   * offered ones if all are.
   */
  isInPool: z.boolean(),
  isOnSale: z.boolean(),
  /** null if it has always been announced. */
  announcedAt: maybeInstant,
  salesStartAt: maybeInstant,
  /** null if sales end when the session starts. */
  salesEndAt: maybeInstant,
  isPaused: z.boolean(),
  available: z.int().nullable(),
  /** Whether that is what the front has left of its own contingent. */
  isAllocated: z.boolean(),
  /** Which of the front's days contain the date on its ticket. */
  days,
});

/** Each daily session once, with the dates of `sessions` that matter now. */
const dailySessionSchema = z.strictObject({
  session: rowId,
  /** The opening on its first date, and the closing on its last: `2026-05-01T10:00:00`, in its zone. */
  opens: z.string(),
  closes: z.string(),
  /** All of them, past ones too. */
  dates: count,
  offered: count,
  /** How many others there are, by the first rule that refuses them. */
  refused: z.array(z.strictObject({ refusal, dates: count })),
  /** Of those offered, the next one, and those of today, tomorrow and the weekend. */
  shown: z.array(z.strictObject({ start: z.string(), isNext: z.boolean(), days })),
});

const tierSchema = z.strictObject({
  /** null where the catalogue has no ids of price tiers. */
  tier: z.int().nullable(),
  name: z.string(),
  /** null for a default, which applies to all sessions without ticket tiers of their own. */
  session: rowId.nullable(),
  amountMinor: count,
  currency: z.string(),
  available: z.int().nullable(),
  /** Where it is sold; null if everywhere. */
  channels: z.array(z.string()).readonly().nullable(),
  validFrom: maybeInstant,
  validUntil: maybeInstant,
  verdict: z.enum([
    /** It is the card's `priceFrom`. */
    'price-from',
    /** It counts, but another costs less. */
    'dearer',
    'addon',
    'private',
    'not-counted',
    'other-channel',
    'other-currency',
    'not-yet-valid',
    'expired',
    'none-left',
    /**
     * No session on sale now uses it: sessions have tiers of their own, their sales have not begun,
     * or they are sold out.
     */
    'no-session',
  ]),
});

/** A category, group, tag or badge of the product. */
const facetSchema = z.strictObject({
  kind: z.enum(['category', 'group', 'tag', 'badge']),
  slug: z.string(),
  name: z.string(),
  /** Why the front does not show it; null if it does. */
  refusal: z.enum(['no-card', 'not-attached', 'not-yet', 'ended', 'rule']).nullable(),
  validFrom: maybeInstant,
  validUntil: maybeInstant,
});

const rulesSchema = z.strictObject({
  /** For a product that the front does not list: what the reason would be if it did. */
  reason: dropReason.nullable(),
  card: productCardSchema.nullable(),
  listing: z.strictObject({
    featured: z.boolean(),
    banner: z.boolean(),
    paused: z.boolean(),
    visibleFrom: maybeInstant,
    visibleUntil: maybeInstant,
    /** Why the product is not visible on the front now; null if it is. */
    hidden: z.enum(['not-yet', 'ended']).nullable(),
  }),
  /** An instant, or `open`; null if the product itself is not paused. */
  pausedUntil: maybeText,
  /** All that pauses the card; empty if it is not paused, or there is none. */
  pauses: z.array(z.enum(['product', 'front', 'sessions'])),
  /** Why the card has no price; null if it has one, or there is no card. */
  noPrice: z.enum(['sold-out', 'not-on-sale', 'no-tier']).nullable(),
  /**
   * All sessions of the product, by (start, id); of a daily session each date that is not over, or
   * its last.
   */
  sessions: z.array(sessionSchema),
  dailySessions: z.array(dailySessionSchema),
  /** By (session, id), the defaults first. */
  tiers: z.array(tierSchema),
  facets: z.array(facetSchema),
  /** null if time alone changes nothing within a year. */
  nextChange: z
    .strictObject({ at: instantText, card: productCardSchema.nullable(), reason: dropReason.nullable() })
    .nullable(),
});

export const explainResultSchema = z.strictObject({
  front: frontCode,
  frontState: z.enum(['active', 'disabled', 'unreadable']),
  /** These three are null if the front is not active. */
  timezone: maybeText,
  currency: maybeText,
  currencyExponent: count.nullable(),
  /** Where the front sells; null if it has no channel, or is not active. */
  channel: maybeText,
  /** The language of the front's names, likewise. */
  locale: maybeText,
  /** When its day begins, by its clocks: `05:00`; null if the front is not active. */
  dayStartsAt: maybeText,
  /** `status` is the value in the row. */
  product: z.strictObject({ id: z.int(), slug: z.string(), name: z.string(), status: z.string() }),
  at: instantText,
  /** Why there is no card; null if there is one. */
  reason: z.enum(['front-disabled', 'front-unreadable', 'not-listed', ...DROP_REASONS]).nullable(),
  /** Errors in the front's own row: its last snapshot stays, whatever the rules say. */
  holding: z.array(findingSchema),
  /** Whether they hold the front back. */
  isHeldBack: z.boolean(),
  /** Errors that leave out the product, or sessions of it. */
  leftOut: z.array(findingSchema),
  /** null if front or product cannot be read, or the front is disabled. */
  rules: rulesSchema.nullable(),
});

export type ExplainResultJson = z.infer<typeof explainResultSchema>;
export type ExplainedRules = z.infer<typeof rulesSchema>;
export type ExplainedSession = z.infer<typeof sessionSchema>;
export type ExplainedDailySession = z.infer<typeof dailySessionSchema>;
export type ExplainedTier = z.infer<typeof tierSchema>;
export type ExplainedFacet = z.infer<typeof facetSchema>;
