// How a schedule reads: a rhythm of dates and wall times → the starts around now. Knows no clock
// (now is given) and no chance: variety comes from a hash of names and dates.

import { DateTime } from 'luxon';
import { instant } from './moment.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Every so many days, from … until (days around today), on such days of the week, at such wall
 * times of the venue.
 */
export interface Schedule {
  /**
   * 1 when not said. Days are counted from one of the product's own, so its dates stay the same as
   * now moves on.
   */
  readonly every?: number;
  /** ISO days of the week; all when not said. */
  readonly days?: string;
  /** -3 and 60 when not said. */
  readonly from?: number;
  readonly until?: number;
  /** `12:00 19:00`, or `10:00-18:00/30` for each half hour, the last at 18:00. */
  readonly at: string;
  /** On weekend days of the season's first front; as on the others when not said. */
  readonly weekend?: string;
  readonly minutes: number;
  /** Seats of one session; null = not limited. */
  readonly seats: number | null;
  /**
   * Minutes after (before, when negative) the start at which its sale ends; at the start when not
   * said.
   */
  readonly salesEnd?: number;
  /** Sales open at 10:00, that many days before. */
  readonly opensBefore?: number;
  /** One daily session for so many dates, each of so many minutes. */
  readonly dates?: number;
  /** No time is printed on the ticket. */
  readonly untimed?: true;
}

interface Place {
  readonly venue: string;
  readonly timezone: string;
}

/** One start, and what the schedule alone decides of its session's row. */
interface Start extends Place {
  readonly millis: number;
  readonly isWeekend: boolean;
  readonly columns: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Every start that a schedule gives a product around `now` (milliseconds since 1970), date by date.
 * Several places take turns. The product's slug decides which days are its own and how full its
 * houses are.
 */
export function* startsOf(
  schedule: Schedule,
  { slug, places, weekendDays }: { slug: string; places: readonly Place[]; weekendDays: string },
  now: number,
): Iterable<Start> {
  const { every = 1, days = '1234567', from = -3, until = 60, at: usual, weekend = usual } = schedule;
  const offset = DateTime.fromMillis(now, { zone: places[0]?.timezone ?? 'utc' }).offset;
  const today = Math.floor((now + offset * MINUTE_MS) / DAY_MS);
  for (let day = today + from; day <= today + until; day += 1) {
    const date = DateTime.fromMillis(day * DAY_MS, { zone: 'utc' });
    const place = places[Math.floor(day / every) % places.length];
    if (!place || !days.includes(String(date.weekday)) || (day + hash(slug)) % every !== 0) continue;
    const isWeekend = weekendDays.includes(String(date.weekday));
    for (const time of timesOf(isWeekend ? weekend : usual)) {
      const start = DateTime.fromISO(`${date.toFormat('yyyy-MM-dd')}T${time}`, { zone: place.timezone });
      yield { ...place, isWeekend, millis: start.toMillis(), columns: columnsOf(schedule, slug, start, now) };
    }
  }
}

function columnsOf(schedule: Schedule, slug: string, start: DateTime, now: number): Start['columns'] {
  const { minutes, seats, salesEnd, opensBefore, dates, untimed } = schedule;
  const millis = start.toMillis();
  const local = start.toFormat("yyyy-MM-dd'T'HH:mm:ss");
  const opening = opensBefore && start.minus({ days: opensBefore }).set({ hour: 10, minute: 0 });
  return {
    starts_at: instant(millis),
    starts_local: untimed ? undefined : local,
    ends_at: instant(start.plus({ days: (dates ?? 1) - 1, minutes }).toMillis()),
    daily: dates === undefined ? undefined : 1,
    sales_start_at: opening && instant(opening.toMillis()),
    sales_end_at: salesEnd === undefined ? undefined : instant(millis + salesEnd * MINUTE_MS),
    available: seats === null ? undefined : seatsLeft(seats, (millis - now) / DAY_MS, `${slug} ${local}`),
  };
}

/**
 * Some of the house is sold, more of it the nearer the day; one session in thirteen is sold out.
 */
function seatsLeft(seats: number, daysAhead: number, seed: string): number {
  if (hash(seed) % 13 === 0) return 0;
  const share = Math.min(1, Math.max(daysAhead, 0) / 30 + 0.2) * (0.5 + (hash(`${seed} sold`) % 50) / 100);
  return Math.max(1, Math.floor(seats * share));
}

/** FNV-1a: variety that depends on nothing but the text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}

function timesOf(list: string): string[] {
  return list.split(' ').flatMap((word) => {
    const [first = '', last, step] = word.split(/[-/]/);
    if (last === undefined) return first === '' ? [] : [first];
    const count = (minutesOf(last) - minutesOf(first)) / Number(step) + 1;
    return Array.from({ length: count }, (_, index) => clockTime(minutesOf(first) + index * Number(step)));
  });
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
