// Instants where clocks are mean: midnights, clock changes and skipped dates of chosen zones, and
// one second beside them. Everything is drawn as a description and resolved afterwards, so that a
// failing case shrinks well.

import * as fc from 'fast-check';
import { DateTime } from 'luxon';

/**
 * Zones that have caught programs out: odd offsets, half-hour and midnight clock changes, a skipped
 * date.
 */
export const ZONES = [
  'Europe/Moscow',
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Vladivostok',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'America/Havana',
  'Asia/Beirut',
] as const;

export interface Moment {
  readonly zone: string;
  readonly date: string;
}

/** Local dates around which `now` is drawn. */
const MOMENTS: readonly Moment[] = [
  { zone: 'Europe/Moscow', date: '2026-05-01' },
  { zone: 'Europe/Moscow', date: '2026-05-03' },
  { zone: 'Europe/Moscow', date: '2024-02-29' },
  { zone: 'UTC', date: '2025-12-31' },
  { zone: 'Europe/Berlin', date: '2026-03-28' },
  { zone: 'Europe/Berlin', date: '2026-03-29' },
  { zone: 'Europe/Berlin', date: '2026-10-25' },
  { zone: 'America/New_York', date: '2026-03-08' },
  { zone: 'America/New_York', date: '2026-11-01' },
  { zone: 'Asia/Kolkata', date: '2026-07-04' },
  { zone: 'Asia/Kathmandu', date: '2026-07-05' },
  { zone: 'Asia/Vladivostok', date: '2026-05-02' },
  { zone: 'Pacific/Kiritimati', date: '2026-01-01' },
  { zone: 'America/St_Johns', date: '2026-03-08' },
  { zone: 'Africa/Casablanca', date: '2026-02-15' },
  { zone: 'Africa/Casablanca', date: '2026-03-22' },
  { zone: 'Australia/Lord_Howe', date: '2026-04-05' },
  { zone: 'Australia/Lord_Howe', date: '2026-10-04' },
  // Midnight itself is skipped, or lived twice.
  { zone: 'America/Havana', date: '2026-03-08' },
  { zone: 'America/Havana', date: '2026-11-01' },
  { zone: 'Asia/Beirut', date: '2026-03-29' },
  { zone: 'Asia/Beirut', date: '2026-10-25' },
  { zone: 'America/Sao_Paulo', date: '2018-11-04' },
  { zone: 'America/Sao_Paulo', date: '2018-02-18' },
  // The date goes back to the day before for 59 minutes: 00:01 on the 7th became 23:01 on the 6th.
  { zone: 'America/St_Johns', date: '2010-11-07' },
  // 30 December 2011 never came.
  { zone: 'Pacific/Apia', date: '2011-12-29' },
  { zone: 'Pacific/Apia', date: '2011-12-31' },
];

const DAY = 86_400;

/**
 * Seconds beside a base: on it, just beside it, or somewhere in the days around. The small ones
 * come often, for ties.
 */
const beside = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.constantFrom(-1, 1) },
  { weight: 4, arbitrary: fc.constantFrom(1800, 3600, 7200, -1800, -3600, 12 * 3600, DAY, 2 * DAY) },
  { weight: 4, arbitrary: fc.integer({ min: -2 * DAY, max: 2 * DAY }) },
  { weight: 1, arbitrary: fc.integer({ min: -400 * DAY, max: 400 * DAY }) },
);

export const nowDraft = fc.record({
  moment: fc.constantFrom(...MOMENTS),
  base: fc.constantFrom('midnight' as const, 'noon' as const, 'clock-change' as const),
  seconds: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, -1, 1) },
    { weight: 1, arbitrary: fc.integer({ min: -DAY, max: DAY }) },
  ),
});

export const instantDraft = fc.oneof(
  { weight: 3, arbitrary: fc.record({ base: fc.constant('now' as const), seconds: beside }) },
  { weight: 1, arbitrary: fc.record({ base: fc.constant('clock-change' as const), seconds: beside }) },
  {
    weight: 3,
    arbitrary: fc.record({
      base: fc.constant('midnight' as const),
      zone: fc.option(fc.constantFrom(...ZONES), { nil: null }),
      days: fc.integer({ min: -2, max: 9 }),
      seconds: beside,
    }),
  },
);

export type NowDraft = typeof nowDraft extends fc.Arbitrary<infer Draft> ? Draft : never;
export type InstantDraft = typeof instantDraft extends fc.Arbitrary<infer Draft> ? Draft : never;

/** The instant that the draft of `now` describes, in canonical UTC text. */
export function resolveNow({ moment, base, seconds }: NowDraft): string {
  if (base === 'clock-change') return canonical(clockChange(moment).plus({ seconds }));
  const midnight = DateTime.fromISO(moment.date, { zone: moment.zone }).startOf('day');
  return canonical((base === 'noon' ? midnight.set({ hour: 12 }) : midnight).plus({ seconds }));
}

/**
 * The instant that a draft describes beside `now`; its midnights are those of its own zone, or of
 * the moment's.
 */
export function resolveInstant(draft: InstantDraft, now: string, moment: Moment): string {
  const { seconds } = draft;
  if (draft.base === 'now') return canonical(DateTime.fromISO(now).plus({ seconds }));
  if (draft.base === 'clock-change') return canonical(clockChange(moment).plus({ seconds }));
  const today = DateTime.fromISO(now, { zone: draft.zone ?? moment.zone });
  return canonical(today.plus({ days: draft.days }).startOf('day').plus({ seconds }));
}

/**
 * The second at which the zone's offset changes within a day and a half of the moment's midnight,
 * else that midnight.
 */
function clockChange({ zone, date }: Moment): DateTime {
  const midnight = DateTime.fromISO(date, { zone }).startOf('day');
  let before = midnight.toSeconds() - 1.5 * DAY;
  let after = midnight.toSeconds() + 1.5 * DAY;
  const offsetAt = (second: number) => DateTime.fromSeconds(second, { zone }).offset;
  const offset = offsetAt(before);
  if (offsetAt(after) === offset) return midnight;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offset) before = middle;
    else after = middle;
  }
  return DateTime.fromSeconds(after, { zone });
}

function canonical(instant: DateTime): string {
  const text = instant.toUTC().startOf('second').toISO({ suppressMilliseconds: true });
  if (text === null) throw new Error(`not an instant: ${instant.invalidReason}`);
  return text;
}
