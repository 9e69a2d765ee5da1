// Hand-computed cases: the examples of the design, then dates, weekends and printed times. Every
// expected value was worked out from the definitions; none was copied from a run.

import { evening, noon, session, tier, type Case } from './hand-case.ts';

export const EXAMPLES: Case[] = [
  {
    name: 'a session that starts exactly now has started and is not offered',
    now: noon,
    rows: [session(1, noon)],
    dropped: 'over',
  },
  {
    name: 'a timed entry on sale until 10:45 is still offered at 10:20, and next',
    now: '2026-05-01T07:20:00Z',
    rows: [
      session(1, '2026-05-01T07:00:00Z', { sales_end_at: '2026-05-01T07:45:00Z' }),
      session(2, '2026-05-01T08:00:00Z'),
    ],
    card: {
      nextScheduleSlot: '2026-05-01T10:00:00+03:00',
      multiScheduleSlots: true,
      todaySlot: '2026-05-01T10:00:00+03:00',
      todayMultiScheduleSlots: true,
    },
  },
  {
    name: 'midnight belongs to the new day',
    now: noon,
    rows: [session(1, '2026-05-01T21:00:00Z')],
    card: {
      todaySlot: null,
      todayMultiScheduleSlots: null,
      tomorrowSlot: '2026-05-02T00:00:00+03:00',
      tomorrowMultiScheduleSlots: false,
      weekendSlot: '2026-05-02T00:00:00+03:00',
      weekendMultiScheduleSlots: false,
    },
  },
  {
    name: 'spring forward: from Saturday noon, half past midnight on Monday is neither tomorrow nor weekend',
    now: '2026-03-28T11:00:00Z',
    front: { timezone: 'Europe/Berlin' },
    venue: { timezone: 'Europe/Berlin' },
    rows: [session(1, '2026-03-29T22:30:00Z')],
    card: { nextScheduleSlot: '2026-03-30T00:30:00+02:00', tomorrowSlot: null, weekendSlot: null },
  },
  {
    name: 'venue east of the front: the date on the ticket decides',
    now: noon,
    venue: { timezone: 'Asia/Vladivostok' },
    rows: [session(1, '2026-05-01T14:30:00Z')],
    card: {
      todaySlot: null,
      tomorrowSlot: '2026-05-02T00:30:00+10:00',
      weekendSlot: '2026-05-02T00:30:00+10:00',
    },
  },
  {
    name: 'on Sunday night the weekend has not rolled over yet',
    now: '2026-05-03T19:00:00Z',
    rows: [session(1, '2026-05-09T16:00:00Z')],
    card: { weekendSlot: null, weekendMultiScheduleSlots: null },
  },
  {
    name: 'at Monday 00:00 it has',
    now: '2026-05-03T21:00:00Z',
    rows: [session(1, '2026-05-09T16:00:00Z')],
    card: { weekendSlot: '2026-05-09T19:00:00+03:00', weekendMultiScheduleSlots: false },
  },
  {
    name: 'one of two sold out: everything follows the other',
    now: noon,
    rows: [session(1, evening, { available: 0 }), session(2, '2026-05-05T16:00:00Z', { available: 3, venue_id: 2 })],
    card: {
      soldOut: false,
      nextScheduleSlot: '2026-05-05T19:00:00+03:00',
      multiScheduleSlots: false,
      inventoryItemName: 'Annexe',
      multiInventoryItems: false,
      todaySlot: null,
    },
  },
  {
    name: 'all sold out: the slots describe both and there is no price',
    now: noon,
    rows: [
      session(1, evening, { available: 0 }),
      session(2, '2026-05-05T16:00:00Z', { available: 0, venue_id: 2 }),
      tier(1, 50_000),
    ],
    card: {
      soldOut: true,
      nextScheduleSlot: '2026-05-01T19:00:00+03:00',
      multiScheduleSlots: true,
      inventoryItemName: 'Hall',
      multiInventoryItems: true,
      todaySlot: '2026-05-01T19:00:00+03:00',
      priceFrom: null,
    },
  },
  {
    name: 'announced: sales open tomorrow, so there is a card and no price',
    now: noon,
    rows: [session(1, '2026-05-09T16:00:00Z', { sales_start_at: '2026-05-02T07:00:00Z' }), tier(1, 50_000)],
    card: { soldOut: false, priceFrom: null, nextScheduleSlot: '2026-05-09T19:00:00+03:00' },
  },
  {
    name: "a session's own tiers replace the defaults",
    now: noon,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 100_000, { session_id: 1 })],
    card: { priceFrom: 1000 },
  },
];

