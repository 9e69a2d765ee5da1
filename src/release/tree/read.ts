// Reads and validates the files of a tree: pointers, manifests, key ring, `current`, hold and
// editions. If a file's name is a digest, its bytes are checked against it. Every function may
// throw AppError tree-newer-schema if a newer tool wrote the file.

import { formatInstant, parseInstant } from '../../catalogue/instant.ts';
import { productsDocumentSchema, type ProductsDocument } from '../../contract/documents.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { Manifest } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { isFrontCode } from '../../contract/front-code.ts';
import { AppError } from '../../errors.ts';
import { digestOf, editionPath, FRONTS_FOLDER, pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import {
  isSameText,
  parseJson,
  parseKeyRing,
  parseManifest,
  parseManifestFiles,
  parseManifestHead,
  parsePointer,
  parseReleaseId,
  pointerText,
} from './codec.ts';
import { byNewest, type DatedRelease } from './dated-release.ts';
import { sha256Of } from './digest.ts';
import type { TreeFiles, TreeFolders } from './files.ts';
import { damaged, found, missing, nothingPublished, orNull, orThrow, type Failure, type Found } from './found.ts';

/** How many releases a hint names. */
const RELEASES_NAMED = 10;

export interface ReadPointer {
  readonly pointer: Pointer;
  /** Whether its text is exactly what Playbill writes. It matters because edges search the text. */
  readonly isCanonical: boolean;
}

export async function readPointer(front: string, files: TreeFiles): Promise<Found<ReadPointer>> {
  const path = pathOf({ kind: 'pointer', front });
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes;
  const parsed = parsePointer(bytes.value, path);
  if (!parsed.ok) return parsed;
  const pointer = parsed.value;
  return pointer.front === front
    ? found({ pointer, isCanonical: isSameText(pointerText(pointer), bytes.value) })
    : damaged(path, `expected the pointer of ${front}, found that of ${pointer.front}`);
}

/** The id of the current release. */
export async function readCurrent(files: TreeFiles): Promise<Found<string>> {
  return readReleaseId(pathOf({ kind: 'current' }), files);
}

/** The id of the release that a rollback holds the tree at. */
export async function readHeldId(files: TreeFiles): Promise<Found<string>> {
  return readReleaseId(pathOf({ kind: 'hold' }), files);
}

/** Of what the hook of `--on-publish` was notified with success. */
export interface Notified {
  /** The last release; null if there is none, or if the file is damaged. */
  readonly release: string | null;
  /** Whether it has missed a change of the key ring. */
  readonly isKeyRingDue: boolean;
}

const NOTIFIED = /^(?:([0-9a-f]{16})|none)(\nkey-ring)?\n$/;

/** Reads `releases/notified`; null if there is no such file. */
export async function readNotified(files: TreeFiles): Promise<Notified | null> {
  const bytes = await files.read(pathOf({ kind: 'notified' }));
  if (!bytes.ok && bytes.why === 'missing') return null;
  const match = NOTIFIED.exec(new TextDecoder().decode(orNull(bytes) ?? undefined));
  return { release: match?.[1] ?? null, isKeyRingDue: match === null || match[2] !== undefined };
}

/** The inverse of `readNotified`. */
export function notifiedText({ release, isKeyRingDue }: Notified): string {
  return `${release ?? 'none'}${isKeyRingDue ? '\nkey-ring' : ''}\n`;
}

async function readReleaseId(path: string, files: TreeFiles): Promise<Found<string>> {
  const bytes = await files.read(path);
  return bytes.ok ? parseReleaseId(bytes.value, path) : bytes;
}

export async function readKeyRing(files: TreeFiles): Promise<Found<KeyRing>> {
  const path = pathOf({ kind: 'key-ring' });
  const bytes = await files.read(path);
  return bytes.ok ? parseKeyRing(bytes.value, path) : bytes;
}

export async function readManifest(id: string, files: TreeFiles): Promise<Found<Manifest>> {
  return readManifestAs(id, files, parseManifest);
}

/** The instant that a release was built for, without parsing the manifest's fronts and files. */
export async function readReleaseDate(id: string, files: TreeFiles): Promise<Found<DatedRelease>> {
  const head = await readManifestAs(id, files, parseManifestHead);
  if (!head.ok) return head;
  const now = parseInstant(head.value.now);
  return now === undefined
    ? damaged(pathOf({ kind: 'manifest', id }), `now: expected a date of the calendar, found ${head.value.now}`)
    : found({ id, now });
}

/** The paths of a release's files. Takes half the time of parsing the whole manifest. */
export async function readReleasePaths(id: string, files: TreeFiles): Promise<Found<readonly string[]>> {
  const manifest = await readManifestAs(id, files, parseManifestFiles);
  return manifest.ok ? found(manifest.value.files.map(({ path }) => path)) : manifest;
}

async function readManifestAs<T>(
  id: string,
  files: TreeFiles,
  parse: (bytes: Uint8Array, path: string) => Found<T>,
): Promise<Found<T>> {
  const path = pathOf({ kind: 'manifest', id });
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes.why === 'missing' ? missing(path, 'a manifest') : bytes;
  // Parse first: even an altered manifest of a newer tool must throw tree-newer-schema.
  const parsed = parse(bytes.value, path);
  return alteredFrom(id, bytes.value, path) ?? parsed;
}

/** The bytes of an edition, checked against the digest in its name. */
export async function readEdition(path: string, digest: string, files: TreeFiles): Promise<Found<Uint8Array>> {
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes.why === 'missing' ? missing(path, 'the file') : bytes;
  return alteredFrom(digest, bytes.value, path) ?? bytes;
}

/** A products document, checked against the digest in its name. */
export async function readProducts(front: string, digest: string, files: TreeFiles): Promise<Found<ProductsDocument>> {
  const path = editionPath(front, 'products', digest);
  const bytes = await readEdition(path, digest, files);
  return bytes.ok ? parseProducts(bytes.value, path) : bytes;
}

export function parseProducts(bytes: Uint8Array, path: string): Found<ProductsDocument> {
  const json = parseJson(bytes, path);
  if (!json.ok) return json;
  const parsed = productsDocumentSchema.safeParse(json.value);
  return parsed.success
    ? found(parsed.data)
    : damaged(path, 'expected a products document, found JSON of another shape');
}

/** The failure for bytes that do not have the digest in the file's name; null if they do. */
function alteredFrom(digest: string, bytes: Uint8Array, path: string): Failure | null {
  const sha256 = sha256Of(bytes);
  if (digestOf(sha256) === digest) return null;
  return damaged(path, `expected a SHA-256 that begins with ${digest}, found ${sha256}`, 'altered');
}

/**
 * Codes of the fronts that have a pointer, readable or not; sorted.
 * @throws AppError tree-unreadable
 */
export async function publishedFronts(files: TreeFiles): Promise<readonly string[]> {
  const codes = (await files.list(FRONTS_FOLDER)).flatMap((path) => {
    const file = treeFileOf(path);
    return file?.kind === 'pointer' ? [file.front] : [];
  });
  return codes.sort();
}

/**
 * The same, folder by folder, including fronts whose folder cannot be listed: they may have a
 * pointer.
 * @throws AppError tree-unreadable
 */
export async function listedFronts(tree: TreeFolders): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const { path, kind } of orThrow(await tree.entries(FRONTS_FOLDER), 'tree-unreadable', tree.root)) {
    const front = path.slice(FRONTS_FOLDER.length + 1);
    if (kind !== 'folder' || !isFrontCode(front)) continue;
    const entries = await tree.entries(path);
    const pointer = pathOf({ kind: 'pointer', front });
    if (!entries.ok || entries.value.some((entry) => entry.path === pointer)) codes.push(front);
  }
  return codes;
}

