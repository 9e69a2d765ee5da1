// Hand-computed cases: prices, pauses, and why a product has no card. Every expected value was
// worked out from the definitions; none was copied from a run.

import { evening, noon, session, tier, type Case } from './hand-case.ts';

export const PRICES: Case[] = [
  {
    name: 'a tier that ends exactly now has expired, and with it the session',
    now: noon,
    rows: [session(1, evening), tier(1, 100, { valid_until: noon })],
    dropped: 'prices-expired',
  },
  {
    name: 'where only the defaults have expired, a session with a live tier of its own remains',
    now: noon,
    rows: [
      session(1, evening),
      session(2, '2026-05-05T16:00:00Z'),
      tier(1, 100, { valid_until: noon }),
      tier(2, 70_000, { session_id: 2, valid_until: '2026-05-01T09:00:01Z' }),
    ],
    card: { nextScheduleSlot: '2026-05-05T19:00:00+03:00', multiScheduleSlots: false, priceFrom: 700 },
  },
  {
    name: 'an own tier that is not public replaces the expired defaults and leaves no price that could expire',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 30_000, { valid_until: noon }),
      tier(2, 100, { session_id: 1, is_public: 0, valid_until: noon }),
    ],
    card: { soldOut: false, priceFrom: null, nextScheduleSlot: '2026-05-01T19:00:00+03:00' },
  },
  {
    name: 'an own add-on replaces nothing and prices nothing',
    now: noon,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 100, { session_id: 1, kind: 'addon' })],
    card: { priceFrom: 300 },
  },
  {
    name: 'a tier that has not begun is live enough for a card, but has no price yet',
    now: noon,
    rows: [session(1, evening), tier(1, 30_000, { valid_from: '2026-05-01T09:00:01Z' })],
    card: { soldOut: false, priceFrom: null },
  },
  {
    name: 'sales and a tier that both begin exactly now have begun',
    now: noon,
    rows: [session(1, evening, { sales_start_at: noon }), tier(1, 30_000, { valid_from: noon })],
    card: { priceFrom: 300 },
  },
  {
    name: 'a session is sold out when each of its live tiers is, whatever an expired one says',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 30_000, { available: 0 }),
      tier(2, 40_000, { available: -2, valid_from: '2026-05-02T00:00:00Z' }),
      tier(3, 10_000, { available: 9, valid_until: noon }),
    ],
    card: { soldOut: true, priceFrom: null, todaySlot: '2026-05-01T19:00:00+03:00' },
  },
  {
    name: 'a tier without a limit is never sold out, and a sold out one has no price',
    now: noon,
    rows: [session(1, evening), tier(1, 10_000, { available: 0 }), tier(2, 40_000)],
    card: { soldOut: false, priceFrom: 400 },
  },
  {
    name: 'other currencies and tiers kept out of it do not count; kopecks are printed as far as needed',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 1, { currency: 'JPY' }),
      tier(2, 2, { in_price_from: 0 }),
      tier(3, 3, { is_public: 0 }),
      tier(4, 123_410),
    ],
    card: { priceFrom: 1234.1 },
  },
  ...(
    [
      [noon, 4],
      ['2026-05-01T09:00:01Z', 2],
    ] as const
  ).map(([now, priceFrom]) => ({
    name: `of tiers that are over, to come, sold out, add-ons, not public or in another currency, none makes the price at ${now}`,
    now,
    rows: [
      session(1, evening),
      tier(1, 100, { valid_until: noon }),
      tier(2, 200, { valid_from: '2026-05-01T09:00:01Z' }),
      tier(3, 300, { available: 0 }),
      tier(4, 400),
      tier(5, 50, { kind: 'addon' }),
      tier(6, 10, { is_public: 0 }),
      tier(7, 5, { in_price_from: 0 }),
      tier(8, 1, { currency: 'EUR' }),
    ],
    card: { priceFrom },
  })),
  {
    name: 'a sold out session lends no price',
    now: noon,
    rows: [
      session(1, evening, { available: 0 }),
      session(2, '2026-05-05T16:00:00Z'),
      tier(1, 100, { session_id: 1 }),
      tier(2, 90_000, { session_id: 2 }),
    ],
    card: { priceFrom: 900 },
  },
  {
    name: 'free is 0, not null',
    now: noon,
    rows: [session(1, evening), tier(1, 0)],
    card: { priceFrom: 0 },
  },
];

