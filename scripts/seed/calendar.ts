// Instants and wall times of the generated rows. Accepts only canonical instants. Shares no code
// with the calendar of the build, so that an error in one shows up as a difference.

export const MINUTE = 60;
export const DAY = 86_400;

/**
 * Seconds since the epoch of `YYYY-MM-DDTHH:MM:SSZ`.
 * @throws RangeError for any other form or an impossible date
 */
export function parseInstant(text: string): number {
  const milliseconds = Date.parse(text);
  if (!Number.isFinite(milliseconds) || instantText(milliseconds / 1000) !== text) {
    throw new RangeError(`expected an instant such as 2026-05-01T09:00:00Z, found ${JSON.stringify(text)}`);
  }
  return milliseconds / 1000;
}

/** The inverse of parseInstant. */
export function instantText(seconds: number): string {
  return `${wallText(seconds)}Z`;
}

/** `YYYY-MM-DDTHH:MM:SS` for a wall time given in seconds, counted as if it were UTC. */
export function wallText(wallSeconds: number): string {
  return new Date(wallSeconds * 1000).toISOString().slice(0, 19);
}

/** One zone's offsets over the days that the generator writes about. */
export interface Zone {
  readonly name: string;
  /** Seconds to add to an instant to read the wall clock. */
  offsetAt(instant: number): number;
  /** The calendar day of an instant in this zone, in days since the epoch. */
  dayAt(instant: number): number;
  /**
   * The instant of the wall time `minutes` after midnight of a day. A time that clocks skip is
   * moved by the gap.
   */
  instantAt(day: number, minutes: number): number;
}

/**
 * Tabulates the offsets of an IANA zone between two instants, exact to the second.
 * @throws RangeError for an unknown zone
 */
export function createZone(name: string, from: number, until: number): Zone {
  const readOffset = offsetReader(name);
  const changes = [{ at: Number.NEGATIVE_INFINITY, offset: readOffset(from) }];
  for (let day = from; day < until; day += DAY) {
    const before = readOffset(day);
    const after = readOffset(day + DAY);
    if (before === after) continue;
    let low = day;
    let high = day + DAY;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (readOffset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, offset: after });
  }
  function offsetAt(instant: number): number {
    let offset = 0;
    for (const change of changes) if (change.at <= instant) offset = change.offset;
    return offset;
  }
  return {
    name,
    offsetAt,
    dayAt: (instant) => Math.floor((instant + offsetAt(instant)) / DAY),
    instantAt(day, minutes) {
      const wall = day * DAY + minutes * MINUTE;
      return wall - offsetAt(wall - offsetAt(wall));
    },
  };
}

function offsetReader(name: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return (instant) => {
    const text = format.formatToParts(instant * 1000).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/u.exec(text);
    if (match === null) throw new RangeError(`expected an offset such as GMT+03:00 for ${name}, found ${text}`);
    const [, sign, hours, minutes] = match;
    const seconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60;
    return sign === '-' ? -seconds : seconds;
  };
}
