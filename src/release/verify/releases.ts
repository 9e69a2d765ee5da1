// The kept releases: each manifest is read once and checked against its own digest, and what all of them say about files and
// fronts is remembered for the check of each front. Opens nothing outside `releases/`.

import type { Manifest, ManifestFile } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { digestOf, pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import type { TreeReader } from '../tree/reader.ts';
import { manifestProblems } from './manifest.ts';
import type { Report } from './report.ts';
import { readTreeFile, reportStrangersBelow, scanFolder } from './scan.ts';
import { parseCurrent, parseManifest, pointerText, PROBLEM_CODE } from '../tree/codec.ts';

const CURRENT = pathOf({ kind: 'current' });
const HOLD = pathOf({ kind: 'hold' });

/** What a manifest says about a file, and which manifest (the first of those that say it). */
export interface FileClaim extends ManifestFile {
  readonly manifest: string;
}

/** What a manifest says about a front beside its pointer. */
export interface PointerRecord {
  readonly manifest: string;
  readonly weekendDays: string | null;
  readonly cardsByEdition: readonly number[];
}

export class KeptReleases {
  /** Manifests that say what their names promise. */
  count = 0;
  /** The id in `releases/current`; null where it is missing or damaged. */
  currentId: string | null = null;
  /** The id in `releases/hold`; null where the tree is not held, or the file is damaged. */
  heldId: string | null = null;
  /** Whether the manifest of the release in force could be read. */
  isInForceKnown = false;
  /** Whether every manifest could be read: only then is a file that none of them names a stranger. */
  isEveryRead = true;
  readonly #claims = new Map<string, Map<string, FileClaim[]>>();
  readonly #records = new Map<string, Map<string, PointerRecord>>();
  /** Digests of the pointers of the release in force, by front. */
  readonly #inForce = new Map<string, string>();
  /** The fronts of each release that a stopped run may have been putting into force. */
  readonly #comingFronts: ReadonlySet<string>[] = [];
  #inForceNow = '';

  /** Where nothing can be told about releases. */
  static unknown(): KeptReleases {
    const releases = new KeptReleases();
    releases.isEveryRead = false;
    return releases;
  }

  /** Takes over what a manifest says; that of the release in force comes first. */
  add(manifest: Manifest, path: string, isInForce: boolean): void {
    this.count += 1;
    for (const { front, pointer, weekendDays, cardsByEdition } of manifest.fronts) {
      const digest = digestOfPointer(pointer);
      const records = mapIn(this.#records, front);
      if (!records.has(digest)) records.set(digest, { manifest: path, weekendDays, cardsByEdition });
      if (isInForce) this.#inForce.set(front, digest);
    }
    for (const claim of manifest.files) {
      const file = treeFileOf(claim.path);
      if (file?.kind !== 'edition') continue;
      const claims = mapIn(this.#claims, file.front);
      const known = claims.get(claim.path) ?? [];
      if (known.some(({ bytes, sha256 }) => bytes === claim.bytes && sha256 === claim.sha256)) continue;
      claims.set(claim.path, [...known, { ...claim, manifest: path }]);
    }
    if (isInForce) {
      this.isInForceKnown = true;
      this.#inForceNow = manifest.now;
    } else if (this.isInForceKnown && this.#isComing(manifest, path)) {
      this.#comingFronts.push(new Set(manifest.fronts.map(({ front }) => front)));
    }
  }

  /** A rollback names what it puts into force; a build puts a release into force that is not older. */
  #isComing({ now }: Manifest, path: string): boolean {
    return this.heldId === null ? now >= this.#inForceNow : path === pathOf({ kind: 'manifest', id: this.heldId });
  }

  /** Fronts that any kept release lists, or has files of. */
  fronts(): Iterable<string> {
    return new Set([...this.#records.keys(), ...this.#claims.keys()]);
  }

  /** What manifests say about a front's files, by path: one claim a file, unless they contradict each other. */
  claimsOf(front: string): ReadonlyMap<string, readonly FileClaim[]> {
    return this.#claims.get(front) ?? new Map();
  }

  /** What a kept release says about a front with exactly this pointer. */
  recordOf(front: string, pointer: Pointer): PointerRecord | undefined {
    return this.#records.get(front)?.get(digestOfPointer(pointer));
  }

  /** How a front stands in the release in force: with this very pointer, with another, or not at all. */
  inForce(front: string, pointer: Pointer): 'same' | 'other' | 'none' {
    const digest = this.#inForce.get(front);
    if (digest === undefined) return 'none';
    return digest === digestOfPointer(pointer) ? 'same' : 'other';
  }

  isFrontInForce(front: string): boolean {
    return this.#inForce.has(front);
  }

  /** Whether a release that was being put into force took the front away: a stop before `current` leaves it so. */
  isFrontLeaving(front: string): boolean {
    return this.#comingFronts.some((fronts) => !fronts.has(front));
  }
}

/** Reads and checks everything below `releases/`. @throws AppError tree-newer-schema */
export async function readReleases(reader: TreeReader, report: Report): Promise<KeptReleases> {
  const releases = new KeptReleases();
  const scan = await scanFolder(RELEASES_FOLDER, reader, report);
  await reportStrangersBelow(scan.folders, reader, report);
  const manifests = new Map(
    [...scan.files].flatMap(([path, file]) => (file.kind === 'manifest' ? [[path, file.id]] : [])),
  );
  const isAnyTaken = [...scan.taken.keys()].some((path) => treeFileOf(path)?.kind === 'manifest');
  if (isAnyTaken) releases.isEveryRead = false;

  releases.currentId = scan.files.has(CURRENT) ? await readCurrent(reader, report) : null;
  const currentPath = releases.currentId === null ? null : pathOf({ kind: 'manifest', id: releases.currentId });
  if (currentPath !== null && !manifests.has(currentPath) && !scan.taken.has(currentPath)) {
    releases.isEveryRead = false;
    report.error('current-invalid', CURRENT, `names release ${releases.currentId}, of which there is no manifest`);
  }
  if (scan.files.has(HOLD)) releases.heldId = await readHold(releases.currentId, manifests, reader, report);
  const inForceFirst = [...manifests].sort(([a], [b]) => Number(b === currentPath) - Number(a === currentPath));
  for (const [path, id] of inForceFirst) {
    const manifest = await readManifest(path, id, reader, report);
    if (manifest === null) releases.isEveryRead = false;
    else releases.add(manifest, path, path === currentPath);
  }
  if (!scan.files.has(CURRENT) && !scan.taken.has(CURRENT)) reportNoCurrent(manifests.size, report);
  return releases;
}

async function readCurrent(reader: TreeReader, report: Report): Promise<string | null> {
  const bytes = await readTreeFile(CURRENT, reader, report);
  if (bytes === undefined) return null;
  const { value, problem } = parseCurrent(bytes);
  if (problem !== null) report.error(PROBLEM_CODE.current, CURRENT, problem);
  return value;
}

/** The release that a rollback holds the tree at. It comes before the pointers, so it may be ahead of `current`. */
async function readHold(
  currentId: string | null,
  manifests: ReadonlyMap<string, string>,
  reader: TreeReader,
  report: Report,
): Promise<string | null> {
  const bytes = await readTreeFile(HOLD, reader, report);
  if (bytes === undefined) return null;
  const { value: id, problem } = parseCurrent(bytes);
  const heldAnyway = 'builds publish nothing until: playbill rollback --resume';
  if (problem !== null) report.error('hold-invalid', HOLD, `${problem}; ${heldAnyway}`);
  else if (!manifests.has(pathOf({ kind: 'manifest', id }))) {
    report.error('hold-invalid', HOLD, `names release ${id}, of which there is no manifest; ${heldAnyway}`);
  } else if (id !== currentId) {
    const message = `a rollback to release ${id} was stopped; finish it with: playbill rollback ${id}`;
    report.warning('hold-not-current', HOLD, message);
  }
  return id;
}

/** Every publication but a tree's first replaces `current`; so it may be missing only beside a first manifest. */
function reportNoCurrent(manifests: number, report: Report): void {
  if (manifests === 0) return;
  const message = 'expected the id of the release in force, found no such file';
  if (manifests === 1) {
    report.warning(PROBLEM_CODE.current, CURRENT, `${message}: the first build was stopped; run build again`);
  } else report.error(PROBLEM_CODE.current, CURRENT, message);
}

/** A manifest that is what its name says. Where it is not, nothing in it is believed. */
async function readManifest(path: string, id: string, reader: TreeReader, report: Report): Promise<Manifest | null> {
  const bytes = await readTreeFile(path, reader, report);
  if (bytes === undefined) return null;
  const sha256 = sha256Of(bytes);
  if (digestOf(sha256) !== id) {
    report.error('file-digest-wrong', path, `expected a SHA-256 that begins with ${id}, found ${sha256}`);
    return null;
  }
  const { value, problem } = parseManifest(bytes, path);
  if (problem !== null) report.error(PROBLEM_CODE.manifest, path, problem);
  else for (const message of manifestProblems(value, bytes)) report.error(PROBLEM_CODE.manifest, path, message);
  return value;
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
