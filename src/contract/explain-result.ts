// What `explain` prints under --json.

import * as z from 'zod';
import { DROP_CODES } from './manifest.ts';
import { count, frontCode, instantText } from './primitives.ts';

const dropReason = z.enum(DROP_CODES);
const maybeInstant = instantText.nullable();
const maybeText = z.string().nullable();
const maybeFlag = z.boolean().nullable();

/** The fields of a card that time can change. */
const cardFacts = z.strictObject({
  paused: z.boolean(),
  soldOut: z.boolean(),
  nextScheduleSlot: z.string(),
  multiScheduleSlots: z.boolean(),
  inventoryItemName: z.string(),
  multiInventoryItems: z.boolean(),
  priceFrom: z.number().nullable(),
  badges: z.array(z.string()).readonly(),
  todaySlot: maybeText,
  todayMultiScheduleSlots: maybeFlag,
  tomorrowSlot: maybeText,
  tomorrowMultiScheduleSlots: maybeFlag,
  weekendSlot: maybeText,
  weekendMultiScheduleSlots: maybeFlag,
});

const session = z.strictObject({
  session: z.int(),
  /** The venue's wall time, as documents print it. */
  start: z.string(),
  venue: z.string(),
  status: z.enum(['draft', 'scheduled', 'postponed', 'cancelled']),
  /** The first rule that refuses it; null where it is offered. */
  refusal: z.enum(['not-scheduled', 'excluded', 'over', 'prices-expired', 'product-not-published']).nullable(),
  soldOut: z.enum(['no-seats', 'no-tickets']).nullable(),
  /** Whether the card describes it. */
  isInPool: z.boolean(),
  isOnSale: z.boolean(),
  salesStartAt: maybeInstant,
  salesEndAt: maybeInstant,
  isPaused: z.boolean(),
  available: z.int().nullable(),
  days: z.array(z.enum(['today', 'tomorrow', 'weekend'])).readonly(),
});

const tier = z.strictObject({
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
    'price-from',
    'dearer',
    'addon',
    'private',
    'not-counted',
    'other-currency',
    'not-yet-valid',
    'expired',
    'none-left',
    'no-session',
  ]),
});

const facet = z.strictObject({
  kind: z.enum(['category', 'group', 'tag', 'badge']),
  slug: z.string(),
  name: z.string(),
  /** Why the front does not show it; null where it does. */
  refusal: z.enum(['no-card', 'not-attached', 'not-yet', 'ended']).nullable(),
  validFrom: maybeInstant,
  validUntil: maybeInstant,
});

export const explainResultSchema = z.strictObject({
  front: frontCode,
  frontState: z.enum(['active', 'disabled', 'unreadable']),
  timezone: maybeText,
  currency: maybeText,
  currencyExponent: count.nullable(),
  product: z.strictObject({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    /** As the row has it. */
    status: z.string(),
  }),
  at: instantText,
  /** Why there is no card; null where there is one. */
  reason: z
    .enum(['front-disabled', 'front-unreadable', 'not-on-shelf', 'product-unreadable', ...DROP_CODES])
    .nullable(),
  /** Errors that hold the front back: its last snapshot stays, whatever is said here. */
  holding: z
    .array(
      z.strictObject({
        severity: z.enum(['error', 'warning']),
        code: z.string(),
        place: z.string(),
        message: z.string(),
      }),
    )
    .readonly(),
  isHeldBack: z.boolean(),
  /** null where front or product cannot be read, or the front is disabled. */
  rules: z
    .strictObject({
      /** Apart from the shelf, where the product is not on it. */
      reason: dropReason.nullable(),
      card: cardFacts.nullable(),
      shelf: z.strictObject({
        featured: z.boolean(),
        banner: z.boolean(),
        paused: z.boolean(),
        visibleFrom: maybeInstant,
        visibleUntil: maybeInstant,
      }),
      /** An instant, or `open`; null where the product is not paused. */
      pausedUntil: maybeText,
      sessions: z.array(session).readonly(),
      tiers: z.array(tier).readonly(),
      facets: z.array(facet).readonly(),
      /** null where nothing changes within a year. */
      nextChange: z
        .strictObject({ at: instantText, card: cardFacts.nullable(), reason: dropReason.nullable() })
        .nullable(),
    })
    .nullable(),
});

export type ExplainResultJson = z.infer<typeof explainResultSchema>;
