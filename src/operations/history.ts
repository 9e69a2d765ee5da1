// Rolls back, resumes, prunes and lists releases. Whatever writes takes the tree's lock, and first
// checks that there is a tree, because taking the lock would create its folder. Opens no database.

import { instantOfText, parseInstant, type Instant } from '../catalogue/instant.ts';
import type { PruneResultJson, ReleasesResultJson } from '../contract/results/history.ts';
import type { Manifest, ManifestFront } from '../contract/manifest.ts';
import { releaseOf } from '../contract/release-name.ts';
import { changesSince } from '../release/diff/release-changes.ts';
import { selectedFronts } from '../release/diff/release-diff.ts';
import { prune } from '../release/history/prune.ts';
import { listReleases, validUntilOf } from '../release/history/release-list.ts';
import type { Keep } from '../release/history/retention.ts';
import { rollBackFronts } from '../release/history/rollback-fronts.ts';
import { rollBack, type RollbackOptions } from '../release/history/rollback.ts';
import { expiringFromOf } from '../release/status/status.ts';
import type { TreeFiles } from '../release/tree/files.ts';
import { orNull, orThrow } from '../release/tree/found.ts';
import { heldFronts, holdJson, holdsAll, liftFronts, liftHold, readHold } from '../release/tree/hold.ts';
import { readManifest } from '../release/tree/manifest.ts';
import { readProducts } from '../release/tree/read.ts';
import { DocumentReader, type ReleaseView } from '../release/tree/release-view.ts';
import { resolveRelease } from '../release/tree/releases.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { openReleases, unlockedStore } from '../storage/open-tree.ts';
import { writingTree } from './writing-tree.ts';

/**
 * Finds the release that a word stands for; `validUntil` is that of some fronts, or null for all.
 * @returns its name and id, until when it is right, and from when on it counts as expiring.
 * @throws AppError release-unknown, release-damaged, release-older, tree-…
 */
export async function releaseOfTree(outPath: string, word: string, frontCodes: readonly string[] | null = null) {
  const files = await openReleases(outPath);
  const release = await resolveRelease(word, files);
  const manifest = orThrow(await readManifest(release, files), 'release-damaged', files.root);
  const isMeant = ({ front }: ManifestFront): boolean => frontCodes?.includes(front) ?? true;
  const validUntil = validUntilOf({ fronts: manifest.fronts.filter(isMeant) });
  const end = parseInstant(validUntil ?? '');
  const expiringFrom = end === undefined ? null : expiringFromOf(end, manifest.horizonSeconds);
  return { ...release, validUntil, expiringFrom };
}

export interface TreeRollback extends RollbackOptions {
  /** The fronts to restore alone, and the instant of the release that has them; null for all. */
  readonly fronts: { readonly codes: readonly string[]; readonly now: Instant } | null;
}

/**
 * Restores the release that a word stands for, or some fronts of it, and holds the tree or these
 * fronts at it.
 * @returns it, its manifest and instant, the plan, what visitors now see of each front,
 * the release that was current before, and the tree's findings.
 * @throws AppError release-unknown, release-damaged, release-older, tree-…
 */
export async function rollBackTree(
  outPath: string,
  word: string,
  { isBySize, fronts }: TreeRollback = { isBySize: false, fronts: null },
) {
  await openReleases(outPath);
  return writingTree(outPath, async (published, { store }) => {
    const rolledBack =
      fronts === null
        ? await rollBack(word, published, store, { isBySize })
        : await rollBackFronts(word, fronts.codes, published, store, { isBySize }, fronts.now);
    const { current: replaced, findings } = published;
    return { ...rolledBack, now: instantOfText(rolledBack.manifest.now), replaced, findings };
  });
}

/**
 * Lifts the hold, or that of some fronts, so that builds publish again.
 * @returns the hold, if there was one, the fronts that were held alone, and the current release.
 * @throws AppError tree-…
 */
export async function resumeTree(outPath: string, frontCodes: readonly string[] | null = null) {
  await openReleases(outPath);
  return writingTree(outPath, async ({ current }, { store }) => {
    const hold = await readHold(store);
    if (frontCodes !== null) await liftFronts(frontCodes, hold, store);
    else if (holdsAll(hold)) await liftHold(current, store);
    else if (hold !== null) await liftFronts([...heldFronts(hold).keys()], hold, store);
    return { lifted: holdJson(hold), liftedFronts: frontCodes ?? [...heldFronts(hold).keys()], current };
  });
}

/**
 * Prunes a tree. A dry run only lists what would be removed.
 * @throws AppError release-damaged, tree-…
 */
export async function pruneTree(outPath: string, keep: Keep, isDryRun: boolean): Promise<PruneResultJson> {
  await openReleases(outPath);
  const options = { keep, replaced: null };
  if (isDryRun) return { isDryRun, ...(await prune(options, dryRunStore(await unlockedStore(outPath)))) };
  const { requests, ...result } = await writingTree(outPath, (_, { store }) => prune(options, store));
  return { isDryRun, ...result, ...(requests === null ? {} : { requests }) };
}

export interface ReleasesAsked {
  /** How many releases to list, of the newest. */
  readonly last: number;
  /** The fronts to compare in each with the one below it, or all (null); null: compares none. */
  readonly changesOf: { readonly fronts: readonly string[] | null } | null;
}

/**
 * The releases that a tree keeps, and what each changed if that is asked for.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema, nothing-published
 */
export async function releasesOfTree(
  outPath: string,
  { last, changesOf }: ReleasesAsked = { last: Number.POSITIVE_INFINITY, changesOf: null },
): Promise<ReleasesResultJson> {
  const files = await openReleases(outPath);
  if (changesOf === null) return listReleases(files, last);
  // The one below the last is only compared.
  const list = await listReleases(files, last + 1);
  return { ...list, releases: (await withChanges(list.releases, changesOf.fronts, files)).slice(0, last) };
}

/**
 * The releases, newest first, each with what it changed of the one below it; reads two manifests at
 * a time. @throws AppError nothing-published (an unknown front), and those of buckets
 */
async function withChanges(
  releases: ReleasesResultJson['releases'],
  fronts: readonly string[] | null,
  files: TreeFiles,
): Promise<ReleasesResultJson['releases']> {
  const documents = new DocumentReader((front, digest) => readProducts(front, digest, files), files.root);
  const known = new Set<string>();
  const compared: ReleasesResultJson['releases'] = [];
  let older: ReleaseView | null = null;
  for (const release of releases.toReversed()) {
    const { id, now } = release;
    // null if it was pruned meanwhile.
    const manifest: Manifest | null = orNull(await readManifest(releaseOf(instantOfText(now), id), files));
    const view: ReleaseView | null = manifest && { id, manifest, documents };
    const changes = older === null || view === null ? null : await changesSince(older, view, fronts);
    compared.unshift({ ...release, changes });
    for (const { front } of manifest?.fronts ?? []) known.add(front);
    older = view;
  }
  selectedFronts(fronts, [...known].sort());
  return compared;
}
