// Checks that the slots in cards fall on today, tomorrow and the weekend of the front's calendar,
// over the whole time that an edition is in force (snapshot.md, "Going back"). Without the
// database, all that is known of a session is the printed start.

import type { Days } from '../../catalogue/calendar.ts';
import { dayText, frontDaysAt, secondsOfTime } from '../../catalogue/days.ts';
import {
  dateTextOf,
  formatInstant,
  instantOf,
  instantOfText,
  parseOffsetDateTime,
  SECONDS_PER_DAY,
  type Instant,
} from '../../catalogue/instant.ts';
import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';

import type { EditionUse } from './pointer.ts';

/** As the fields of a card name them. */
const DAY_SLOTS = ['today', 'tomorrow', 'weekend'] as const;

type DaySlot = (typeof DAY_SLOTS)[number];

/** The dates, `YYYY-MM-DD`, that each name means at an instant; null if not known. */
type DayDates = Readonly<Record<DaySlot, readonly string[] | null>>;

/** Every card whose dates are wrong at the first instant of a use at which any are. */
export function slotDateProblems(
  document: ProductsDocument,
  { from, until }: EditionUse,
  days: Days,
  weekendDays: string | null,
): string[] {
  // The meaning of the three names changes only with the front's day.
  for (const at of [from, ...days.changes(from, instantOf(until - 1))]) {
    const dates = dayDatesAt(days, weekendDays, at);
    const problems = document.productCards.flatMap((card) => cardDateProblems(card, dates, days, at));
    if (problems.length > 0) return problems;
  }
  return [];
}

function dayDatesAt(days: Days, weekendDays: string | null, at: Instant): DayDates {
  const today = days.dayAt(at);
  const dates = { today: [dateTextOf(today)], tomorrow: [dateTextOf(today + 1)] };
  if (weekendDays === null) return { ...dates, weekend: null };
  const { weekendFrom, weekendUntil } = frontDaysAt(days, weekendDays, at);
  const weekend: string[] = [];
  for (let day = weekendFrom; day < weekendUntil; day += 1) weekend.push(dateTextOf(day));
  return { ...dates, weekend };
}

function cardDateProblems(card: ProductCard, dates: DayDates, days: Days, at: Instant): string[] {
  const problems: string[] = [];
  const next = card.nextScheduleSlot;
  for (const day of DAY_SLOTS) {
    const wanted = dates[day];
    if (wanted === null) continue;
    const slot = card[`${day}Slot`];
    const means = `at ${formatInstant(at)} ${day} is ${wanted.join(', ')}`;
    if (slot !== null && !dayTextsOf(slot, days).some((text) => wanted.includes(text))) {
      problems.push(`${card.slug}: ${day}Slot is ${slot}, but ${means}`);
    } else if (slot !== next && dayTextsOf(next, days).every((text) => wanted.includes(text))) {
      // The first session of all is also the first of its day.
      problems.push(`${card.slug}: ${day}Slot is ${slot}, not nextScheduleSlot ${next}, but ${means}`);
    }
  }
  return problems;
}

/** A zone's clocks are hardly ever set back by more. */
const SET_BACK_SECONDS_MAX = 2 * 3600;

/** The days that a session with this start may belong to. */
function dayTextsOf(printed: string, days: Days): readonly string[] {
  const date = printed.slice(0, 10);
  const time = secondsOfTime(printed.slice(11, 16));
  const at = time < days.startsAt ? parseOffsetDateTime(printed) : undefined;
  if (at === undefined) return [date];
  const before = (dates: number): string => dateTextOf(instantOfText(`${date}T00:00:00Z`) / SECONDS_PER_DAY - dates);
  const texts = [before(1)];
  // A zone that has moved beyond the date line had no such date.
  if (/^\+1[2-4]/.test(printed.slice(19))) texts.push(before(2));
  // Another zone of the same offset may have had a date that the front's has not.
  if (days.zone.format(at) === printed) return [dayText(days, at), ...texts];
  // In another zone clocks may have been set back after the day had begun.
  if (time >= days.startsAt - SET_BACK_SECONDS_MAX) texts.push(date);
  return texts;
}
