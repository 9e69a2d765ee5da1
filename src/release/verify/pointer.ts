// Checks that a pointer is consistent: form, order, zone and date (snapshot.md, "Pointer"). A valid
// pointer gives the uses of its editions: which document is in force from when until when.

import type { Days, Zones } from '../../catalogue/calendar.ts';
import { dayText, secondsOfTime } from '../../catalogue/days.ts';
import { parseInstant, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionPath, ENDPOINTS, pathOf, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { PROBLEM_CODE } from '../tree/codec.ts';
import type { ReadPointer } from '../tree/read.ts';
import { summary, type FindingSink } from './finding-sink.ts';

/**
 * A build looks at most 366 days ahead, and the next boundary follows within two days. No dates are
 * computed for a longer span.
 */
const SPAN_SECONDS_MAX = 370 * SECONDS_PER_DAY;

/** One document in force over [from, until). */
export interface EditionUse {
  readonly path: string;
  readonly from: Instant;
  readonly until: Instant;
}

/** What follows from a consistent pointer. */
export interface CheckedPointer {
  readonly days: Days;
  /** By time. */
  readonly uses: Readonly<Record<Endpoint, readonly EditionUse[]>>;
}

/** Checks a front's pointer; null if it is inconsistent, so that nothing can be derived from it. */
export function checkPointer(
  { pointer, isCanonical }: ReadPointer,
  zones: Zones,
  sink: FindingSink,
): CheckedPointer | null {
  const path = pathOf({ kind: 'pointer', front: pointer.front });
  const errorsBefore = sink.errors;
  if (!isCanonical) sink.error(PROBLEM_CODE.pointer, path, NOT_CANONICAL);
  const now = parseInstant(pointer.now);
  const validUntil = parseInstant(pointer.validUntil);
  if (now === undefined || validUntil === undefined) {
    sink.error(PROBLEM_CODE.pointer, path, 'now, validUntil: expected dates of the calendar');
    return null;
  }
  if (validUntil - now > SPAN_SECONDS_MAX) {
    const message = `validUntil: expected at most 370 days after now, found ${pointer.validUntil} after ${pointer.now}`;
    sink.error(PROBLEM_CODE.pointer, path, message);
    return null;
  }
  checkEntries(pointer, path, sink);
  const days = checkDays(pointer, now, path, zones, sink);
  if (days === null || sink.errors > errorsBefore) return null;
  return { days, uses: { products: usesOf(pointer, 'products'), categories: usesOf(pointer, 'categories') } };
}

/** The message for pointers and key rings, which have no digest. */
export const NOT_CANONICAL = 'expected the canonical form, found the same content in another form';

function checkEntries(pointer: Pointer, path: string, sink: FindingSink): void {
  const wrong: string[] = [];
  const repeated: string[] = [];
  for (const endpoint of ENDPOINTS) {
    let before: ReturnType<typeof entryOf> | undefined;
    for (const entry of pointer[endpoint].map(entryOf)) {
      const { from, digest } = entry;
      if (parseInstant(from) === undefined) wrong.push(`${endpoint}: expected a date of the calendar, found ${from}`);
      if (before === undefined && from !== pointer.now) {
        wrong.push(`${endpoint}: expected the first edition from now ${pointer.now}, found ${from}`);
      }
      if (before !== undefined && from <= before.from) {
        wrong.push(`${endpoint}: expected an instant after ${before.from}, found ${from}`);
      }
      if (digest === before?.digest) repeated.push(`${endpoint}: from ${from} the same ${digest} as before`);
      before = entry;
    }
    if (before !== undefined && pointer.validUntil <= before.from) {
      wrong.push(
        `${endpoint}: expected validUntil after the last edition's ${before.from}, found ${pointer.validUntil}`,
      );
    }
  }
  if (wrong.length > 0) sink.error('edition-order', path, summary(wrong));
  if (repeated.length > 0) sink.error('edition-repeated', path, summary(repeated));
}

function checkDays(pointer: Pointer, now: Instant, path: string, zones: Zones, sink: FindingSink): Days | null {
  const { timezone, dayStartsAt } = pointer;
  const zone = zones.get(timezone);
  if (zone === null) {
    const message = `timezone: expected one that this runtime knows, found ${JSON.stringify(timezone)}; dates are not checked`;
    sink.error('zone-unknown', path, message);
    return null;
  }
  const days = zone.daysFrom(dayStartsAt === undefined ? 0 : secondsOfTime(dayStartsAt));
  const today = dayText(days, now);
  if (pointer.today !== today) {
    const message = `today: expected ${today}, the day of ${pointer.now} in ${timezone}, found ${pointer.today}`;
    sink.error(PROBLEM_CODE.pointer, path, message);
  }
  return days;
}

function usesOf(pointer: Pointer, endpoint: Endpoint): EditionUse[] {
  const entries = pointer[endpoint].map(entryOf);
  return entries.flatMap(({ from: fromText, digest }, i) => {
    const from = parseInstant(fromText);
    const until = parseInstant(entries[i + 1]?.from ?? pointer.validUntil);
    if (from === undefined || until === undefined) return [];
    return [{ path: editionPath(pointer.front, endpoint, digest), from, until }];
  });
}
