// Instants relative to now, as the demo tables write them. Knows no clock: now is always given.

import { DateTime } from 'luxon';

const HOUR_MS = 3_600_000;

/**
 * `+36h` or `-2d`: so long after or before now, cut to the whole hour. `+3d 10:00`: that wall time,
 * so many dates after today, in the zone of the season's (or the key's own) front.
 */
export type Moment = `${'+' | '-'}${number}${'h' | 'd'}` | `${'+' | '-'}${number}d ${number}:${number}`;

/**
 * The instant of a moment, `YYYY-MM-DDTHH:MM:SSZ`; nothing for nothing. `now` in milliseconds since
 * 1970.
 */
export function instantOf(moment: Moment | null | undefined, timezone: string, now: number): string | undefined {
  if (!moment) return undefined;
  const [span = '', time] = moment.split(' ');
  const count = Number(span.slice(0, -1));
  if (time !== undefined) {
    const day = DateTime.fromMillis(now, { zone: timezone }).plus({ days: count }).startOf('day');
    return instant(day.set({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3)) }).toMillis());
  }
  const millis = now + count * (span.endsWith('d') ? 24 * HOUR_MS : HOUR_MS);
  return instant(millis - (millis % HOUR_MS));
}

/** Milliseconds since 1970 → `YYYY-MM-DDTHH:MM:SSZ`, cut to the whole second. */
export function instant(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}Z`;
}
