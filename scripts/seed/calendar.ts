// Instants and wall clocks of the generated rows. Keeps its own offset tables and refuses instants that are not canonical;
// it shares nothing with the calendar of the build, so that a mistake in one shows up against the other.

export const MINUTE = 60;
export const DAY = 86_400;

/** Seconds since the epoch of `YYYY-MM-DDTHH:MM:SSZ`; a RangeError for any other form or an impossible date. */
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

/** The same digits without a zone, for a wall clock given as seconds since the epoch of a clock without offset. */
export function wallText(wallSeconds: number): string {
  return new Date(wallSeconds * 1000).toISOString().slice(0, 19);
}

/** One zone's offsets over the days that the generator writes about. */
export interface Zone {
  readonly name: string;
  /** Seconds to add to an instant to read the wall clock. */
  offsetAt(instant: number): number;
  /** The number of the calendar day (days since the epoch) that the wall clock shows at an instant. */
  dayAt(instant: number): number;
  /** The instant at which the wall clock shows `minutes` after midnight of a day; moved by the gap where clocks skip it. */
  instantAt(day: number, minutes: number): number;
}

/** Tabulates the offsets of an IANA zone between two instants, exact to the second. A RangeError for a zone the runtime lacks. */
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
