// What the writers of rows share during a run. They use no other clock or randomness.

import { createZone, DAY, type Zone } from './calendar.ts';
import type { WriteRow } from './database.ts';
import type { ProductPlan, Size } from './plan.ts';
import type { Random } from './random.ts';

export interface Seeding {
  readonly size: Size;
  /** Seconds since the epoch. Most dates lie within DAYS_BEFORE and DAYS_AFTER of it. */
  readonly now: number;
  readonly random: Random;
  /** The random numbers of what differs between fronts (differences.ts); null where nothing does. */
  readonly differences: Random | null;
  readonly plans: readonly ProductPlan[];
  readonly write: WriteRow;
  /** The offsets of a zone around `now`, tabulated at first use. */
  zone(name: string): Zone;
}

/** Sessions lie within these days around `now`; about one in ten is in the past. */
export const DAYS_BEFORE = 12;
export const DAYS_AFTER = 80;

/** Announcements, early-bird prices, reschedulings and the ends of daily sessions lie further from `now` than sessions do. */
const MARGIN_DAYS = 60;

export function createZones(now: number): (name: string) => Zone {
  const zones = new Map<string, Zone>();
  return (name) => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const zone = createZone(name, now - (DAYS_BEFORE + MARGIN_DAYS) * DAY, now + (DAYS_AFTER + MARGIN_DAYS) * DAY);
    zones.set(name, zone);
    return zone;
  };
}

/** 1 or 0, the booleans of the catalogue. */
export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/**
 * A midnight of the zone, `days` from today. Badge and price windows usually begin and end at
 * midnight.
 */
export function midnight(seeding: Seeding, timezone: string, days: number): number {
  const zone = seeding.zone(timezone);
  return zone.instantAt(zone.dayAt(seeding.now) + days, 0);
}

const HALF_HOUR = 1_800;

/** An instant on the half-hour grid within the next 24 hours, never `now` itself. */
export function soon(seeding: Seeding): number {
  return (Math.floor(seeding.now / HALF_HOUR) + 1 + seeding.random.below(47)) * HALF_HOUR;
}
