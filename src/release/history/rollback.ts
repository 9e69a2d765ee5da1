// Going back: an older release is put into force again (snapshot.md, "Going back"). One order of writes:
//
//   hold  →  pointers  →  pointers of fronts that the release has not  →  current
//
// The hold comes first: from the first pointer on, no build may publish over what is half done. A stop after any single write
// leaves every front one snapshot or the other, whole, and builds waiting; the same rollback again finishes. The key ring is
// not touched: going back never brings a revoked key back. The caller holds the tree's lock.

import pLimit from 'p-limit';
import type { Manifest, ManifestFile } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { sha256Of } from '../tree/digest.ts';
import { putHold } from '../tree/hold.ts';
import { readRelease, releaseIds } from './kept-releases.ts';
import { Plan, type PlanEntry } from '../publish/plan.ts';
import { activateRelease } from '../publish/activate.ts';
import { editionPathsOf, type PublishedTree } from '../tree/published.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { gathered } from '../verify/report.ts';

/** How many files of a release are read at the same time. */
const FILES_AT_ONCE = 16;

/** How many releases a hint names. */
const RELEASES_NAMED = 5;

export interface RolledBack {
  readonly manifest: Manifest;
  /** Hold, pointers and `current`, with what became of each. */
  readonly plan: readonly PlanEntry[];
}

/**
 * Puts a kept release into force and holds the tree at it. Nothing is written unless every file of the release is there as its
 * manifest says. @throws AppError release-unknown, release-damaged, tree-full, tree-not-writable, tree-unreadable
 */
export async function rollBack(id: string, published: PublishedTree, store: ReleaseStore): Promise<RolledBack> {
  const ids = await releaseIds(store);
  if (!ids.includes(id)) throw unknownRelease(id, ids);
  const manifest = await readRelease(id, store);
  await refuseUnlessWhole(id, manifest, store);

  const plan = new Plan();
  await putHold(id, store, plan);
  // State after a stop here: builds wait; every front has the snapshot that it had.

  const listed = new Set(manifest.fronts.map(({ front }) => front));
  const gone = (await published.fronts()).filter((code) => !listed.has(code));
  await activateRelease({ releaseId: id, listings: manifest.fronts, gone }, published, store, plan);
  return { manifest, plan: plan.entries };
}

async function refuseUnlessWhole(id: string, { fronts, files }: Manifest, store: ReleaseStore): Promise<void> {
  const listed = new Set(files.map(({ path }) => path));
  const unlisted = [...new Set(fronts.flatMap(({ pointer }) => editionPathsOf(pointer)))]
    .filter((path) => !listed.has(path))
    .map((path) => `${path}: a pointer names it, and the manifest does not list it`);
  const limit = pLimit(FILES_AT_ONCE);
  const checked = await Promise.all(files.map((file) => limit(() => problemOf(file, store))));
  const problems = [...unlisted, ...checked.flatMap((problem) => problem ?? [])];
  if (problems.length === 0) return;
  const hint = 'nothing was changed; choose another of: playbill releases';
  throw new AppError('release-damaged', `release ${id} cannot be put back: ${gathered(problems)}`, hint);
}

async function problemOf({ path, bytes, sha256 }: ManifestFile, store: ReleaseStore): Promise<string | null> {
  const found = await store.read(path);
  if (found === undefined) return `${path}: expected the file, found none`;
  if (found.length !== bytes) return `${path}: expected ${bytes} bytes, found ${found.length}`;
  return sha256Of(found) === sha256 ? null : `${path}: expected the content that the manifest tells, found other`;
}

function unknownRelease(id: string, ids: readonly string[]): AppError {
  const some = ids.length > RELEASES_NAMED ? 'see: playbill releases' : `kept are: ${ids.join(', ')}`;
  const hint = ids.length === 0 ? 'no release is kept; publish with: playbill build' : some;
  return new AppError('release-unknown', `expected the id of a kept release, found ${JSON.stringify(id)}`, hint);
}