export const PAUSES: Case[] = [
  {
    name: 'a pause that ends exactly now is over',
    now: noon,
    product: { paused: 1, paused_until: noon },
    rows: [session(1, evening)],
    card: { paused: false },
  },
  {
    name: 'a pause with an end ahead is active, and changes nothing else',
    now: noon,
    product: { paused: 1, paused_until: '2026-05-01T09:00:01Z' },
    rows: [session(1, evening), tier(1, 500)],
    card: { paused: true, soldOut: false, priceFrom: 5, todaySlot: '2026-05-01T19:00:00+03:00' },
  },
  {
    name: "the front's own pause is enough",
    now: noon,
    attached: { paused: 1 },
    rows: [session(1, evening)],
    card: { paused: true },
  },
  {
    name: 'while a session can be bought, a paused one gives no slot and no price',
    now: noon,
    rows: [
      session(1, evening, { paused: 1 }),
      tier(1, 10_000, { session_id: 1 }),
      session(2, '2026-05-05T16:00:00Z'),
      tier(2, 30_000, { session_id: 2 }),
    ],
    card: {
      paused: false,
      multiScheduleSlots: false,
      nextScheduleSlot: '2026-05-05T19:00:00+03:00',
      todaySlot: null,
      priceFrom: 300,
    },
  },
  {
    name: 'all paused: slots and price as if they were not',
    now: noon,
    rows: [session(1, evening, { paused: 1 }), session(2, '2026-05-05T16:00:00Z', { paused: 1 }), tier(1, 10_000)],
    card: {
      paused: true,
      soldOut: false,
      multiScheduleSlots: true,
      todaySlot: '2026-05-01T19:00:00+03:00',
      priceFrom: 100,
    },
  },
  {
    name: 'paused, with one sold out and one that is not: the one that is not alone',
    now: noon,
    rows: [
      session(1, evening, { paused: 1, available: 0 }),
      session(2, '2026-05-05T16:00:00Z', { paused: 1, available: 5 }),
      tier(1, 10_000),
    ],
    card: { paused: true, soldOut: false, multiScheduleSlots: false, nextScheduleSlot: '2026-05-05T19:00:00+03:00' },
  },
  {
    name: 'a sold out session is not in the pool, so it cannot keep a paused product on sale',
    now: noon,
    rows: [session(1, evening, { paused: 1 }), session(2, '2026-05-05T16:00:00Z', { available: 0 })],
    card: { paused: true, soldOut: false },
  },
];

export const DROPS: Case[] = [
  {
    name: 'an archived product is not published, whatever else it lacks',
    now: noon,
    product: { status: 'archived' },
    attached: { visible_until: noon },
    rows: [],
    dropped: 'not-published',
  },
  {
    name: 'a product is not visible at the very end of its window',
    now: noon,
    attached: { visible_until: noon },
    rows: [session(1, evening)],
    dropped: 'not-visible',
  },
  {
    name: 'a product is visible at the very beginning of its window',
    now: noon,
    attached: { visible_from: noon, visible_until: '2026-05-01T09:00:01Z' },
    rows: [session(1, evening)],
    card: { nextScheduleSlot: '2026-05-01T19:00:00+03:00' },
  },
  { name: 'a product without sessions', now: noon, rows: [tier(1, 100)], dropped: 'no-sessions' },
  {
    name: 'drafts, postponed and cancelled sessions are not scheduled, past or not',
    now: noon,
    rows: [
      session(1, evening, { status: 'draft' }),
      session(2, '2026-04-01T16:00:00Z', { status: 'postponed' }),
      session(3, evening, { status: 'cancelled' }),
    ],
    dropped: 'not-scheduled',
  },
  {
    name: 'what the front does not sell is excluded before it can be over',
    now: noon,
    rows: [
      session(1, '2026-04-01T16:00:00Z'),
      session(2, evening, { status: 'cancelled' }),
      { table: 'front_session_exclusions', row: { front_id: 1, session_id: 1 } },
      { table: 'front_session_exclusions', row: { front_id: 2, session_id: 2 } },
    ],
    dropped: 'excluded',
  },
  {
    name: "another front's exclusion is not ours",
    now: noon,
    rows: [session(1, evening), { table: 'front_session_exclusions', row: { front_id: 2, session_id: 1 } }],
    card: { todaySlot: '2026-05-01T19:00:00+03:00' },
  },
  {
    name: 'sales that ended exactly now are over, although the session is yet to start',
    now: noon,
    rows: [session(1, evening, { sales_end_at: noon })],
    dropped: 'over',
  },
];
