// The releases that a tree keeps, as a list for people and machines: what `playbill releases` prints.

import type { Finding } from '../../findings.ts';
import { AppError } from '../../errors.ts';
import { pathOf } from '../../render/paths.ts';
import { readHold, type Hold } from '../tree/hold.ts';
import { currentReleaseId, readRelease, releaseIds } from './kept-releases.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { PROBLEM_CODE } from '../tree/codec.ts';

export interface ListedRelease {
  readonly id: string;
  /** Canonical text of the instant that it was built for. */
  readonly now: string;
  readonly fronts: number;
  /** Of all fronts. */
  readonly cards: number;
  /** Of all files that it names. */
  readonly bytes: number;
  readonly isInForce: boolean;
}

export interface ReleaseList {
  /** Newest first. */
  readonly releases: readonly ListedRelease[];
  readonly hold: Hold | null;
  /** Manifests that are not what their names promise. */
  readonly findings: readonly Finding[];
}

/** Lists the releases, one manifest in memory at a time. @throws AppError tree-unreadable, tree-newer-schema */
export async function listReleases(store: ReleaseStore): Promise<ReleaseList> {
  const inForceId = await currentReleaseId(store);
  const releases: ListedRelease[] = [];
  const findings: Finding[] = [];
  for (const id of await releaseIds(store)) {
    try {
      const { now, fronts, files } = await readRelease(id, store);
      const cards = fronts.reduce((sum, front) => sum + front.cards, 0);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      releases.push({ id, now, fronts: fronts.length, cards, bytes, isInForce: id === inForceId });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'release-damaged') throw error;
      const place = pathOf({ kind: 'manifest', id });
      findings.push({ severity: 'error', code: PROBLEM_CODE.manifest, place, message: error.message });
    }
  }
  releases.sort((a, b) => (a.now < b.now || (a.now === b.now && a.id < b.id) ? 1 : -1));
  return { releases, hold: await readHold(store), findings };
}
