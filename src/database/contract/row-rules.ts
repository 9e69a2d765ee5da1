// Rules that look at more than one value of a row (catalogue.md, "Rules that no CHECK can hold"),
// each with its finding. The load and check-db share them. What a single value may be is in
// columns.ts.

import { OFFSET_SECONDS_MAX, type Zone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import { formatDateTime, formatInstant, instantOfText, type Instant } from '../../catalogue/instant.ts';
import { findingOf, FRACTION, quoted } from './row-checker.ts';
import { wallTimeIn } from './values.ts';

const EARLIEST_WALL_TIME = wallTimeIn('0000-01-01T00:00:00');
const LATEST_WALL_TIME = wallTimeIn('9999-12-31T23:59:59');

/** When a session starts, and what is wrong with how its row says so. */
export interface Start {
  /** Null where the row does not tell, which is an error. */
  readonly startsAt: Instant | null;
  /** The same by the clock of the venue, in seconds as if it were UTC. */
  readonly wallTime: number;
  readonly finding: Finding | null;
}

/**
 * The start of a session from checked values: `starts_at`, or where that is NULL the wall time in
 * the zone of its venue.
 */
export function startOf(
  locationOf: () => string,
  startsAt: string | null,
  startsLocal: string | null,
  zone: Zone,
  tzdata: string,
): Start {
  if (startsAt === null) return startByWallTime(locationOf, startsLocal, zone, tzdata);
  const at = instantOfText(startsAt);
  const wallTime = at + zone.offsetAt(at);
  let finding: Finding | null = null;
  if (wallTime < EARLIEST_WALL_TIME || wallTime > LATEST_WALL_TIME) {
    const message = `starts_at: expected a wall time in the years 0000 to 9999 at the venue (${zone.name}), found ${startsAt}`;
    finding = findingOf('error', 'year-unprintable', locationOf(), message);
  } else if (startsLocal !== null && wallTimeIn(startsLocal) !== wallTime) {
    const message =
      `time-zone drift: starts_local says ${startsLocal}, but ${startsAt} is ${formatDateTime(wallTime)} in ${zone.name} ` +
      `by the rules of tzdata ${tzdata}`;
    finding = findingOf('warning', 'zone-drift', locationOf(), message);
  }
  return { startsAt: at, wallTime, finding };
}

/**
 * Of a wall time that occurs twice the earlier is taken: a visitor who comes an hour early misses
 * nothing.
 */
function startByWallTime(locationOf: () => string, startsLocal: string | null, zone: Zone, tzdata: string): Start {
  if (startsLocal === null) return { startsAt: null, wallTime: Number.NaN, finding: noStart(locationOf()) };
  const wallTime = wallTimeIn(startsLocal);
  const [startsAt = null, later] = zone.instantsAt(wallTime);
  let finding: Finding | null = null;
  if (startsAt === null) {
    const message = `starts_local: expected a wall time that clocks in ${zone.name} show, found ${startsLocal}, which they skip by the rules of tzdata ${tzdata}`;
    const hint = 'correct the time, or write starts_at, the instant';
    finding = { ...findingOf('error', 'wall-time-skipped', locationOf(), message), hint };
  } else if (later !== undefined) {
    const message =
      `starts_local: ${startsLocal} occurs twice in ${zone.name} by the rules of tzdata ${tzdata}; ` +
      `taken as ${formatInstant(startsAt)}, not ${formatInstant(later)}: starts_at can say which`;
    finding = findingOf('warning', 'wall-time-repeated', locationOf(), message);
  }
  return { startsAt, wallTime, finding };
}

/** A session says when it starts. */
export function noStart(location: string): Finding {
  const message = 'starts_at: expected an instant, or a wall time in starts_local, found NULL in both';
  return findingOf('error', 'value-invalid', location, message);
}

/** Only a pause has an end. */
export function pauseFinding(locationOf: () => string, paused: 0 | 1, pausedUntil: string | null): Finding | null {
  if (paused === 1 || pausedUntil === null) return null;
  const message = `paused_until: expected NULL where paused is 0, found ${quoted(pausedUntil)}`;
  return findingOf('error', 'value-invalid', locationOf(), message, 'paused_until');
}

/** A session with ticket tiers of its own has a public one. */
export function noPublicTier(location: string): Finding {
  const message = 'its own ticket tiers include no public one, so it has no price';
  return findingOf('warning', 'no-public-tier', location, message);
}

const FORM = {
  instant: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  wall: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
} as const;

/**
 * The first instant whose text is not before a text of that form, which need not be a date of the
 * calendar: queries compare texts. For a wall time, in seconds as if it were UTC. Infinity for
 * anything of another form.
 */
function firstInstantNotBefore(value: unknown, form: keyof typeof FORM): number {
  const text = typeof value === 'string' ? value.replace(FRACTION, '') : '';
  if (!FORM[form].test(text)) return Number.POSITIVE_INFINITY;
  const wall = text.replace('Z', '');
  let [before, notBefore] = [EARLIEST_WALL_TIME - 1, LATEST_WALL_TIME + 1];
  while (notBefore - before > 1) {
    const middle = Math.floor((before + notBefore) / 2);
    if (formatDateTime(middle) < wall) before = middle;
    else notBefore = middle;
  }
  return notBefore;
}

/**
 * When a session no longer matters by what its row says of times, as the query for sessions sees
 * it; `start` is the instant of `starts_local`, if that is known. Infinity where no value says it.
 */
export function endOfSession(
  startsAt: unknown,
  startsLocal: unknown,
  salesEndAt: unknown,
  start: Instant | null = null,
): number {
  if (salesEndAt !== null) return firstInstantNotBefore(salesEndAt, 'instant');
  if (startsAt !== null) return firstInstantNotBefore(startsAt, 'instant');
  return start ?? firstInstantNotBefore(startsLocal, 'wall') + OFFSET_SECONDS_MAX;
}
