// Which releases a tree keeps (snapshot.md, step 6). Time is the releases' own `now`: no clock is asked, so that a tree which
// nobody builds any more loses nothing, and two machines prune alike.
//
// A release is superseded at the `now` of the one that follows it in the order of `now`; where that is not what happened, grace.ts
// keeps it. Ages are counted back from the newest release and, where that is not the current one (after a rollback, or when --force let a
// build go back in time), once more from the current release among those that are not later: what either count keeps is kept. So going
// back never shortens what one may return to, and one build with a wrong clock, years ahead, does not make everything else look old.

import { SECONDS_PER_DAY } from '../../catalogue/instant.ts';
import type { KeepReason } from '../../contract/release-results.ts';
import { byNewest, type DatedRelease } from '../tree/read.ts';

const RECENT_TOTAL = 10;
const SECONDS_PER_HOUR = 3600;

export interface RetentionOptions {
  /** How long a superseded release is kept in any case: copies and edges may still be reading it. */
  readonly graceSeconds: number;
  /** The current release; null where that is not known. */
  readonly currentId: string | null;
}

/** The releases to keep, by id, each with the first reason that keeps it. */
export function releasesKept(
  releases: readonly DatedRelease[],
  { graceSeconds, currentId }: RetentionOptions,
): Map<string, KeepReason> {
  const newestFirst = releases.toSorted(byNewest);
  const kept = new Map<string, KeepReason>();
  const keep = ({ id }: DatedRelease, reason: KeepReason): void => {
    if (!kept.has(id)) kept.set(id, reason);
  };
  for (const release of releases) if (release.id === currentId) keep(release, 'in-force');
  for (const reference of newestFirst.filter(({ id }, i) => i === 0 || id === currentId)) {
    const counted = newestFirst.filter(({ now }) => now <= reference.now);
    const isYounger = ({ now }: DatedRelease, seconds: number): boolean => reference.now - now < seconds;
    for (const release of counted.slice(0, RECENT_TOTAL)) keep(release, 'recent');
    for (const [i, release] of counted.entries()) {
      const successor = counted[i - 1];
      if (successor !== undefined && isYounger(successor, graceSeconds)) keep(release, 'grace');
    }
    const ofDay = counted.filter((release) => isYounger(release, SECONDS_PER_DAY));
    for (const release of lastOfEach(SECONDS_PER_HOUR, ofDay)) keep(release, 'hourly');
    const ofWeek = counted.filter((release) => isYounger(release, 7 * SECONDS_PER_DAY));
    for (const release of lastOfEach(SECONDS_PER_DAY, ofWeek)) keep(release, 'daily');
  }
  return kept;
}

/**
 * The last release of each hour or day, counted in UTC since 1970 and not backwards from now: so the choice does not change
 * from one run to the next.
 */
function lastOfEach(periodSeconds: number, newestFirst: readonly DatedRelease[]): DatedRelease[] {
  const periodOf = ({ now }: DatedRelease): number => Math.floor(now / periodSeconds);
  return newestFirst.filter((release, i) => {
    const before = newestFirst[i - 1];
    return before === undefined || periodOf(before) !== periodOf(release);
  });
}
