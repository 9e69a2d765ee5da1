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
import { orNull, orThrow } from '../tree/found.ts';
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

/** Few, because most need not be read, and that of an earlier version may have ten megabytes. */
const MANIFESTS_AHEAD = 4;

export interface PruneOptions {
  /** Which releases stay; ages are measured by the releases' own `now`. */
  readonly keep: Keep;
  /** The release that this run has just replaced; null if it has not. */
  readonly replaced: Release | null;
}

/**
 * Removes what no kept release and no pointer names. While the tree is held, and for the grace
 * period after that, every release is kept. Removes nothing if a manifest cannot be read that
 * might name any of it. The result lists releases newest first.
 * @throws AppError release-damaged, tree-newer-schema, tree-unreadable (also if a manifest is not a
 * file), tree-not-writable
 */
export async function prune(
  options: PruneOptions,
  store: ReleaseStore,
): Promise<Omit<PruneResultJson, 'isDryRun' | 'requests'>> {
  const { newestFirst, parts } = await knownReleases(options, store);
  const readName = await readCurrent(store);
  if (!readName.ok && readName.why === 'obstructed') orThrow(readName);
  const currentId = orNull(readName)?.id ?? null;
  const isCurrent = ({ id }: DatedRelease): boolean => id === currentId;
  const current = newestFirst.find(isCurrent);
  const hold = await readHold(store);
  const isEveryKept = holdsAll(hold) || (await isAllInGrace(newestFirst, currentId, options, store));
  const kept = holdsAll(hold) ? new Map<string, KeepReason>() : await keptOf(newestFirst, current, options, store);
  if (isEveryKept) for (const { id } of newestFirst) if (!kept.has(id)) kept.set(id, holdsAll(hold) ? 'held' : 'grace');

  const left = { ...(await readFronts(store)), parts: new Set(parts) };
  // The current release usually accounts for every pointer and nearly every edition.
  const others = newestFirst.filter((release) => !isCurrent(release));
  await takeNamed(newestFirst.filter(isCurrent), kept, left, parts, store);
  await takeNamed(
    others.filter(({ id }) => kept.has(id)),
    kept,
    left,
    parts,
    store,
  );
  await takeNamed(
    others.filter(({ id }) => !kept.has(id)),
    kept,
    left,
    parts,
    store,
  );

  const runs = await openRuns(current?.now ?? null, options.keep.graceSeconds, store);
  const waitsFor = await keepContentOf(runs, left.editions, store);
  const removals = [
    [
      'not-kept',
      newestFirst.flatMap((release) => (kept.has(release.id) ? [] : [pathOf({ kind: 'manifest', release })])),
    ],
    ['not-named', [...left.parts]],
    ['not-named', [...left.editions.values()].flat()],
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

/** A release in the tree, whose manifest may be damaged. */
interface KnownRelease extends DatedRelease {
  /** The paths of its files if an earlier version wrote it: its manifest had no parts. */
  readonly older: readonly string[] | null;
}

function isOlder({ older }: KnownRelease): boolean {
  return older !== null;
}

/** What no release accounts for yet. */
interface Left extends FrontsFolder {
  /** The paths of parts. */
  readonly parts: Set<string>;
}

/**
 * Takes from `left` what releases name, and adds to `kept` those that pointers belong to. Reads no
 * manifest that cannot matter. A part that is gone damages its manifest; `parts` are all.
 * @throws AppError release-damaged
 */
async function takeNamed(
  releases: readonly KnownRelease[],
  kept: Map<string, KeepReason>,
  left: Left,
  parts: ReadonlySet<string>,
  store: ReleaseStore,
): Promise<void> {
  const matters = ({ id }: KnownRelease): boolean =>
    left.pointers.size > 0 || (kept.has(id) && (left.editions.size > 0 || left.parts.size > 0));
  const accounted = new Set<string>();
  const read = (release: KnownRelease) => (isOlder(release) ? null : readManifestHead(release, store));
  for await (const [release, head] of readAhead(releases.filter(matters), async (one) => read(one), MANIFESTS_AHEAD)) {
    for (const path of release.older ?? []) if (kept.has(release.id)) left.editions.delete(path);
    if (head === null || !matters(release)) continue;
    const content = orThrow(head, 'release-damaged');
    const own = partPathsOf(content);
    const lost = own.find((path) => !parts.has(path));
    if (lost !== undefined) orThrow(damagedByPart(release, lost, 'expected a file, found none'), 'release-damaged');
    if (left.pointers.size > 0) {
      const { fronts } = orThrow(await readManifest(release, store), 'release-damaged');
      if (takePointers(fronts, left.pointers) && !kept.has(release.id)) kept.set(release.id, 'pointed-at');
    }
    if (!kept.has(release.id)) continue;
    for (const path of own) left.parts.delete(path);
    if (left.editions.size === 0 || accounted.has(own.join())) continue;
    accounted.add(own.join());
    for (const path of orThrow(await readReleasePaths(release, content, store), 'release-damaged'))
      left.editions.delete(path);
  }
}

/** Why each release is kept that is. */
async function keptOf(
  newestFirst: readonly KnownRelease[],
  current: KnownRelease | undefined,
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

/**
 * Whether every release is kept, because edges may still use one that retention considers long
 * superseded (rollback-grace.ts).
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
 * @throws AppError release-damaged: one of an earlier version, whose name does not say its date
 */
async function knownReleases({ keep: { graceSeconds }, replaced }: PruneOptions, store: ReleaseStore) {
  const { releases, older, parts } = await keptReleases(store);
  const listed: readonly Release[] = [...releases, ...older];
  const isLost = replaced !== null && graceSeconds > 0 && !listed.some(({ name }) => name === replaced.name);
  const all = isLost ? [...listed, replaced] : listed;
  const known: KnownRelease[] = all.flatMap(({ now, ...release }) =>
    now === null ? [] : [{ ...release, now, older: null }],
  );
  const undated = all.filter(({ now }) => now === null);
  for await (const [, read] of readAhead(undated, (release) => readOlderRelease(release, store), MANIFESTS_AHEAD)) {
    const { files, ...release } = orThrow(read, 'release-damaged');
    known.push({ ...release, older: files.map(({ path }) => path) });
  }
  return { newestFirst: known.sort(byNewest), parts };
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