/**
 * Ids of all releases in a tree, with readable manifests or not; sorted.
 * @throws AppError tree-unreadable
 */
export async function releaseIds(files: TreeFiles): Promise<readonly string[]> {
  const ids = (await files.list(RELEASES_FOLDER)).flatMap((path) => {
    // If a folder has the name of a manifest, the list has the files in it.
    const file = treeFileOf(path.split('/', 2).join('/'));
    return file?.kind === 'manifest' ? [file.id] : [];
  });
  return [...new Set(ids)];
}

/**
 * Names of releases: the first four or more digits of an id; `current`; `current~1` for the one
 * below it in `playbill releases`.
 */
export const RELEASE_NAME = /^(?:current(?:~(\d{1,4}))?|[0-9a-f]{4,})$/;

/**
 * The id of the release that a name stands for.
 * @throws AppError release-unknown, release-damaged (`current~N` needs all manifests to be
 * readable), nothing-published
 */
export async function resolveRelease(name: string, files: TreeFiles): Promise<string> {
  if (name === 'current') return currentId(files);
  const ids = await releaseIds(files);
  const parts = RELEASE_NAME.exec(name);
  const matching = parts?.[1]
    ? await idsBefore(Number(parts[1]), ids, files)
    : ids.filter((id) => parts !== null && id.startsWith(name));
  const [id, another] = matching;
  if (id !== undefined && another === undefined) return id;
  if (parts?.[1] && ids.length === 1) {
    throw new AppError(
      'release-unknown',
      `expected a release before the current one in ${files.root}, found that it keeps only one release`,
      'publish another when something has changed: playbill build',
    );
  }
  const [expected, lead, candidates] =
    another === undefined ? ['a', 'kept releases', ids] : ['one', 'it matches', matching];
  const digits = /^[0-9a-f]{1,3}$/.test(name) ? 'type at least four digits of an id; ' : '';
  throw new AppError(
    'release-unknown',
    `expected ${expected} release that ${files.root} keeps, found ${JSON.stringify(name)}`,
    ids.length === 0
      ? 'no release is kept; publish with: playbill build'
      : `${digits}${lead}: ${await namesText(candidates, files)}`,
  );
}

