// A release and the instant that it was built for, and the order of releases by that.

import type { Instant } from '../../catalogue/instant.ts';

export interface DatedRelease {
  readonly id: string;
  readonly now: Instant;
}

/** Newest first: the order of `playbill releases`. */
export function byNewest(a: DatedRelease, b: DatedRelease): number {
  return b.now - a.now || (a.id < b.id ? 1 : -1);
}
