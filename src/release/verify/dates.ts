// Checks that the slots in cards fall on today, tomorrow and the weekend of the front's calendar,
// over the whole time that an edition is in force (snapshot.md, "Going back"). Without the
// database, the date of a session is the printed one.

import { frontDaysOf, type Zone } from '../../catalogue/calendar.ts';
import { dateTextOf, formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
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
  zone: Zone,
  weekendDays: string | null,
): string[] {
  // The meaning of the three names changes only with the front's date.
  for (const at of [from, ...zone.dateChanges(from, instantOf(until - 1))]) {
    const dates = dayDatesAt(zone, weekendDays, at);
    const problems = document.productCards.flatMap((card) => cardDateProblems(card, dates, at));
    if (problems.length > 0) return problems;
  }
  return [];
}

function dayDatesAt(zone: Zone, weekendDays: string | null, at: Instant): DayDates {
  const today = zone.dayAt(at);
  const dates = { today: [dateTextOf(today)], tomorrow: [dateTextOf(today + 1)] };
  if (weekendDays === null) return { ...dates, weekend: null };
  const { weekendFrom, weekendUntil } = frontDaysOf(today, weekendDays);
  const weekend: string[] = [];
  for (let day = weekendFrom; day < weekendUntil; day += 1) weekend.push(dateTextOf(day));
  return { ...dates, weekend };
}

function cardDateProblems(card: ProductCard, dates: DayDates, at: Instant): string[] {
  const problems: string[] = [];
  const next = card.nextScheduleSlot;
  for (const day of DAY_SLOTS) {
    const wanted = dates[day];
    if (wanted === null) continue;
    const slot = card[`${day}Slot`];
    const means = `at ${formatInstant(at)} ${day} is ${wanted.join(', ')}`;
    if (slot !== null && !wanted.includes(slot.slice(0, 10))) {
      problems.push(`${card.slug}: ${day}Slot is ${slot}, but ${means}`);
    } else if (slot !== next && wanted.includes(next.slice(0, 10))) {
      // The first session of all is also the first of its day.
      problems.push(`${card.slug}: ${day}Slot is ${slot}, not nextScheduleSlot ${next}, but ${means}`);
    }
  }
  return problems;
}
