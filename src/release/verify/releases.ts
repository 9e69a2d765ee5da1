// Checks the kept releases. Reads each manifest once, checks its digest, and records what it says
// about files and fronts for the checks of fronts. Opens nothing outside `releases/`.

import type { PriceSummary } from '../../render/edition-prices.ts';
import type { Manifest, ManifestFile } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import { pointerText, PROBLEM_CODE } from '../tree/codec.ts';
import { sha256Of } from '../tree/digest.ts';
import type { TreeFolders } from '../tree/files.ts';
import { HOLD_PATH } from '../tree/hold.ts';
import { readCurrent, readHeldId, readManifest } from '../tree/read.ts';
import { summary, type FindingSink } from './finding-sink.ts';
import { reportFilesBelow, scanFolder } from './scan.ts';

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
  /** The id in `releases/current`; null if it is missing or damaged. */
  currentId: string | null = null;
  /** The id in `releases/hold`; null if the tree is not held, or the file is damaged. */
  heldId: string | null = null;
  /** Whether the manifest of the current release could be read. */
  isCurrentKnown = false;
  /**
   * Whether every manifest could be read. Only then can a file be reported as named by none of
   * them.
   */
  isEveryRead = true;
  /** By front, then by path. */
  readonly #files = new Map<string, Map<string, ListedFile[]>>();
  /** By front, then by the digest of the pointer. */
  readonly #records = new Map<string, Map<string, PointerRecord>>();
  /** Digests of the pointers of the current release, by front. */
  readonly #current = new Map<string, string>();
  /** The fronts of each release that a stopped run may have been publishing. */
  readonly #unfinishedFronts: ReadonlySet<string>[] = [];
  #currentNow = '';

  /** If `releases/` cannot be read. */
  static unknown(): KeptReleases {
    const releases = new KeptReleases();
    releases.isEveryRead = false;
    return releases;
  }

  /** Records what a manifest says. The current release's manifest must come first. */
  add(manifest: Manifest, path: string, isCurrent: boolean): void {
    this.count += 1;
    for (const { front, pointer, weekendDays, cardsByEdition, prices } of manifest.fronts) {
      const digest = digestOfPointer(pointer);
      const records = mapIn(this.#records, front);
      if (!records.has(digest)) records.set(digest, { manifest: path, weekendDays, cardsByEdition, prices });
      if (isCurrent) this.#current.set(front, digest);
    }
    for (const file of manifest.files) {
      const treeFile = treeFileOf(file.path);
      if (treeFile?.kind !== 'edition') continue;
      const files = mapIn(this.#files, treeFile.front);
      const known = files.get(file.path) ?? [];
      if (known.some(({ bytes, sha256 }) => bytes === file.bytes && sha256 === file.sha256)) continue;
      files.set(file.path, [...known, { ...file, manifest: path }]);
    }
    if (isCurrent) {
      this.isCurrentKnown = true;
      this.#currentNow = manifest.now;
    } else if (this.isCurrentKnown && this.#mayBeUnfinished(manifest, path)) {
      this.#unfinishedFronts.push(new Set(manifest.fronts.map(({ front }) => front)));
    }
  }

  /**
   * Whether a stopped run may have been publishing a release: the held one for a rollback, one that
   * is not older for a build.
   */
  #mayBeUnfinished({ now }: Manifest, path: string): boolean {
    return this.heldId === null ? now >= this.#currentNow : path === pathOf({ kind: 'manifest', id: this.heldId });
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
    return this.#current.get(front) === digestOfPointer(pointer);
  }

  /** Whether the current release lists a front. */
  isListed(front: string): boolean {
    return this.#current.has(front);
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
  const ids = [...scan.files.values()].flatMap((file) => (file.kind === 'manifest' ? [file.id] : []));
  const isAnyMisplaced = [...scan.misplaced.keys()].some((path) => treeFileOf(path)?.kind === 'manifest');
  if (isAnyMisplaced) releases.isEveryRead = false;

  if (scan.files.has(CURRENT)) releases.currentId = await checkedCurrent(tree, sink);
  else if (!scan.misplaced.has(CURRENT)) reportNoCurrent(ids.length, sink);
  const { currentId } = releases;
  const isMissing = currentId !== null && !ids.includes(currentId);
  if (isMissing && !scan.misplaced.has(pathOf({ kind: 'manifest', id: currentId }))) {
    releases.isEveryRead = false;
    sink.error('current-invalid', CURRENT, `names release ${currentId}, which has no manifest`);
  }
  if (scan.files.has(HOLD_PATH)) releases.heldId = await checkedHold(currentId, ids, tree, sink);
  for (const id of ids.sort((a, b) => Number(b === currentId) - Number(a === currentId))) {
    const manifest = await checkedManifest(id, tree, sink);
    if (manifest === null) releases.isEveryRead = false;
    else releases.add(manifest, pathOf({ kind: 'manifest', id }), id === currentId);
  }
  return releases;
}

async function checkedCurrent(tree: TreeFolders, sink: FindingSink): Promise<string | null> {
  const id = await readCurrent(tree);
  if (id.ok) return id.value;
  sink.error(id.why === 'damaged' ? PROBLEM_CODE.current : 'file-unreadable', CURRENT, id.message);
  return null;
}

/**
 * The id of the held release. A rollback writes the hold first, so it may be ahead of `current`.
 */
async function checkedHold(
  currentId: string | null,
  ids: readonly string[],
  tree: TreeFolders,
  sink: FindingSink,
): Promise<string | null> {
  const held = await readHeldId(tree);
  const heldAnyway = 'builds publish nothing before: playbill rollback --resume';
  if (!held.ok) {
    if (held.why === 'damaged') sink.error('hold-invalid', HOLD_PATH, `${held.message}; ${heldAnyway}`);
    else sink.error('file-unreadable', HOLD_PATH, held.message);
    return null;
  }
  const id = held.value;
  if (!ids.includes(id)) {
    sink.error('hold-invalid', HOLD_PATH, `names release ${id}, which has no manifest; ${heldAnyway}`);
  } else if (id !== currentId) {
    const message = `a rollback to release ${id} was stopped; finish it with: playbill rollback ${id}`;
    sink.warning('hold-not-current', HOLD_PATH, message);
  }
  return id;
}

/**
 * `current` may be missing only if the first build of a tree was stopped: then there is one
 * manifest.
 */
function reportNoCurrent(manifests: number, sink: FindingSink): void {
  if (manifests === 0) return;
  const message = 'expected the id of the current release, found no such file';
  if (manifests === 1) {
    sink.warning(PROBLEM_CODE.current, CURRENT, `${message}: the first build was stopped; run build again`);
  } else sink.error(PROBLEM_CODE.current, CURRENT, message);
}

/**
 * A manifest whose digest matches its name; null if not, since then nothing in it can be trusted.
 * Also checks the order of its lists.
 */
async function checkedManifest(id: string, tree: TreeFolders, sink: FindingSink): Promise<Manifest | null> {
  const path = pathOf({ kind: 'manifest', id });
  const manifest = await readManifest(id, tree);
  if (!manifest.ok) {
    const codes = { altered: 'file-digest-wrong', damaged: PROBLEM_CODE.manifest } as const;
    const code = manifest.why === 'altered' || manifest.why === 'damaged' ? codes[manifest.why] : 'file-unreadable';
    sink.error(code, path, manifest.message);
    return null;
  }
  const { fronts, files } = manifest.value;
  const frontCodes = fronts.map(({ front }) => front);
  const filePaths = files.map((file) => file.path);
  for (const messages of [outOfOrder('fronts', frontCodes), outOfOrder('files', filePaths)])
    if (messages.length > 0) sink.error(PROBLEM_CODE.manifest, path, summary(messages));
  return manifest.value;
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
