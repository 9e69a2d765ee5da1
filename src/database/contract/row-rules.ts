// Rules that look at more than one value of a row (catalogue.md, "Rules that no CHECK can hold"),
// each with its finding. The load and check-db share them. What a single value may be is in
// columns.ts.

import { OFFSET_SECONDS_MAX, type Zone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import {
  formatDateTime,
  formatInstant,
  instantOfText,
  SECONDS_PER_DAY,
  secondsOfDay,
  type Instant,
} from '../../catalogue/instant.ts';
import { TEXT_FIELDS, type TextField, type TextKind } from '../../catalogue/texts.ts';
import { findingOf, FRACTION, quoted } from './row-checker.ts';
import { wallTimeIn } from './values.ts';

const EARLIEST_WALL_TIME = wallTimeIn('0000-01-01T00:00:00');
const LATEST_WALL_TIME = wallTimeIn('9999-12-31T23:59:59');

/** The columns of a session's times that may be a wall time in place of the instant. */
export const WALL_TIME_OF = {
  starts_at: 'starts_local',
  ends_at: 'ends_local',
  sales_start_at: 'sales_start_local',
  sales_end_at: 'sales_end_local',
  visible_from: 'visible_from_local',
} as const;

/** A time of a session, as its row has it. */
export interface TimeCells {
  readonly column: keyof typeof WALL_TIME_OF;
  readonly instant: string | null;
  readonly local: string | null;
}

/** A time of a session, and what is wrong with how its row says it. */
export interface SessionTime {
  /** Null where the row says none, or has an error. */
  readonly at: Instant | null;
  readonly finding: Finding | null;
}

/**
 * A time of a session from checked values: the instant, or where that is NULL the wall time in the
 * zone of the session.
 */
export function timeOf(locationOf: () => string, cells: TimeCells, zone: Zone, tzdata: string): SessionTime {
  const { column, instant, local } = cells;
  if (instant === null) return local === null ? NO_TIME : timeByWallTime(locationOf, column, local, zone, tzdata);
  const at = instantOfText(instant);
  if (local === null || wallTimeIn(local) === at + zone.offsetAt(at)) return { at, finding: null };
  const message =
    `time-zone drift: ${WALL_TIME_OF[column]} says ${local}, but ${instant} is ${formatDateTime(at + zone.offsetAt(at))} ` +
    `in ${zone.name} by the rules of tzdata ${tzdata}`;
  return { at, finding: findingOf('warning', 'zone-drift', locationOf(), message) };
}

const NO_TIME: SessionTime = { at: null, finding: null };

/** The start of a session likewise: one that it must have, and that can be printed. */
export function startOf(
  locationOf: () => string,
  instant: string | null,
  local: string | null,
  zone: Zone,
  tzdata: string,
): SessionTime {
  if (instant === null && local === null) return { at: null, finding: noStart(locationOf()) };
  const start = timeOf(locationOf, { column: 'starts_at', instant, local }, zone, tzdata);
  if (start.at === null) return start;
  const wallTime = start.at + zone.offsetAt(start.at);
  if (wallTime >= EARLIEST_WALL_TIME && wallTime <= LATEST_WALL_TIME) return start;
  const message = `starts_at: expected a wall time in the years 0000 to 9999 (${zone.name}), found ${instant}`;
  return { at: null, finding: findingOf('error', 'year-unprintable', locationOf(), message) };
}

/**
 * Of a wall time that occurs twice the earlier is taken: a visitor who comes an hour early misses
 * nothing.
 */
function timeByWallTime(
  locationOf: () => string,
  column: TimeCells['column'],
  local: string,
  zone: Zone,
  tzdata: string,
): SessionTime {
  const [at = null, later] = zone.instantsAt(wallTimeIn(local));
  if (at === null) {
    const message = `${WALL_TIME_OF[column]}: expected a wall time that clocks in ${zone.name} show, found ${local}, which they skip by the rules of tzdata ${tzdata}`;
    const hint = `correct the time, or write ${column}, the instant`;
    return { at, finding: { ...findingOf('error', 'wall-time-skipped', locationOf(), message), hint } };
  }
  if (later === undefined) return { at, finding: null };
  const message =
    `${WALL_TIME_OF[column]}: ${local} occurs twice in ${zone.name} by the rules of tzdata ${tzdata}; ` +
    `taken as ${formatInstant(at)}, not ${formatInstant(later)}: ${column} can say which`;
  return { at, finding: findingOf('warning', 'wall-time-repeated', locationOf(), message) };
}

/** A session or its venue has a time zone. */
export function noZone(location: string): Finding {
  const message = 'timezone: expected an IANA time zone in the session or its venue, found NULL in both';
  return findingOf('error', 'zone-unknown', location, message, 'timezone');
}

/** Ten years: a longer daily session is a mistyped year. */
const DATES_MAX = 3660;

/** What keeps a session from standing for one on every date from its start to its end. */
export function dailyFinding(
  locationOf: () => string,
  start: Instant,
  end: Instant | null,
  zone: Zone,
): Finding | null {
  const fault = (expected: string, found: string): Finding =>
    findingOf(
      'error',
      'daily-end',
      locationOf(),
      `ends_at: expected of a daily session ${expected}, found ${found}`,
      'ends_at',
    );
  if (end === null) return fault('the end of its last date', 'NULL');
  const [from, until] = [start + zone.offsetAt(start), end + zone.offsetAt(end)];
  const days = Math.floor(until / SECONDS_PER_DAY) - Math.floor(from / SECONDS_PER_DAY);
  const hours = `${formatDateTime(from)} to ${formatDateTime(until)}`;
  if (days < 0 || secondsOfDay(until) <= secondsOfDay(from)) {
    return fault('a time of day after that of its start, on the same date or a later one', hours);
  }
  return days < DATES_MAX ? null : fault(`at most ${DATES_MAX} dates`, hours);
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

/** Only these fields of a kind of thing have texts. */
export function textFieldFinding(locationOf: () => string, kind: TextKind, field: TextField): Finding | null {
  const fields: readonly TextField[] = TEXT_FIELDS[kind];
  if (fields.includes(field)) return null;
  const message = `field: expected ${fields.join(' or ')} of kind ${kind}, found ${field}`;
  return findingOf('error', 'value-invalid', locationOf(), message, 'field');
}

/** A badge for the last tickets says how many these are. */
export function ruleFinding(locationOf: () => string, rule: string | null, below: number | null): Finding | null {
  if (rule !== 'few-left' || below !== null) return null;
  const message = 'rule_below: expected a number of seats where rule is few-left, found NULL';
  return findingOf('error', 'value-invalid', locationOf(), message, 'rule_below');
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

/** The cells of a session's row that say when its offer ends; a value may be anything. */
export type EndCells = Readonly<
  Record<
    'starts_at' | 'starts_local' | 'ends_at' | 'ends_local' | 'daily' | 'sales_end_at' | 'sales_end_local',
    unknown
  >
>;

/**
 * When a session no longer matters by what its row says of times, as the query for sessions sees
 * it; Infinity where no value says it. `zone` is the session's, if that is known.
 */
export function endOfSession(cells: EndCells, zone: Zone | null = null): number {
  const endBy = (instant: unknown, local: unknown): number => {
    if (instant !== null) return firstInstantNotBefore(instant, 'instant');
    const wallTime = firstInstantNotBefore(local, 'wall');
    const [at] = zone === null || !Number.isFinite(wallTime) ? [] : zone.instantsAt(wallTime);
    return at ?? wallTime + OFFSET_SECONDS_MAX;
  };
  if (cells.sales_end_at !== null || cells.sales_end_local !== null) {
    return endBy(cells.sales_end_at, cells.sales_end_local);
  }
  // The last of its dates may be anywhere up to the end.
  if (cells.daily !== 0) return endBy(cells.ends_at, cells.ends_local);
  return endBy(cells.starts_at, cells.starts_local);
}