export const DATES: Case[] = [
  {
    name: 'a Sunday-and-Monday weekend still counts its Sunday on Monday',
    now: '2026-05-04T09:00:00Z',
    front: { weekend_days: '17' },
    rows: [session(1, '2026-05-03T07:00:00Z', { sales_end_at: '2026-05-05T07:00:00Z' })],
    card: { weekendSlot: '2026-05-03T10:00:00+03:00', weekendMultiScheduleSlots: false, todaySlot: null },
  },
  {
    name: 'a Sunday-and-Monday weekend lies ahead on Tuesday, and both its days count',
    now: '2026-05-05T09:00:00Z',
    front: { weekend_days: '17' },
    rows: [session(1, '2026-05-10T16:00:00Z'), session(2, '2026-05-11T16:00:00Z')],
    card: { weekendSlot: '2026-05-10T19:00:00+03:00', weekendMultiScheduleSlots: true },
  },
  {
    name: 'Friday and Sunday are two weekends: on Friday, Sunday is not in this one',
    now: noon,
    front: { weekend_days: '57' },
    rows: [session(1, '2026-05-03T16:00:00Z')],
    card: { weekendSlot: null },
  },
  {
    name: 'Friday and Sunday are two weekends: on Saturday, Sunday is the next one',
    now: '2026-05-02T09:00:00Z',
    front: { weekend_days: '57' },
    rows: [session(1, '2026-05-03T16:00:00Z'), session(2, '2026-05-08T16:00:00Z')],
    card: { weekendSlot: '2026-05-03T19:00:00+03:00', weekendMultiScheduleSlots: false },
  },
  {
    name: 'with every day but Sunday in the weekend, Sunday looks forward to Monday through Saturday',
    now: '2026-05-03T09:00:00Z',
    front: { weekend_days: '123456' },
    rows: [session(1, '2026-05-03T16:00:00Z'), session(2, '2026-05-09T16:00:00Z'), session(3, '2026-05-11T16:00:00Z')],
    card: { weekendSlot: '2026-05-09T19:00:00+03:00', weekendMultiScheduleSlots: false },
  },
  {
    name: "the front's date decides what today is: late on Friday in New York, Saturday evening in Moscow is tomorrow",
    now: '2026-05-02T03:00:00Z',
    front: { timezone: 'America/New_York' },
    rows: [session(1, '2026-05-02T16:00:00Z')],
    card: {
      todaySlot: null,
      tomorrowSlot: '2026-05-02T19:00:00+03:00',
      weekendSlot: '2026-05-02T19:00:00+03:00',
    },
  },
  {
    name: 'half an hour before a day of 23 hours, tomorrow is that day and not the one after',
    now: '2026-03-28T22:30:00Z',
    front: { timezone: 'Europe/Berlin' },
    venue: { timezone: 'Europe/Berlin' },
    rows: [session(1, '2026-03-29T17:00:00Z'), session(2, '2026-03-30T17:00:00Z')],
    card: { tomorrowSlot: '2026-03-29T19:00:00+02:00', tomorrowMultiScheduleSlots: false },
  },
  {
    name: 'half an hour into a day of 25 hours, tomorrow is still the next day',
    now: '2026-10-24T22:30:00Z',
    front: { timezone: 'Europe/Berlin' },
    venue: { timezone: 'Europe/Berlin' },
    rows: [session(1, '2026-10-25T18:00:00Z'), session(2, '2026-10-26T18:00:00Z')],
    card: { todaySlot: '2026-10-25T19:00:00+01:00', tomorrowSlot: '2026-10-26T19:00:00+01:00' },
  },
  {
    name: "the date can go back: at 00:01 on the 7th, St. John's turned to 23:01 on the 6th, and the 7th is tomorrow again",
    now: '2010-11-07T02:31:00Z',
    front: { timezone: 'America/St_Johns' },
    venue: { timezone: 'America/St_Johns' },
    rows: [session(1, '2010-11-07T15:30:00Z')],
    card: { todaySlot: null, tomorrowSlot: '2010-11-07T12:00:00-03:30' },
  },
  {
    name: 'Havana skips midnight: tomorrow begins at 01:00',
    now: '2026-03-07T17:00:00Z',
    front: { timezone: 'America/Havana' },
    venue: { timezone: 'America/Havana' },
    rows: [session(1, '2026-03-08T04:59:59Z'), session(2, '2026-03-08T05:00:00Z')],
    card: {
      todaySlot: '2026-03-07T23:59:59-05:00',
      todayMultiScheduleSlots: false,
      tomorrowSlot: '2026-03-08T01:00:00-04:00',
      tomorrowMultiScheduleSlots: false,
    },
  },
  {
    name: 'the day after 29 December 2011 is the 30th by the calendar, though Apia never lived it',
    now: '2011-12-29T22:00:00Z',
    front: { timezone: 'Pacific/Apia' },
    venue: { timezone: 'Pacific/Apia' },
    rows: [session(1, '2011-12-30T20:00:00Z')],
    card: { tomorrowSlot: null, weekendSlot: '2011-12-31T10:00:00+14:00' },
  },
  {
    name: 'an offset of zero is printed as +00:00, also in the zone UTC',
    now: noon,
    venue: { timezone: 'UTC' },
    rows: [session(1, '2026-05-01T16:00:07Z')],
    card: { nextScheduleSlot: '2026-05-01T16:00:07+00:00' },
  },
  {
    name: 'Casablanca is on UTC in Ramadan',
    now: '2026-03-01T09:00:00Z',
    venue: { timezone: 'Africa/Casablanca' },
    rows: [session(1, '2026-03-01T20:00:00Z')],
    card: { nextScheduleSlot: '2026-03-01T20:00:00+00:00' },
  },
  {
    name: 'Monrovia, 44 minutes 30 seconds behind UTC until 1972, is printed with whole minutes and the exact instant',
    now: '1971-06-01T09:00:00Z',
    venue: { timezone: 'Africa/Monrovia' },
    rows: [session(1, '1971-06-01T12:00:00Z')],
    card: { nextScheduleSlot: '1971-06-01T11:16:00-00:44' },
  },
  ...(
    [
      ['2026-03-28T11:00:00Z', { tomorrowSlot: '2026-03-29T19:30:00+02:00' }],
      ['2026-03-29T22:00:00Z', { nextScheduleSlot: '2026-04-04T19:30:00+02:00' }],
    ] as const
  ).map(([now, card]) => ({
    name: `a show at 19:30 stays at 19:30 when clocks are put forward, with the offset of its own day, seen at ${now}`,
    now,
    front: { timezone: 'Europe/Zurich' },
    venue: { timezone: 'Europe/Zurich' },
    rows: ['2026-03-28', '2026-03-29', '2026-04-04'].map((date, i) =>
      session(1 + i, '', { starts_at: null, starts_local: `${date}T19:30:00` }),
    ),
    card,
  })),
  {
    name: 'two sessions at the same instant go by id, as numbers',
    now: noon,
    rows: [session(10, evening), session(9, evening, { venue_id: 2 })],
    card: { inventoryItemName: 'Annexe', multiInventoryItems: true, todayMultiScheduleSlots: true },
  },
];
