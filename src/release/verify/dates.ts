// The dates inside cards against the clock: today, tomorrow and weekend as the front's zone and calendar have them, over the
// whole time that an edition is in force (snapshot.md, "Going back"). Knows no database, so a session's date is the one printed.

import { frontDaysOf, type Zone } from '../../catalogue/calendar.ts';
import { dateTextOf, formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';

import type { EditionUse } from './pointer.ts';

/** The card's sessions by day, as its fields call them. */
const DAY_SLOTS = ['today', 'tomorrow', 'weekend'] as const;

type DaySlot = (typeof DAY_SLOTS)[number];

/** The dates, `YYYY-MM-DD`, that each name means at an instant; null where that is not known. */
type DayDates = Readonly<Record<DaySlot, readonly string[] | null>>;

/** Every card whose dates are wrong at some instant of a use. Of several such instants the first is reported. */
export function slotDateProblems(
  document: ProductsDocument,
  { from, until }: EditionUse,
  zone: Zone,
  weekendDays: string | null,
): string[] {
  // Between two changes of the front's date all three names keep their meaning.
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
      // The first of all sessions is the first of its day.
      problems.push(`${card.slug}: ${day}Slot is ${slot}, not nextScheduleSlot ${next}, but ${means}`);
    }
  }
  return problems;
}
