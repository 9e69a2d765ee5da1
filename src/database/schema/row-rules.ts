// Rules that look at more than one value of a row (catalogue.md, "Rules that no CHECK can hold"), each with its finding. The load and
// check-db share them. What a single value may be is in columns.ts.

import type { Zone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import { formatDateTime, parseWallTime } from '../../catalogue/instant.ts';
import { findingOf, quoted } from './row-checker.ts';

const EARLIEST_WALL_TIME = parseWallTime('0000-01-01T00:00:00') ?? 0;
const LATEST_WALL_TIME = parseWallTime('9999-12-31T23:59:59') ?? 0;

/** A session's start, as its row has it: checked values. */
export interface PrintedStart {
  readonly startsAt: string;
  readonly startsLocal: string | null;
  /** `startsAt` by the clock of the venue, in seconds as if it were UTC. */
  readonly wallTime: number;
  readonly zone: Zone;
}

/** The wall time of a session has a year of four digits, and is the one printed on the ticket. */
export function wallTimeFinding(
  placeOf: () => string,
  { startsAt, startsLocal, wallTime, zone }: PrintedStart,
  tzdata: string,
): Finding | null {
  if (wallTime < EARLIEST_WALL_TIME || wallTime > LATEST_WALL_TIME) {
    const message = `starts_at: expected a wall time in the years 0000 to 9999 at the venue (${zone.name}), found ${startsAt}`;
    return findingOf('error', 'year-unprintable', placeOf(), message);
  }
  if (startsLocal === null || parseWallTime(startsLocal) === wallTime) return null;
  const message =
    `time-zone drift: starts_local says ${startsLocal}, but ${startsAt} is ${formatDateTime(wallTime)} in ${zone.name} ` +
    `by the rules of tzdata ${tzdata}`;
  return findingOf('warning', 'zone-drift', placeOf(), message);
}

/** Only a pause has an end. */
export function pauseFinding(placeOf: () => string, paused: 0 | 1, pausedUntil: string | null): Finding | null {
  if (paused === 1 || pausedUntil === null) return null;
  const message = `paused_until: expected NULL where paused is 0, found ${quoted(pausedUntil)}`;
  return findingOf('error', 'value-invalid', placeOf(), message, 'paused_until');
}

/** A session with ticket tiers of its own has a public one. */
export function noPublicTier(place: string): Finding {
  const message = 'its own ticket tiers include no public one, so it has no price';
  return findingOf('warning', 'no-public-tier', place, message);
}

/** In WAL mode a reader does not block the operator's writers. */
export function journalModeFinding(journalMode: string): Finding | null {
  if (journalMode === 'wal') return null;
  const message = `expected WAL, found ${journalMode}: a long build then blocks the writers; sqlite3 FILE "PRAGMA journal_mode=WAL"`;
  return findingOf('warning', 'journal-mode-not-wal', 'database', message);
}
