// One pointer against itself: form, order, zone and date (snapshot.md, "Pointer"). From a sound one follow the uses of its
// editions: which document is in force from when until when.

import { isKnownZone, localDateText, Zone } from '../../catalogue/calendar.ts';
import { parseInstant, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionPath, ENDPOINTS, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../tree/published.ts';
import { isSameText } from './manifest.ts';
import { gathered, type Report } from './report.ts';
import { parsePointer, pointerText, PROBLEM_CODE } from '../tree/codec.ts';

/** A build looks at most 366 days ahead, and the next boundary follows within two: beyond, no date is worth computing. */
const SPAN_SECONDS_MAX = 370 * SECONDS_PER_DAY;

/** One document in force over [from, until). */
export interface EditionUse {
  readonly path: string;
  readonly from: Instant;
  readonly until: Instant;
}

export interface CheckedPointer {
  readonly pointer: Pointer;
  /** null where the pointer contradicts itself: then nothing is derived from it. */
  readonly sound: SoundPointer | null;
}

export interface SoundPointer {
  readonly zone: Zone;
  /** By time. */
  readonly uses: Readonly<Record<Endpoint, readonly EditionUse[]>>;
}

/** Zones by name, each made once: making one is dear. null where the runtime does not know it. */
export type ZoneOf = (name: string) => Zone | null;

export function rememberedZones(): ZoneOf {
  const zones = new Map<string, Zone | null>();
  return (name) => {
    let zone = zones.get(name);
    if (zone === undefined) {
      zone = isKnownZone(name) ? new Zone(name) : null;
      zones.set(name, zone);
    }
    return zone;
  };
}

/** Checks the bytes of a front's pointer; null where they are no pointer of this front. @throws AppError tree-newer-schema */
export function checkPointer(
  bytes: Uint8Array,
  path: string,
  front: string,
  zoneOf: ZoneOf,
  report: Report,
): CheckedPointer | null {
  const { value: pointer, problem } = parsePointer(bytes, path);
  if (problem !== null) {
    report.error(PROBLEM_CODE.pointer, path, problem);
    return null;
  }
  if (pointer.front !== front) {
    report.error(PROBLEM_CODE.pointer, path, `expected the front of its folder, found the pointer of ${pointer.front}`);
    return null;
  }
  const errorsBefore = report.errors;
  if (!isSameText(pointerText(pointer), bytes)) {
    report.error(PROBLEM_CODE.pointer, path, 'expected the canonical form, found the same content written otherwise');
  }
  const now = parseInstant(pointer.now);
  const validUntil = parseInstant(pointer.validUntil);
  if (now === undefined || validUntil === undefined) {
    report.error(PROBLEM_CODE.pointer, path, 'now, validUntil: expected dates of the calendar');
    return { pointer, sound: null };
  }
  if (validUntil - now > SPAN_SECONDS_MAX) {
    const message = `validUntil: expected at most 370 days after now, found ${pointer.validUntil} after ${pointer.now}`;
    report.error(PROBLEM_CODE.pointer, path, message);
    return { pointer, sound: null };
  }
  checkEntries(pointer, path, report);
  const zone = checkZone(pointer, now, path, zoneOf, report);
  if (zone === null || report.errors > errorsBefore) return { pointer, sound: null };
  const uses = { products: usesOf(pointer, 'products'), categories: usesOf(pointer, 'categories') };
  return { pointer, sound: { zone, uses } };
}

function checkEntries(pointer: Pointer, path: string, report: Report): void {
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
  if (wrong.length > 0) report.error('edition-order', path, gathered(wrong));
  if (repeated.length > 0) report.error('edition-repeated', path, gathered(repeated));
}

function checkZone(pointer: Pointer, now: Instant, path: string, zoneOf: ZoneOf, report: Report): Zone | null {
  const { timezone } = pointer;
  const zone = zoneOf(timezone);
  if (zone === null) {
    const message = `timezone: expected one that this runtime knows, found ${JSON.stringify(timezone)}; dates are not checked`;
    report.error('zone-unknown', path, message);
    return null;
  }
  const today = localDateText(zone, now);
  if (pointer.today !== today) {
    const message = `today: expected ${today}, the date of ${pointer.now} in ${timezone}, found ${pointer.today}`;
    report.error(PROBLEM_CODE.pointer, path, message);
  }
  return zone;
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
