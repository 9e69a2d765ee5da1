// Going back, cleaning up, and the list of what there is to go back to. Each write is a run of its own under the
// tree's lock; that there is a tree is asked before, since taking the lock makes its folder. Opens no database.

import { parseInstant } from '../catalogue/instant.ts';
import type { PruneResultJson, ReleasesResultJson } from '../contract/release-results.ts';
import { prune } from '../release/history/prune.ts';
import { listReleases, validUntilOf } from '../release/history/release-list.ts';
import { rollBack } from '../release/history/rollback.ts';
import { expiringFromOf, instantOfText } from '../release/status/status.ts';
import { orThrow } from '../release/tree/found.ts';
import { readManifest, resolveRelease } from '../release/tree/read.ts';
import { liftHold, readHold } from '../release/history/hold.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { openReleases, unlockedStore } from '../storage/open-tree.ts';
import { writingTree } from './writing-tree.ts';

/** The id of the release that a name means, until when it is right, and from when on that is soon over. @throws AppError release-unknown, release-damaged, tree-… */
export async function releaseOfTree(outPath: string, name: string) {
  const files = await openReleases(outPath);
  const id = await resolveRelease(name, files);
  const manifest = orThrow(await readManifest(id, files), 'release-damaged', files.root);
  const validUntil = validUntilOf(manifest);
  const end = parseInstant(validUntil ?? '');
  return { id, validUntil, expiringFrom: end === undefined ? null : expiringFromOf(end, manifest.horizonSeconds) };
}

/**
 * Goes back to the release of a tree that a name means, and holds the tree at it. @returns its manifest and instant, what became of each
 * file, what visitors see of each front, which release was current, the tree's findings. @throws AppError release-unknown, release-damaged, tree-…
 */
export async function rollBackTree(outPath: string, name: string) {
  await openReleases(outPath);
  return writingTree(outPath, async (published, { store }) => {
    const rolledBack = await rollBack(name, published, store);
    const { currentId: replacedId, findings } = published;
    return { ...rolledBack, now: instantOfText(rolledBack.manifest.now), replacedId, findings };
  });
}

/** Lets builds publish into a tree again. Gives back the hold that there was, and the current release. @throws AppError tree-… */
export async function resumeTree(outPath: string) {
  await openReleases(outPath);
  return writingTree(outPath, async ({ currentId }, { store }) => {
    const lifted = await readHold(store);
    if (lifted !== null) await liftHold(currentId, store);
    return { lifted, currentId };
  });
}

/** Prunes a tree; a dry run only says what would go. @throws AppError release-damaged, tree-… */
export async function pruneTree(outPath: string, graceSeconds: number, isDryRun: boolean): Promise<PruneResultJson> {
  await openReleases(outPath);
  const options = { graceSeconds, replacedId: null };
  if (isDryRun) return { isDryRun, ...(await prune(options, dryRunStore(await unlockedStore(outPath)))) };
  const { requests, ...result } = await writingTree(outPath, (_, { store }) => prune(options, store));
  return { isDryRun, ...result, ...(requests === null ? {} : { requests }) };
}

/** The releases that a tree keeps. @throws AppError tree-missing, tree-unreadable, tree-newer-schema */
export async function releasesOfTree(outPath: string): Promise<ReleasesResultJson> {
  return listReleases(await openReleases(outPath));
}
