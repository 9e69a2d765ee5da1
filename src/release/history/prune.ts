// Pruning: step 6 of the publish protocol. Removes the manifests of releases that retention.ts does
// not keep, then the editions (with their precompressed siblings) that no pointer and no kept
// release names, then the files of sharded runs that are over. A stop after any removal leaves
// every manifest with all its files, and the next run finishes. The caller holds the tree's lock.

import type { Manifest } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { formatInstant } from '../../catalogue/instant.ts';
import type { KeepReason, PruneResultJson } from '../../contract/results/history.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { editionPath, FRONTS_FOLDER, pathOf, treeFileOf } from '../../render/paths.ts';
import { editionPathsOf, pointerText } from '../tree/codec.ts';
import { orNull, orThrow } from '../tree/found.ts';
import { prunedTotals } from '../tree/plan-totals.ts';
import { readHold } from '../tree/hold.ts';
import {
  readCurrent,
  readManifest,
  readNotified,
  readPointer,
  readReleaseDate,
  readReleasePaths,
  releaseIds,
} from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { byNewest, type DatedRelease } from '../tree/dated-release.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { isInGrace } from '../tree/rollback-grace.ts';
import { releasesKept } from './retention.ts';
import { keepContentOf, openRuns } from './runs.ts';

/** Few, because the manifest of a large catalogue has ten megabytes. */
const MANIFESTS_AHEAD = 4;

export interface PruneOptions {
  /** How long a superseded release is always kept, measured by the releases' own `now`. */
  readonly graceSeconds: number;
  /** The release that this run has just replaced; null if it has not. */
  readonly replacedId: string | null;
}

/**
 * Removes what no kept release and no pointer names. While the tree is held, and for the grace
 * period after that, every release is kept. Removes nothing if a manifest cannot be read, since it
 * might name any file. The result lists releases newest first.
 * @throws AppError release-damaged, tree-newer-schema, tree-unreadable (also if a manifest is not a
 * file), tree-not-writable
 */
export async function prune(
  options: PruneOptions,
  store: ReleaseStore,
): Promise<Omit<PruneResultJson, 'isDryRun' | 'requests'>> {
  const releases: DatedRelease[] = [];
  const date = (id: string): Promise<DatedRelease> => dateOf(id, store);
  for await (const [, release] of readAhead(await idsToRead(options, store), date, MANIFESTS_AHEAD))
    releases.push(release);
  const readId = await readCurrent(store);
  if (!readId.ok && readId.why === 'obstructed') orThrow(readId);
  const currentId = orNull(readId);
  const hold = await readHold(store);
  const newestFirst = releases.sort(byNewest);
  const notifiedId = (await readNotified(store))?.release ?? null;
  const kept =
    hold === null ? releasesKept(releases, { ...options, currentId, notifiedId }) : new Map<string, KeepReason>();
  if (hold !== null || (await isAllInGrace(newestFirst, currentId, options, store))) {
    for (const { id } of releases) if (!kept.has(id)) kept.set(id, hold === null ? 'grace' : 'held');
  }

  const { editions, pointers } = await readFronts(store);
  // The current release usually accounts for every pointer and nearly every edition, so few other
  // manifests are parsed in full.
  const rank = ({ id }: DatedRelease): number => (id === currentId ? 0 : kept.has(id) ? 1 : 2);
  for (const { id } of newestFirst.toSorted((a, b) => rank(a) - rank(b))) {
    if (pointers.size > 0) {
      const isPointedAt = takePointers(orThrow(await readManifest(id, store), 'release-damaged'), pointers);
      if (isPointedAt && !kept.has(id)) kept.set(id, 'pointed-at');
    }
    if (kept.has(id) && editions.size > 0) {
      for (const path of orThrow(await readReleasePaths(id, store), 'release-damaged')) editions.delete(path);
    }
  }

  const current = newestFirst.find(({ id }) => id === currentId);
  const runs = await openRuns(current?.now ?? null, options.graceSeconds, store);
  const waitsFor = await keepContentOf(runs, editions, store);

  const manifests = newestFirst
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => pathOf({ kind: 'manifest', id }))
    .sort();
  const unnamed = [...editions.values()].flat().sort();
  const removal = async (path: string, reason: PlanEntry['reason']): Promise<PlanEntry> => {
    return { action: 'remove', path, bytes: orNull(await store.size(path)) ?? 0, reason };
  };
  const plan: PlanEntry[] = [];
  for (const path of manifests) plan.push(await removal(path, 'not-kept'));
  for (const path of unnamed) plan.push(await removal(path, 'not-named'));
  for (const path of runs.pathsOver) plan.push(await removal(path, 'run-over'));
  if (plan.length > 0) await store.confirmLock();
  if (manifests.length > 0) await store.remove(manifests);
  // State after a stop here: editions that nothing names.
  if (unnamed.length > 0) await store.remove(unnamed);
  if (runs.pathsOver.length > 0) await store.remove(runs.pathsOver);
  return {
    graceSeconds: options.graceSeconds,
    hold,
    releases: newestFirst.map(({ id, now }) => ({ id, now: formatInstant(now), kept: kept.get(id) ?? null })),
    waitsFor,
    pruned: prunedTotals(plan),
    plan,
  };
}

