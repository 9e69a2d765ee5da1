// Pruning: step 6 of the publish protocol. Removes the manifests of releases that retention.ts does
// not keep, then the parts that no manifest names, then the editions (with their precompressed
// siblings) that no pointer and no kept release names, then the files of sharded runs that are over.
// A stop after any removal leaves every manifest with all its files, and the next run finishes. The
// caller holds the tree's lock.

import type { ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { byNewest, type DatedRelease, type Release } from '../../contract/release-name.ts';
import { formatInstant } from '../../catalogue/instant.ts';
import type { KeepReason, PruneResultJson } from '../../contract/results/history.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { editionPath, FRONTS_FOLDER, pathOf, treeFileOf } from '../../render/paths.ts';
import { editionPathsOf, pointerText } from '../tree/codec.ts';
import { found, orNull, orThrow, type Found } from '../tree/found.ts';
import { prunedTotals } from '../tree/plan-totals.ts';
import { holdJson, holdsAll, readHold } from '../tree/hold.ts';
import { damagedByPart, partPathsOf, readManifest, readManifestHead, readReleasePaths } from '../tree/manifest.ts';
import { readOlderRelease } from '../tree/older-manifest.ts';
import { readCurrent, readNotified, readPointer } from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { keptReleases } from '../tree/releases.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { isInGrace } from '../tree/rollback-grace.ts';
import { releasesKept, type Keep } from './retention.ts';
import { keepContentOf, openRuns } from './runs.ts';

/** Few, because the manifest of an earlier version may have ten megabytes. */
const MANIFESTS_AHEAD = 4;

export interface PruneOptions {
  /** Which releases stay; ages are measured by the releases' own `now`. */
  readonly keep: Keep;
  /** The release that this run has just replaced; null if it has not. */
  readonly replaced: Release | null;
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
  const { newestFirst, parts } = await readReleases(options, store);
  const readName = await readCurrent(store);
  if (!readName.ok && readName.why === 'obstructed') orThrow(readName);
  const currentId = orNull(readName)?.id ?? null;
  const current = newestFirst.find(({ id }) => id === currentId);
  const hold = await readHold(store);
  const isEveryKept = holdsAll(hold) || (await isAllInGrace(newestFirst, currentId, options, store));
  const kept = holdsAll(hold) ? new Map<string, KeepReason>() : await keptOf(newestFirst, current, options, store);
  if (isEveryKept) for (const { id } of newestFirst) if (!kept.has(id)) kept.set(id, holdsAll(hold) ? 'held' : 'grace');

  const { editions, pointers } = await readFronts(store);
  // The current release usually accounts for every pointer and nearly every edition, so few other
  // manifests are parsed in full.
  const rank = ({ id }: DatedRelease): number => (id === currentId ? 0 : kept.has(id) ? 1 : 2);
  const accounted = new Set<string>();
  for (const release of newestFirst.toSorted((a, b) => rank(a) - rank(b))) {
    const { id } = release;
    if (pointers.size > 0 && !isOlder(release)) {
      const { fronts } = orThrow(await readManifest(release, store), 'release-damaged');
      if (takePointers(fronts, pointers) && !kept.has(id)) kept.set(id, 'pointed-at');
    }
    const names = release.parts.join();
    if (!kept.has(id) || editions.size === 0 || accounted.has(names)) continue;
    for (const path of orThrow(await pathsOf(release, store), 'release-damaged')) editions.delete(path);
    if (!isOlder(release)) accounted.add(names);
  }

  const runs = await openRuns(current?.now ?? null, options.keep.graceSeconds, store);
  const waitsFor = await keepContentOf(runs, editions, store);
  const partsNamed = new Set(newestFirst.flatMap((release) => (kept.has(release.id) ? release.parts : [])));
  const removals = [
    [
      'not-kept',
      newestFirst.flatMap((release) => (kept.has(release.id) ? [] : [pathOf({ kind: 'manifest', release })])),
    ],
    ['not-named', [...parts].filter((path) => !partsNamed.has(path))],
    ['not-named', [...editions.values()].flat()],
    ['run-over', runs.pathsOver],
  ] as const;
  const plan: PlanEntry[] = [];
  for (const [reason, paths] of removals)
    for (const path of [...paths].sort())
      plan.push({ action: 'remove', path, bytes: orNull(await store.size(path)) ?? 0, reason });
  if (plan.length > 0) await store.confirmLock();
  // State after a stop before the last removal: files that nothing names.
  for (const [, paths] of removals) if (paths.length > 0) await store.remove([...paths].sort());
  return {
    keep: options.keep,
    hold: holdJson(hold),
    releases: newestFirst.map(({ id, now }) => ({ id, now: formatInstant(now), kept: kept.get(id) ?? null })),
    waitsFor,
    pruned: prunedTotals(plan),
    plan,
  };
}

/** A release of which the manifest is readable, and the paths of its parts. */
interface ReadRelease extends DatedRelease {
  readonly parts: readonly string[];
}

/** Whether an earlier version wrote a release: its manifest had no parts. */
function isOlder({ parts }: ReadRelease): boolean {
  return parts.length === 0;
}

/** Why each release is kept that is. */
async function keptOf(
  newestFirst: readonly ReadRelease[],
  current: ReadRelease | undefined,
  { keep }: PruneOptions,
  store: ReleaseStore,
): Promise<Map<string, KeepReason>> {
  const notifiedId = (await readNotified(store))?.release?.id ?? null;
  const own = newestFirst.filter((release) => !isOlder(release));
  const kept = releasesKept(own, { keep, currentId: current?.id ?? null, notifiedId });
  // Releases of earlier versions count as lost. Until one of ours has superseded them for the grace
  // time, edges may use them.
  const supersedes = own.filter(({ now }) => current !== undefined && current.now - now >= keep.graceSeconds);
  for (const { id, now } of newestFirst.filter(isOlder)) {
    if (id === current?.id) kept.set(id, 'current');
    else if (!supersedes.some((one) => one.now >= now)) kept.set(id, 'grace');
  }
  return kept;
}

function pathsOf(release: ReadRelease, store: ReleaseStore): Promise<Found<readonly string[]>> {
  return isOlder(release) ? olderPathsOf(release, store) : readReleasePaths(release, store);
}

async function olderPathsOf(release: ReadRelease, store: ReleaseStore): Promise<Found<readonly string[]>> {
  const read = await readOlderRelease(release, store);
  return read.ok ? found(read.value.files.map(({ path }) => path)) : read;
}

/**
 * Whether every release is kept, because edges may still use one that retention considers long
 * superseded (grace.ts).
 */
async function isAllInGrace(
  newestFirst: readonly DatedRelease[],
  currentId: string | null,
  { keep: { graceSeconds }, replaced }: PruneOptions,
  store: ReleaseStore,
): Promise<boolean> {
  const current = newestFirst.find(({ id }) => id === currentId) ?? newestFirst[0];
  if (current === undefined) return false;
  // The release that, by the order of `now`, superseded the one just replaced.
  const successor = newestFirst[newestFirst.findIndex(({ id }) => id === replaced?.id) - 1];
  const isOutOfOrder = successor !== undefined && successor.now < current.now;
  return isInGrace(current, isOutOfOrder, graceSeconds, store);
}

/**
 * All releases, newest first, and the paths of all parts. They include the release just replaced,
 * even if its manifest is missing, because edges still use its editions.
 * @throws AppError release-damaged
 */
async function readReleases({ keep: { graceSeconds }, replaced }: PruneOptions, store: ReleaseStore) {
  const { releases, older, parts } = await keptReleases(store);
  const known = [...releases, ...older];
  const isLost = replaced !== null && graceSeconds > 0 && !known.some(({ name }) => name === replaced.name);
  const newestFirst: ReadRelease[] = [];
  const read = (release: Release): Promise<Found<ReadRelease>> => readRelease(release, parts, store);
  const ahead = older.length === 0 ? undefined : MANIFESTS_AHEAD;
  for await (const [, release] of readAhead(isLost ? [...known, replaced] : known, read, ahead))
    newestFirst.push(orThrow(release, 'release-damaged'));
  return { newestFirst: newestFirst.sort(byNewest), parts };
}

async function readRelease(
  release: Release,
  parts: ReadonlySet<string>,
  store: ReleaseStore,
): Promise<Found<ReadRelease>> {
  const { name, id, now } = release;
  if (now === null) {
    const older = await readOlderRelease(release, store);
    return older.ok ? found({ name, id, now: older.value.now, parts: [] }) : older;
  }
  const head = await readManifestHead(release, store);
  if (!head.ok) return head;
  const own = partPathsOf(head.value);
  const lost = own.find((path) => !parts.has(path));
  return lost === undefined
    ? found({ name, id, now, parts: own })
    : damagedByPart(release, lost, 'expected a file, found none');
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
function takePointers(fronts: readonly ManifestFront[], pointers: Map<string, string>): boolean {
  let isAny = false;
  for (const { front, pointer } of fronts) {
    if (pointers.get(front) === pointerText(pointer)) isAny = pointers.delete(front);
  }
  return isAny;
}
