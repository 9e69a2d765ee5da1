// What `explain` prints under --json.

import * as z from 'zod';
import { productCardSchema } from './documents.ts';
import { DROP_CODES } from './manifest.ts';
import { count, frontCode, instantText } from './primitives.ts';
import { findingSchema } from './results.ts';

const dropReason = z.enum(DROP_CODES);
const maybeInstant = instantText.nullable();
const maybeText = z.string().nullable();

const sessionSchema = z.strictObject({
  session: z.int(),
  /** The venue's wall time, as documents print it. */
  start: z.string(),
  venue: z.string(),
  status: z.enum(['draft', 'scheduled', 'postponed', 'cancelled']),
  /** The first rule that refuses it; null where it is offered. A product that is not published has no further verdict. */
  refusal: z.enum(['not-scheduled', 'excluded', 'over', 'prices-expired', 'product-not-published']).nullable(),
  soldOut: z.enum(['no-seats', 'no-tickets']).nullable(),
  /** Whether the card describes it: the offered sessions that are not sold out, or else all offered ones. */
  isInPool: z.boolean(),
  isOnSale: z.boolean(),
  salesStartAt: maybeInstant,
  salesEndAt: maybeInstant,
  isPaused: z.boolean(),
  available: z.int().nullable(),
  /** Which of the front's days the date on its ticket is. */
  days: z.array(z.enum(['today', 'tomorrow', 'weekend'])),
});

const tierSchema = z.strictObject({
  tier: z.int(),
  name: z.string(),
  /** null for a default of all sessions without ticket tiers of their own. */
  session: z.int().nullable(),
  amountMinor: count,
  currency: z.string(),
  available: z.int().nullable(),
  validFrom: maybeInstant,
  validUntil: maybeInstant,
  verdict: z.enum([
    /** It is the card's `priceFrom`. */
    'price-from',
    /** It counts, and another costs less. */
    'dearer',
    'addon',
    'private',
    'not-counted',
    'other-currency',
    'not-yet-valid',
    'expired',
    'none-left',
    /** No session that can be bought now sells it: it has tiers of its own, sales have not begun, or it is sold out. */
    'no-session',
  ]),
});

/** A category, group, tag or badge of the product. */
const facetSchema = z.strictObject({
  kind: z.enum(['category', 'group', 'tag', 'badge']),
  slug: z.string(),
  name: z.string(),
  /** Why the front does not show it; null where it does. */
  refusal: z.enum(['no-card', 'not-attached', 'not-yet', 'ended']).nullable(),
  validFrom: maybeInstant,
  validUntil: maybeInstant,
});

const rulesSchema = z.strictObject({
  /** Of a product that the front does not list: the reason apart from that. */
  reason: dropReason.nullable(),
  card: productCardSchema.nullable(),
  shelf: z.strictObject({
    featured: z.boolean(),
    banner: z.boolean(),
    paused: z.boolean(),
    visibleFrom: maybeInstant,
    visibleUntil: maybeInstant,
  }),
  /** An instant, or `open`; null where the product itself is not paused. */
  pausedUntil: maybeText,
  /** All of the product's, by (start, id). */
  sessions: z.array(sessionSchema),
  /** By (session, id), the defaults first. */
  tiers: z.array(tierSchema),
  facets: z.array(facetSchema),
  /** null where time alone changes nothing within a year. */
  nextChange: z
    .strictObject({ at: instantText, card: productCardSchema.nullable(), reason: dropReason.nullable() })
    .nullable(),
});

export const explainResultSchema = z.strictObject({
  front: frontCode,
  frontState: z.enum(['active', 'disabled', 'unreadable']),
  /** These three are null where the front is not active. */
  timezone: maybeText,
  currency: maybeText,
  currencyExponent: count.nullable(),
  /** `status` is as the row has it. */
  product: z.strictObject({ id: z.int(), slug: z.string(), name: z.string(), status: z.string() }),
  at: instantText,
  /** Why there is no card; null where there is one. */
  reason: z
    .enum(['front-disabled', 'front-unreadable', 'not-on-shelf', 'product-unreadable', ...DROP_CODES])
    .nullable(),
  /** Errors that hold the front back, of this product or another: then its last snapshot stays, whatever the rules are. */
  holding: z.array(findingSchema),
  /** Whether anything does; it may be a row that only `check-db` names. */
  isHeldBack: z.boolean(),
  /** null where front or product cannot be read, or the front is disabled. */
  rules: rulesSchema.nullable(),
});

export type ExplainResultJson = z.infer<typeof explainResultSchema>;
export type ExplainedRules = z.infer<typeof rulesSchema>;
export type ExplainedSession = z.infer<typeof sessionSchema>;
export type ExplainedTier = z.infer<typeof tierSchema>;
export type ExplainedFacet = z.infer<typeof facetSchema>;
