// The name of a release, as its manifest, `releases/current`, `hold` and `notified` bear it: the
// instant that it is for, and its id, as in 20260501T090000Z-0123456789abcdef. So the dates and the
// order of releases are known without reading any of them. Earlier versions wrote the id alone.

import { formatInstant, parseInstant, type Instant } from '../catalogue/instant.ts';

export interface Release {
  readonly name: string;
  /** The first 16 hex digits of the manifest's SHA-256. */
  readonly id: string;
  /** The instant that it is for; null if an earlier version wrote it. */
  readonly now: Instant | null;
}

export interface DatedRelease extends Release {
  readonly now: Instant;
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{16})$/;

export function releaseOf(now: Instant, id: string): DatedRelease {
  return { name: `${formatInstant(now).replaceAll(/[-:]/g, '')}-${id}`, id, now };
}

/** The release of a name; undefined for any other text. */
export function datedRelease(name: string): DatedRelease | undefined {
  const [, year, month, day, hour, minute, second, id = ''] = NAME.exec(name) ?? [];
  const now = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return now === undefined ? undefined : { name, id, now };
}

/** The same, also for the name that an earlier version gave: the id alone. */
export function parseRelease(name: string): Release | undefined {
  return /^[0-9a-f]{16}$/.test(name) ? { name, id: name, now: null } : datedRelease(name);
}

/** Newest first, and by id where they are for one instant: the order of `playbill releases`. */
export function byNewest(a: Pick<DatedRelease, 'id' | 'now'>, b: Pick<DatedRelease, 'id' | 'now'>): number {
  return b.now - a.now || (a.id < b.id ? 1 : -1);
}
