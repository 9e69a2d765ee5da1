// Decides which releases a tree keeps (snapshot.md, step 6). Time is measured by the releases' own
// `now`, not by a clock, so that a tree that is no longer built loses nothing, and all machines
// prune alike.

import { SECONDS_PER_DAY } from '../../catalogue/instant.ts';
import { byNewest, type DatedRelease } from '../../contract/release-name.ts';
import type { KeepReason } from '../../contract/results/history.ts';

/** All that retention knows of a release. */
export type Dated = Pick<DatedRelease, 'id' | 'now'>;

const SECONDS_PER_HOUR = 3600;

/** How much history a tree keeps. */
export interface Keep {
  /** This many of the last releases. */
  readonly last: number;
  /** The last release of each hour, for this many hours. */
  readonly hourly: number;
  /** The last release of each day, for this many days. */
  readonly daily: number;
  /** How long a superseded release is always kept, because copies and edges may still use it. */
  readonly graceSeconds: number;
}

/** What is kept unless the operator says otherwise (snapshot.md, step 6). */
export const DEFAULT_KEEP: Keep = { last: 10, hourly: 24, daily: 7, graceSeconds: 3600 };

export interface RetentionOptions {
  readonly keep: Keep;
  /** The current release; null if not known. */
  readonly currentId: string | null;
  /**
   * The last release of which the hook was notified with success; null or left out if there is
   * none.
   */
  readonly notifiedId?: string | null;
}

/**
 * The releases to keep, by id, each with the first reason that keeps it. Ages count from the newest
 * release and again from the current one, if that is another (after a rollback, or a build with
 * --force and an earlier `now`). So a rollback does not shorten the history, and a build with a
 * clock years ahead does not make everything else look old. A release counts as superseded at the
 * `now` of the next one; rollback-grace.ts handles the cases where that is wrong.
 */
export function releasesKept(
  releases: readonly Dated[],
  { keep: { last, hourly, daily, graceSeconds }, currentId, notifiedId = null }: RetentionOptions,
): Map<string, KeepReason> {
  const newestFirst = releases.toSorted(byNewest);
  const kept = new Map<string, KeepReason>();
  const keep = ({ id }: Dated, reason: KeepReason): void => {
    if (!kept.has(id)) kept.set(id, reason);
  };
  for (const release of releases) if (release.id === currentId) keep(release, 'current');
  for (const reference of newestFirst.filter(({ id }, i) => i === 0 || id === currentId)) {
    const counted = newestFirst.filter(({ now }) => now <= reference.now);
    const isYounger = ({ now }: Dated, seconds: number): boolean => reference.now - now < seconds;
    for (const release of counted.slice(0, last)) keep(release, 'recent');
    for (const [i, release] of counted.entries()) {
      const successor = counted[i - 1];
      if (successor !== undefined && isYounger(successor, graceSeconds)) keep(release, 'grace');
    }
    const ofHours = counted.filter((release) => isYounger(release, hourly * SECONDS_PER_HOUR));
    for (const release of lastOfEach(SECONDS_PER_HOUR, ofHours)) keep(release, 'hourly');
    const ofDays = counted.filter((release) => isYounger(release, daily * SECONDS_PER_DAY));
    for (const release of lastOfEach(SECONDS_PER_DAY, ofDays)) keep(release, 'daily');
  }
  for (const release of releases) if (release.id === notifiedId) keep(release, 'notified');
  return kept;
}

/**
 * The last release of each hour or day. Hours and days are those of UTC, not counted back from
 * `now`, so that the choice does not change from run to run.
 */
function lastOfEach(periodSeconds: number, newestFirst: readonly Dated[]): Dated[] {
  const periodOf = ({ now }: Dated): number => Math.floor(now / periodSeconds);
  return newestFirst.filter((release, i) => {
    const before = newestFirst[i - 1];
    return before === undefined || periodOf(before) !== periodOf(release);
  });
}
