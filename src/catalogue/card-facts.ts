// What the card of one product on one front says at an instant, of all that time can change: for explaining, one product at a time.
// Documents are made elsewhere (render/), for all products at once; both ask offer.ts, and a test holds them together.

import { boundariesOf } from './boundaries.ts';
import { frontDaysOf } from './calendar.ts';
import type { Front } from './front.ts';
import { periodContains } from './period.ts';
import type { FrontProduct } from './front-products.ts';
import { instantOf, SECONDS_PER_DAY, type Instant } from './instant.ts';
import { formatAmount } from './money.ts';
import {
  dropReasonAt,
  hasSeveralVenues,
  isEverySessionPaused,
  poolAt,
  priceFromAt,
  slotsOn,
  type DropReason,
  type Pool,
  type Slot,
} from './offer.ts';
import type { Product, Session } from './product.ts';
import type { Taxonomy } from './taxonomy.ts';

/** Fields of a card by their names in the document, in its order. */
export interface CardFacts {
  readonly paused: boolean;
  readonly soldOut: boolean;
  readonly nextScheduleSlot: string;
  readonly multiScheduleSlots: boolean;
  readonly inventoryItemName: string;
  readonly multiInventoryItems: boolean;
  readonly priceFrom: number | null;
  readonly badges: readonly string[];
  readonly todaySlot: string | null;
  readonly todayMultiScheduleSlots: boolean | null;
  readonly tomorrowSlot: string | null;
  readonly tomorrowMultiScheduleSlots: boolean | null;
  readonly weekendSlot: string | null;
  readonly weekendMultiScheduleSlots: boolean | null;
}

/** A product on a front's shelf. */
export interface ShelvedProduct {
  readonly front: Front;
  readonly entry: FrontProduct;
  readonly product: Product;
  readonly taxonomy: Taxonomy;
}

/** A card, or why there is none. */
export type CardState =
  | { readonly facts: CardFacts; readonly reason: null }
  | { readonly facts: null; readonly reason: DropReason };

/** The card at an instant, or the first rule that leaves the product without one (fields.md). */
export function cardStateAt(shelved: ShelvedProduct, now: Instant): CardState {
  const { front, entry, product, taxonomy } = shelved;
  if (!product.isPublished) return { facts: null, reason: 'not-published' };
  if (!periodContains(entry.visible, now)) return { facts: null, reason: 'not-visible' };
  const excluded = product.exclusions.get(front.id);
  const pool = poolAt(product, excluded, now);
  const first = pool?.sessions[0];
  if (pool === null || first === undefined) return { facts: null, reason: dropReasonAt(product, excluded, now) };
  const { today, tomorrow, weekend } = slotsOn(pool, frontDaysOf(front.zone.dayAt(now), front.weekendDays));
  const facts = {
    paused: isPausedAt(shelved, pool, now),
    soldOut: pool.isSoldOut,
    nextScheduleSlot: startText(first),
    multiScheduleSlots: pool.sessions.length > 1,
    inventoryItemName: first.venue.name,
    multiInventoryItems: hasSeveralVenues(pool),
    priceFrom: amountOf(priceFromAt(pool, front.currency, now), front),
    badges: product.badges
      .filter(({ valid }) => periodContains(valid, now))
      .map(({ badge }) => taxonomy.badges[badge]?.slug ?? ''),
    todaySlot: slotText(today),
    todayMultiScheduleSlots: today?.isMulti ?? null,
    tomorrowSlot: slotText(tomorrow),
    tomorrowMultiScheduleSlots: tomorrow?.isMulti ?? null,
    weekendSlot: slotText(weekend),
    weekendMultiScheduleSlots: weekend?.isMulti ?? null,
  };
  return { facts, reason: null };
}

/** `paused` of fields.md: the product's pause, the front's, or that of every session. */
function isPausedAt({ entry, product }: ShelvedProduct, pool: Pool, now: Instant): boolean {
  return now < product.pausedUntil || entry.isPaused || isEverySessionPaused(pool);
}

/** An amount in minor units as documents print it. */
function amountOf(amountMinor: number | null, { currencyExponent }: Front): number | null {
  return amountMinor === null ? null : Number(formatAmount(amountMinor, currencyExponent));
}

/** The start of a session as documents print it. */
function startText({ venue, startsAt }: Session): string {
  return venue.zone.format(startsAt);
}

function slotText(slot: Slot | null): string | null {
  return slot === null ? null : startText(slot.session);
}

/** How far ahead the next change is looked for. */
const AHEAD_SECONDS = 366 * SECONDS_PER_DAY;

/** The next instant at which the card, or the reason why there is none, becomes another; null where none is near. */
export function nextCardChange(
  shelved: ShelvedProduct,
  now: Instant,
): { readonly at: Instant; readonly state: CardState } | null {
  const until = instantOf(now + AHEAD_SECONDS);
  const { visible } = shelved.entry;
  const ends = [visible.from, visible.until].filter((end) => end > now && end <= until).map(instantOf);
  const dates = shelved.front.zone.dateChanges(now, until);
  const instants = [...boundariesOf(shelved.product, now, until).within, ...ends, ...dates];
  const before = JSON.stringify(cardStateAt(shelved, now));
  for (const at of [...new Set(instants)].sort((a, b) => a - b)) {
    const state = cardStateAt(shelved, at);
    if (JSON.stringify(state) !== before) return { at, state };
  }
  return null;
}
