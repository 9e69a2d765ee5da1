// Rolls back, resumes, prunes and lists releases. Whatever writes takes the tree's lock, and first
// checks that there is a tree, because taking the lock would create its folder. Opens no database.

import { instantOfText, parseInstant } from '../catalogue/instant.ts';
import type { PruneResultJson, ReleasesResultJson } from '../contract/results/history.ts';
import { prune } from '../release/history/prune.ts';
import { listReleases, validUntilOf } from '../release/history/release-list.ts';
import { rollBack } from '../release/history/rollback.ts';
import { expiringFromOf } from '../release/status/status.ts';
import { orThrow } from '../release/tree/found.ts';
import { holdJson, liftHold, readHold } from '../release/tree/hold.ts';
import { readManifest } from '../release/tree/manifest.ts';
import { resolveRelease } from '../release/tree/releases.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { openReleases, unlockedStore } from '../storage/open-tree.ts';
import { writingTree } from './writing-tree.ts';

/**
 * Finds the release that a word stands for.
 * @returns its name and id, until when it is right, and from when on it counts as expiring.
 * @throws AppError release-unknown, release-damaged, release-older, tree-…
 */
export async function releaseOfTree(outPath: string, word: string) {
  const files = await openReleases(outPath);
  const release = await resolveRelease(word, files);
  const manifest = orThrow(await readManifest(release, files), 'release-damaged', files.root);
  const validUntil = validUntilOf(manifest);
  const end = parseInstant(validUntil ?? '');
  const expiringFrom = end === undefined ? null : expiringFromOf(end, manifest.horizonSeconds);
  return { ...release, validUntil, expiringFrom };
}

/**
 * Restores the release that a word stands for, and holds the tree at it.
 * @returns it, its manifest and instant, the plan, what visitors now see of each front,
 * the release that was current before, and the tree's findings.
 * @throws AppError release-unknown, release-damaged, release-older, tree-…
 */
export async function rollBackTree(outPath: string, word: string) {
  await openReleases(outPath);
  return writingTree(outPath, async (published, { store }) => {
    const rolledBack = await rollBack(word, published, store);
    const { current: replaced, findings } = published;
    return { ...rolledBack, now: instantOfText(rolledBack.manifest.now), replaced, findings };
  });
}

/**
 * Lifts the hold, so that builds publish again.
 * @returns the hold, if there was one, and the current release.
 * @throws AppError tree-…
 */
export async function resumeTree(outPath: string) {
  await openReleases(outPath);
  return writingTree(outPath, async ({ current }, { store }) => {
    const lifted = await readHold(store);
    if (lifted !== null) await liftHold(current, store);
    return { lifted: holdJson(lifted), current };
  });
}

/**
 * Prunes a tree. A dry run only lists what would be removed.
 * @throws AppError release-damaged, tree-…
 */
export async function pruneTree(outPath: string, graceSeconds: number, isDryRun: boolean): Promise<PruneResultJson> {
  await openReleases(outPath);
  const options = { graceSeconds, replaced: null };
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