/**
 * Releases with the instants that they were built for, newest first; at the end those whose
 * manifest cannot be read.
 */
export async function newestFirst(ids: readonly string[], files: TreeFiles) {
  const dates = await Promise.all(ids.map((id) => readReleaseDate(id, files)));
  const dated = dates.flatMap((date) => (date.ok ? [date.value] : [])).sort(byNewest);
  const undated = ids.filter((_, i) => dates[i]?.ok !== true).map((id) => ({ id, now: null }));
  return [...dated, ...undated];
}

async function namesText(ids: readonly string[], files: TreeFiles): Promise<string> {
  const names = (await newestFirst(ids, files))
    .slice(0, RELEASES_NAMED)
    .map(({ id, now }) => (now === null ? id : `${id} (${formatInstant(now)})`));
  return `${names.join(', ')}${ids.length > RELEASES_NAMED ? ' …; for all of them: playbill releases' : ''}`;
}

async function currentId(files: TreeFiles): Promise<string> {
  const current = await readCurrent(files);
  if (!current.ok && current.why === 'missing') throw nothingPublished('a current release', files.root);
  return orThrow(current, 'tree-unreadable', files.root);
}

/**
 * The releases that `current~steps` may stand for, ordered by the instants they were built for:
 * several if they share an instant, none if the current release has no manifest or there are not so
 * many before it.
 */
async function idsBefore(steps: number, ids: readonly string[], files: TreeFiles): Promise<readonly string[]> {
  const current = await currentId(files);
  if (steps === 0) return ids.filter((id) => id === current);
  const dated: DatedRelease[] = [];
  for (const id of ids) dated.push(orThrow(await readReleaseDate(id, files), 'release-damaged', files.root));
  const now = dated.find(({ id }) => id === current)?.now ?? Number.NEGATIVE_INFINITY;
  const before = dated.filter((one) => one.id !== current && one.now <= now).sort(byNewest);
  return before.filter((one) => one.now === before[steps - 1]?.now).map(({ id }) => id);
}
