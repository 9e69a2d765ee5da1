// Rolls back, resumes, prunes and lists releases. Whatever writes takes the tree's lock, and first
// checks that there is a tree, because taking the lock would create its folder. Opens no database.

import { instantOfText, parseInstant } from '../catalogue/instant.ts';
import type { PruneResultJson, ReleasesResultJson } from '../contract/results/history.ts';
import { prune } from '../release/history/prune.ts';
import { listReleases, validUntilOf } from '../release/history/release-list.ts';
import { rollBack } from '../release/history/rollback.ts';
import { expiringFromOf } from '../release/status/status.ts';
import { orThrow } from '../release/tree/found.ts';
import { readManifest, resolveRelease } from '../release/tree/read.ts';
import { liftHold, readHold } from '../release/tree/hold.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { openReleases, unlockedStore } from '../storage/open-tree.ts';
import { writingTree } from './writing-tree.ts';

/**
 * Finds a release by name.
 * @returns its id, until when it is right, and from when on it counts as expiring.
 * @throws AppError release-unknown, release-damaged, tree-…
 */
export async function releaseOfTree(outPath: string, name: string) {
  const files = await openReleases(outPath);
  const id = await resolveRelease(name, files);
  const manifest = orThrow(await readManifest(id, files), 'release-damaged', files.root);
  const validUntil = validUntilOf(manifest);
  const end = parseInstant(validUntil ?? '');
  return { id, validUntil, expiringFrom: end === undefined ? null : expiringFromOf(end, manifest.horizonSeconds) };
}

/**
 * Restores a release by name, and holds the tree at it.
 * @returns its manifest and instant, the plan, what visitors now see of each front,
 * the release that was current before, and the tree's findings.
 * @throws AppError release-unknown, release-damaged, tree-…
 */
export async function rollBackTree(outPath: string, name: string) {
  await openReleases(outPath);
  return writingTree(outPath, async (published, { store }) => {
    const rolledBack = await rollBack(name, published, store);
    const { currentId: replacedId, findings } = published;
    return { ...rolledBack, now: instantOfText(rolledBack.manifest.now), replacedId, findings };
  });
}

/**
 * Lifts the hold, so that builds publish again.
 * @returns the hold, if there was one, and the current release.
 * @throws AppError tree-…
 */
export async function resumeTree(outPath: string) {
  await openReleases(outPath);
  return writingTree(outPath, async ({ currentId }, { store }) => {
    const lifted = await readHold(store);
    if (lifted !== null) await liftHold(currentId, store);
    return { lifted, currentId };
  });
}

/**
 * Prunes a tree. A dry run only lists what would be removed.
 * @throws AppError release-damaged, tree-…
 */
export async function pruneTree(outPath: string, graceSeconds: number, isDryRun: boolean): Promise<PruneResultJson> {
  await openReleases(outPath);
  const options = { graceSeconds, replacedId: null };
  if (isDryRun) return { isDryRun, ...(await prune(options, dryRunStore(await unlockedStore(outPath)))) };
  const { requests, ...result } = await writingTree(outPath, (_, { store }) => prune(options, store));
  return { isDryRun, ...result, ...(requests === null ? {} : { requests }) };
}

/**
 * The releases that a tree keeps.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function releasesOfTree(outPath: string): Promise<ReleasesResultJson> {
  return listReleases(await openReleases(outPath));
}
