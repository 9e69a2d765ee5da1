// What today, tomorrow and weekend mean to a front whose day may begin in the night
// (`day_starts_at`; fields.md, D0, D1 and W).

import type { Days } from './calendar.ts';
import { dateTextOf, instantOf, isoWeekdayOf, SECONDS_PER_DAY, twoDigits, type Instant } from './instant.ts';

/**
 * What today, tomorrow and weekend mean at an instant, as day numbers; `weekendUntil` is exclusive.
 */
export interface FrontDays {
  /** When a day begins, in seconds after midnight. */
  readonly startsAt: number;
  readonly today: number;
  readonly tomorrow: number;
  readonly weekendFrom: number;
  readonly weekendUntil: number;
}

/** D0, D1 and W of fields.md at an instant; `weekendDays` has 1 to 6 ISO weekday digits. */
export function frontDaysAt(days: Days, weekendDays: string, instant: Instant): FrontDays {
  const today = days.dayAt(instant);
  const isWeekend = (day: number) => weekendDays.includes(String(isoWeekdayOf(day)));
  let weekendFrom = today;
  // The weekend is the whole run of weekend days, past days included; a run may cross from Sunday
  // to Monday.
  if (isWeekend(today)) while (isWeekend(weekendFrom - 1)) weekendFrom -= 1;
  else while (!isWeekend(weekendFrom)) weekendFrom += 1;
  let weekendUntil = weekendFrom + 1;
  while (isWeekend(weekendUntil)) weekendUntil += 1;
  return { startsAt: days.startsAt, today, tomorrow: today + 1, weekendFrom, weekendUntil };
}

/** When the day that contains an instant begins, and when it ends. */
export function dayAround(days: Days, at: Instant): readonly [from: Instant, until: Instant] {
  const from = days.changes(instantOf(at - 3 * SECONDS_PER_DAY), at).at(-1);
  if (from === undefined) throw new Error(`no day has begun in ${days.zone.name} within three days of ${at}`);
  return [from, days.nextChange(at)];
}

/** The day that contains an instant, `YYYY-MM-DD`. */
export function dayText(days: Days, instant: Instant): string {
  return dateTextOf(days.dayAt(instant));
}

/** Seconds after midnight of a time of day, `05:00`. */
export function secondsOfTime(time: string): number {
  const [hours, minutes] = time.split(':');
  return (Number(hours) * 60 + Number(minutes)) * 60;
}

/** A time of day in whole minutes, `05:00`. */
export function timeOfSeconds(seconds: number): string {
  const minutes = seconds / 60;
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}