/**
 * Whether every release is kept, because edges may still use one that retention considers long
 * superseded (grace.ts).
 */
async function isAllInGrace(
  newestFirst: readonly DatedRelease[],
  currentId: string | null,
  { graceSeconds, replacedId }: PruneOptions,
  store: ReleaseStore,
): Promise<boolean> {
  const current = newestFirst.find(({ id }) => id === currentId) ?? newestFirst[0];
  if (current === undefined) return false;
  // The release that, by the order of `now`, superseded the one just replaced.
  const successor = newestFirst[newestFirst.findIndex(({ id }) => id === replacedId) - 1];
  const isOutOfOrder = successor !== undefined && successor.now < current.now;
  return isInGrace(current, isOutOfOrder, graceSeconds, store);
}

/**
 * The ids of all releases whose manifests must be readable before anything is removed. They include
 * the release just replaced, even if its manifest is missing, because edges still use its editions.
 */
async function idsToRead(
  { graceSeconds, replacedId }: PruneOptions,
  store: ReleaseStore,
): Promise<ReadonlySet<string>> {
  const ids = new Set(await releaseIds(store));
  if (replacedId !== null && graceSeconds > 0) ids.add(replacedId);
  return ids;
}

/**
 * The instant that a release was built for. Reads the manifest only if the store does not know.
 * @throws AppError release-damaged
 */
async function dateOf(id: string, store: ReleaseStore): Promise<DatedRelease> {
  const path = pathOf({ kind: 'manifest', id });
  const known = await store.knownDates?.get(path);
  if (known !== null && known !== undefined) return { id, now: known };
  const release = orThrow(await readReleaseDate(id, store), 'release-damaged');
  store.knownDates?.set(path, release.now);
  return release;
}

interface FrontsFolder {
  /**
   * Files of editions that no pointer names (the edition and its precompressed siblings), by the
   * edition's path.
   */
  readonly editions: Map<string, string[]>;
  /** The text of pointers, by front. */
  readonly pointers: Map<string, string>;
}

/**
 * Lists the files of fronts. Leaves out all editions of a front whose pointer is damaged, since it
 * might have named any of them.
 */
async function readFronts(store: ReleaseStore): Promise<FrontsFolder> {
  const files = (await store.list(FRONTS_FOLDER)).map((path) => ({ path, file: treeFileOf(path) }));
  const pointerOf = new Map<string, Pointer | null>();
  const codes = files.flatMap(({ file }) => (file?.kind === 'pointer' ? [file.front] : []));
  for await (const [code, read] of readAhead(codes, (front) => readPointer(front, store)))
    pointerOf.set(code, orNull(read)?.pointer ?? null);
  const named = new Set(
    [...pointerOf.values()].flatMap((pointer) => (pointer === null ? [] : editionPathsOf(pointer))),
  );

  const editions = new Map<string, string[]>();
  for (const { path, file } of files) {
    if (file?.kind !== 'edition' || pointerOf.get(file.front) === null) continue;
    const identity = editionPath(file.front, file.endpoint, file.digest);
    if (!named.has(identity)) editions.set(identity, [...(editions.get(identity) ?? []), path]);
  }
  const pointers = new Map<string, string>();
  for (const [front, pointer] of pointerOf) if (pointer !== null) pointers.set(front, pointerText(pointer));
  return { editions, pointers };
}

/**
 * Removes from `pointers` those that are exactly as a release lists them. Returns whether there
 * were any.
 */
function takePointers({ fronts }: Manifest, pointers: Map<string, string>): boolean {
  let isAny = false;
  for (const { front, pointer } of fronts) {
    if (pointers.get(front) === pointerText(pointer)) isAny = pointers.delete(front);
  }
  return isAny;
}
