// The one reader of trees: pointer, manifest, key ring, `current`, hold and edition, each read and judged here. Nothing in a file whose
// name is its digest is believed before its bytes have that digest. @throws AppError tree-newer-schema, wherever a newer tool wrote

import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import { productsDocumentSchema, type ProductsDocument } from '../../contract/documents.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { Manifest } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { AppError } from '../../errors.ts';
import {
  digestOf,
  editionPath,
  FRONTS_FOLDER,
  isFrontCode,
  pathOf,
  RELEASES_FOLDER,
  treeFileOf,
} from '../../render/paths.ts';
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
import { sha256Of } from './digest.ts';
import type { TreeFiles, TreeFolders } from './files.ts';
import { damaged, found, missing, nothingPublished, orThrow, type Failure, type Found } from './found.ts';

/** How many releases a hint names. */
const RELEASES_NAMED = 10;

export interface ReadPointer {
  readonly pointer: Pointer;
  /** Whether its text is the one that we write: an edge searches the text. */
  readonly isCanonical: boolean;
}

/** A release and the instant that it was built for. */
export interface DatedRelease {
  readonly id: string;
  readonly now: Instant;
}

/** The order of `playbill releases`. */
export function byNewest(a: DatedRelease, b: DatedRelease): number {
  return b.now - a.now || (a.id < b.id ? 1 : -1);
}

/** The pointer of a front. */
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

async function readReleaseId(path: string, files: TreeFiles): Promise<Found<string>> {
  const bytes = await files.read(path);
  return bytes.ok ? parseReleaseId(bytes.value, path) : bytes;
}

export async function readKeyRing(files: TreeFiles): Promise<Found<KeyRing>> {
  const path = pathOf({ kind: 'key-ring' });
  const bytes = await files.read(path);
  return bytes.ok ? parseKeyRing(bytes.value, path) : bytes;
}

/** The manifest of a release. */
export async function readManifest(id: string, files: TreeFiles): Promise<Found<Manifest>> {
  return readManifestAs(id, files, parseManifest);
}

/** When a release was built for, without parsing its fronts and files. */
export async function readReleaseDate(id: string, files: TreeFiles): Promise<Found<DatedRelease>> {
  const head = await readManifestAs(id, files, parseManifestHead);
  if (!head.ok) return head;
  const now = parseInstant(head.value.now);
  return now === undefined
    ? damaged(pathOf({ kind: 'manifest', id }), `now: expected a date of the calendar, found ${head.value.now}`)
    : found({ id, now });
}

/** The paths of the files that a release names; half the work of parsing all of its manifest. */
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
  // Parsed first: an altered manifest may be a newer tool's all the same.
  const parsed = parse(bytes.value, path);
  return alteredFrom(id, bytes.value, path) ?? parsed;
}

/** The bytes of an edition, by the digest in its name. */
export async function readEdition(path: string, digest: string, files: TreeFiles): Promise<Found<Uint8Array>> {
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes.why === 'missing' ? missing(path, 'the file') : bytes;
  return alteredFrom(digest, bytes.value, path) ?? bytes;
}

/** A products document, by the digest in its name. */
export async function readProducts(front: string, digest: string, files: TreeFiles): Promise<Found<ProductsDocument>> {
  const path = editionPath(front, 'products', digest);
  const bytes = await readEdition(path, digest, files);
  return bytes.ok ? parseProducts(bytes.value, path) : bytes;
}

/** A products document from bytes. */
export function parseProducts(bytes: Uint8Array, path: string): Found<ProductsDocument> {
  const json = parseJson(bytes, path);
  if (!json.ok) return json;
  const parsed = productsDocumentSchema.safeParse(json.value);
  return parsed.success
    ? found(parsed.data)
    : damaged(path, 'expected a products document, found JSON of another shape');
}

/** The failure of bytes that do not have the digest in the file's name; null where they have it. */
function alteredFrom(digest: string, bytes: Uint8Array, path: string): Failure | null {
  const sha256 = sha256Of(bytes);
  if (digestOf(sha256) === digest) return null;
  return damaged(path, `expected a SHA-256 that begins with ${digest}, found ${sha256}`, 'altered');
}

/** Codes of the fronts that have a pointer, sorted; whether it can be read is another question. @throws AppError tree-unreadable */
export async function publishedFronts(files: TreeFiles): Promise<readonly string[]> {
  const codes = (await files.list(FRONTS_FOLDER)).flatMap((path) => {
    const file = treeFileOf(path);
    return file?.kind === 'pointer' ? [file.front] : [];
  });
  return codes.sort();
}

/** The same, folder by folder; a front whose folder cannot be listed may have a pointer, and is among them. @throws AppError tree-unreadable */
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

/** Ids of all releases that a tree keeps, sorted; whether their manifests can be read is another question. @throws AppError tree-unreadable */
export async function releaseIds(files: TreeFiles): Promise<readonly string[]> {
  const ids = (await files.list(RELEASES_FOLDER)).flatMap((path) => {
    // Of a folder in a manifest's place the list shows what is in it.
    const file = treeFileOf(path.split('/', 2).join('/'));
    return file?.kind === 'manifest' ? [file.id] : [];
  });
  return [...new Set(ids)];
}

/** What may name a release: the first four digits of an id, or more; `current`; `current~1` for the one below it in `releases`. */
export const RELEASE_NAME = /^(?:current(?:~(\d{1,4}))?|[0-9a-f]{4,})$/;

/**
 * The id of the release that a name means.
 * @throws AppError release-unknown, release-damaged (nothing is counted past a manifest that cannot be read), nothing-published
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
      `expected a release before the current one in ${files.root}, found that it keeps one release only`,
      'publish another when something has changed: playbill build',
    );
  }
  const [expected, lead, candidates] =
    another === undefined ? ['a', 'kept are', ids] : ['one', 'it may mean', matching];
  const digits = /^[0-9a-f]{1,3}$/.test(name) ? 'type at least four digits of an id; ' : '';
  throw new AppError(
    'release-unknown',
    `expected ${expected} release that ${files.root} keeps, found ${JSON.stringify(name)}`,
    ids.length === 0
      ? 'no release is kept; publish with: playbill build'
      : `${digits}${lead}: ${await namesText(candidates, files)}`,
  );
}

/** Ids of releases, newest first, with the instants that they were built for; last those whose manifest cannot be read. */
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
 * What may be the one so many steps before the current one, by the instants that releases were built for: several where they are of one
 * instant; none where it is not kept, or the current one is not.
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
