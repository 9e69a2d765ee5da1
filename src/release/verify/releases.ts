// Checks the kept releases. Reads each manifest and its parts once, checks their digests, and
// records what they say about files and fronts for the checks of fronts. Opens nothing outside
// `releases/`.

import type { PriceSummary } from '../../render/edition-prices.ts';
import type { Manifest, ManifestFile } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { Release } from '../../contract/release-name.ts';
import { pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import { pointerText, PROBLEM_CODE } from '../tree/codec.ts';
import { sha256Of } from '../tree/digest.ts';
import type { TreeFolders } from '../tree/files.ts';
import type { Failure } from '../tree/found.ts';
import { HOLD_PATH, readHoldFile } from '../tree/hold.ts';
import { PartReader, readThreeFiles } from '../tree/manifest.ts';
import { olderManifest, readOlderRelease } from '../tree/older-manifest.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { readCurrent } from '../tree/read.ts';
import { summary, type FindingSink } from './finding-sink.ts';
import { reportFilesBelow, scanFolder } from './scan.ts';

/** Few: a manifest may have megabytes. */
const MANIFESTS_AHEAD = 4;

const CURRENT = pathOf({ kind: 'current' });

/** A file as listed by a manifest. */
export interface ListedFile extends ManifestFile {
  /** The first manifest that lists it like this. */
  readonly manifest: string;
}

/** What a manifest says about a front with a certain pointer. */
export interface PointerRecord {
  readonly manifest: string;
  readonly weekendDays: string | null;
  readonly cardsByEdition: readonly number[];
  readonly prices: readonly PriceSummary[] | undefined;
}

export class KeptReleases {
  /** The number of valid manifests. */
  count = 0;
  /** What `releases/current` names; null if it is missing or damaged. */
  current: Release | null = null;
  /** The release that the tree is held at; null if there is none, or the file is damaged. */
  held: Release | null = null;
  /** Whether the manifest of the current release could be read. */
  isCurrentKnown = false;
  /**
   * Whether every manifest could be read. Only then can a file be reported as named by none of
   * them.
   */
  isEveryRead = true;
  /** Whether earlier versions wrote any: nothing is known of their pointers. */
  isAnyOlder = false;
  /** By front, then by path. */
  readonly #files = new Map<string, Map<string, ListedFile[]>>();
  /** By front, then by the digest of the pointer. */
  readonly #records = new Map<string, Map<string, PointerRecord>>();
  /** Digests of the pointers of the current release, by front. */
  readonly #currentPointers = new Map<string, string>();
  /** The fronts of each release that a stopped run may have been publishing. */
  readonly #unfinishedFronts: ReadonlySet<string>[] = [];
  #currentNow = '';
  /** Lists of manifests that have been recorded: releases share them where little changes. */
  readonly #recorded = new WeakSet<readonly unknown[]>();

  /** If `releases/` cannot be read. */
  static unknown(): KeptReleases {
    const releases = new KeptReleases();
    releases.isEveryRead = false;
    return releases;
  }

  /** Records what a manifest says. The current release's manifest must come first. */
  add(manifest: Manifest, release: Release): void {
    const path = pathOf({ kind: 'manifest', release });
    const isCurrent = release.name === this.current?.name;
    this.count += 1;
    if (!this.#recorded.has(manifest.fronts)) {
      for (const { front, pointer, weekendDays, cardsByEdition, prices } of manifest.fronts) {
        const digest = digestOfPointer(pointer);
        const records = mapIn(this.#records, front);
        if (!records.has(digest)) records.set(digest, { manifest: path, weekendDays, cardsByEdition, prices });
        if (isCurrent) this.#currentPointers.set(front, digest);
      }
      this.#recorded.add(manifest.fronts);
    }
    if (!this.#recorded.has(manifest.files)) this.addFiles(manifest.files, path);
    this.#recorded.add(manifest.files);
    if (isCurrent) {
      this.isCurrentKnown = true;
      this.#currentNow = manifest.now;
    } else if (this.isCurrentKnown && this.#mayBeUnfinished(manifest, release)) {
      this.#unfinishedFronts.push(new Set(manifest.fronts.map(({ front }) => front)));
    }
  }

  /**
   * Whether a stopped run may have been publishing a release: the held one for a rollback, one that
   * is not older for a build.
   */
  #mayBeUnfinished({ now }: Manifest, { name }: Release): boolean {
    return this.held === null ? now >= this.#currentNow : name === this.held.name;
  }

  /** Records which files a manifest lists. */
  addFiles(listed: readonly ManifestFile[], manifest: string): void {
    for (const file of listed) {
      const treeFile = treeFileOf(file.path);
      if (treeFile?.kind !== 'edition') continue;
      const files = mapIn(this.#files, treeFile.front);
      const known = files.get(file.path) ?? [];
      if (known.some(({ bytes, sha256 }) => bytes === file.bytes && sha256 === file.sha256)) continue;
      files.set(file.path, [...known, { ...file, manifest }]);
    }
  }

  /** Fronts that any kept release lists, or of which it has files. */
  fronts(): Iterable<string> {
    return new Set([...this.#records.keys(), ...this.#files.keys()]);
  }

  /**
   * What manifests say about a front's files, by path: one entry for each file, unless manifests
   * contradict each other.
   */
  filesOf(front: string): ReadonlyMap<string, readonly ListedFile[]> {
    return this.#files.get(front) ?? new Map();
  }

  /** What a kept release says about a front with exactly this pointer. */
  recordOf(front: string, pointer: Pointer): PointerRecord | undefined {
    return this.#records.get(front)?.get(digestOfPointer(pointer));
  }

  /** Whether the current release has exactly this pointer. */
  isCurrent(front: string, pointer: Pointer): boolean {
    return this.#currentPointers.get(front) === digestOfPointer(pointer);
  }

  /** Whether the current release lists a front. */
  isListed(front: string): boolean {
    return this.#currentPointers.has(front);
  }

  /** Whether a stopped run may have removed the front's pointer before it replaced `current`. */
  isFrontLeaving(front: string): boolean {
    return this.#unfinishedFronts.some((fronts) => !fronts.has(front));
  }
}

/** Reads and checks everything below `releases/`. @throws AppError tree-newer-schema */
export async function readReleases(tree: TreeFolders, sink: FindingSink): Promise<KeptReleases> {
  const releases = new KeptReleases();
  const scan = await scanFolder(RELEASES_FOLDER, tree, sink);
  await reportFilesBelow(scan.folders, tree, sink);
  const kept = [...scan.files.values()].flatMap((file) => (file.kind === 'manifest' ? [file.release] : []));
  const isAnyMisplaced = [...scan.misplaced.keys()].some((path) => treeFileOf(path)?.kind === 'manifest');
  if (isAnyMisplaced) releases.isEveryRead = false;

  if (scan.files.has(CURRENT)) releases.current = await checkedCurrent(tree, sink);
  else if (!scan.misplaced.has(CURRENT)) reportNoCurrent(kept.length, sink);
  const { current } = releases;
  const isKept = ({ name }: Release): boolean => kept.some((one) => one.name === name);
  if (current !== null && !isKept(current) && !scan.misplaced.has(pathOf({ kind: 'manifest', release: current }))) {
    releases.isEveryRead = false;
    sink.error('current-invalid', CURRENT, `names release ${current.name}, which has no manifest`);
  }
  if (scan.files.has(HOLD_PATH)) releases.held = await checkedHold(current, isKept, tree, sink);
  const parts = new Set([...scan.files].flatMap(([path, file]) => (file.kind === 'part' ? [path] : [])));
  const reader = new PartReader(tree);
  const currentFirst = kept.sort((a, b) => Number(b.name === current?.name) - Number(a.name === current?.name));
  const read = async (release: Release) => (release.now === null ? null : readThreeFiles(release, tree, reader));
  for await (const [release, manifest] of readAhead(currentFirst, read, MANIFESTS_AHEAD)) {
    if (manifest === null) await checkOlder(release, releases, tree, sink);
    else if (!manifest.ok) {
      reportUnread(manifest, sink);
      releases.isEveryRead = false;
    } else {
      const own = manifest.value;
      checkOrder(release, own.manifest, sink);
      releases.add(own.manifest, release);
      for (const path of own.parts) parts.delete(path);
    }
  }
  for (const path of releases.isEveryRead ? [...parts].sort() : [])
    sink.warning('unexpected', path, 'a part of a manifest that no kept release names');
  return releases;
}

/** A release of an earlier version: its files must be there until pruning removes it. */
async function checkOlder(
  release: Release,
  releases: KeptReleases,
  tree: TreeFolders,
  sink: FindingSink,
): Promise<void> {
  releases.isAnyOlder = true;
  const path = pathOf({ kind: 'manifest', release });
  const older = await readOlderRelease(release, tree);
  if (older.ok) {
    sink.warning('manifest-older', path, olderManifest(path).message);
    releases.addFiles(older.value.files, path);
  } else {
    reportUnread(older, sink);
    releases.isEveryRead = false;
  }
}

async function checkedCurrent(tree: TreeFolders, sink: FindingSink): Promise<Release | null> {
  const release = await readCurrent(tree);
  if (release.ok) return release.value;
  sink.error(release.why === 'damaged' ? PROBLEM_CODE.current : 'file-unreadable', CURRENT, release.message);
  return null;
}

/**
 * The release that the tree is held at. A rollback writes the hold first, so it may be ahead of
 * `current`.
 */
async function checkedHold(
  current: Release | null,
  isKept: (release: Release) => boolean,
  tree: TreeFolders,
  sink: FindingSink,
): Promise<Release | null> {
  const hold = await readHoldFile(tree);
  const heldAnyway = 'builds publish nothing before: playbill rollback --resume';
  if (!hold.ok) {
    if (hold.why === 'damaged') sink.error('hold-invalid', HOLD_PATH, `${hold.message}; ${heldAnyway}`);
    else sink.error('file-unreadable', HOLD_PATH, hold.message);
    return null;
  }
  // What held fronts were put back to stays without that release: the current one lists it.
  if (hold.value.kind !== 'all') return null;
  const { release } = hold.value;
  if (!isKept(release))
    sink.error('hold-invalid', HOLD_PATH, `names release ${release.name}, which has no manifest; ${heldAnyway}`);
  else if (release.name !== current?.name) {
    const message = `a rollback to release ${release.id} was stopped; finish it with: playbill rollback ${release.id}`;
    sink.warning('hold-not-current', HOLD_PATH, message);
  }
  return release;
}

/**
 * `current` may be missing only if the first build of a tree was stopped: then there is one
 * manifest.
 */
function reportNoCurrent(manifests: number, sink: FindingSink): void {
  if (manifests === 0) return;
  const message = 'expected the name of the current release, found no such file';
  if (manifests === 1) {
    sink.warning(PROBLEM_CODE.current, CURRENT, `${message}: the first build was stopped; run build again`);
  } else sink.error(PROBLEM_CODE.current, CURRENT, message);
}

/** Checks the order of a manifest's lists. */
function checkOrder(release: Release, { fronts, files }: Manifest, sink: FindingSink): void {
  const path = pathOf({ kind: 'manifest', release });
  const frontCodes = fronts.map(({ front }) => front);
  const filePaths = files.map((file) => file.path);
  for (const messages of [outOfOrder('fronts', frontCodes), outOfOrder('files', filePaths)])
    if (messages.length > 0) sink.error(PROBLEM_CODE.manifest, path, summary(messages));
}

function reportUnread({ why, location, message }: Failure, sink: FindingSink): void {
  const codes = { altered: 'file-digest-wrong', damaged: PROBLEM_CODE.manifest } as const;
  sink.error(why === 'altered' || why === 'damaged' ? codes[why] : 'file-unreadable', location, message);
}

function outOfOrder(what: string, keys: readonly string[]): string[] {
  return keys.flatMap((key, i) => {
    const before = keys[i - 1];
    return before === undefined || before < key
      ? []
      : [`${what}: ${JSON.stringify(key)} after ${JSON.stringify(before)}`];
  });
}

function digestOfPointer(pointer: Pointer): string {
  return sha256Of(new TextEncoder().encode(pointerText(pointer)));
}

function mapIn<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
