// Reads and validates the small files of a tree and its editions: pointers, key ring, `current`,
// `notified`. Manifests are manifest.ts. If a file's name is a digest, its bytes are checked against
// it. Every function may throw AppError tree-newer-schema if a newer tool wrote the file.

import { productsDocumentSchema, type ProductsDocument } from '../../contract/documents.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { isFrontCode } from '../../contract/front-code.ts';
import { parseRelease, type Release } from '../../contract/release-name.ts';
import { editionPath, FRONTS_FOLDER, pathOf, treeFileOf } from '../../render/paths.ts';
import { isSameText, parseJson, parseKeyRing, parsePointer, parseReleaseName, pointerText } from './codec.ts';
import { alteredFrom, sha256Of } from './digest.ts';
import type { TreeFiles, TreeFolders } from './files.ts';
import { damaged, found, missing, orNull, orThrow, type Found } from './found.ts';

export interface ReadPointer {
  readonly pointer: Pointer;
  /** Whether its text is exactly what Playbill writes. It matters because edges search the text. */
  readonly isCanonical: boolean;
}

/** `likely` is what it probably is; if so, it is returned as it is, and not kept twice. */
export async function readPointer(front: string, files: TreeFiles, likely?: Pointer): Promise<Found<ReadPointer>> {
  const path = pathOf({ kind: 'pointer', front });
  const text = likely && pointerText(likely);
  const bytes = await files.read(path, text);
  if (!bytes.ok) return bytes;
  if (likely?.front === front && isSameText(text ?? '', bytes.value))
    return found({ pointer: likely, isCanonical: true });
  const parsed = parsePointer(bytes.value, path);
  if (!parsed.ok) return parsed;
  const pointer = parsed.value;
  return pointer.front === front
    ? found({ pointer, isCanonical: isSameText(pointerText(pointer), bytes.value) })
    : damaged(path, `expected the pointer of ${front}, found that of ${pointer.front}`);
}

/** The current release. */
export async function readCurrent(files: TreeFiles): Promise<Found<Release>> {
  const path = pathOf({ kind: 'current' });
  const bytes = await files.read(path);
  return bytes.ok ? parseReleaseName(bytes.value, path) : bytes;
}

/** Of what the hook of `--on-publish` was notified with success. */
export interface Notified {
  /** The last release; null if there is none, or if the file is damaged. */
  readonly release: Release | null;
  /** What `keyRingDigest` gave then, since no release has the key ring; null if that is not known. */
  readonly keyRing: string | null;
}

const NOTIFIED = /^([^\n]*)(?:\n([^\n]+))?\n$/;

/** In place of a release, or a key ring, that there is not. */
const NONE = 'none';

/** Reads `releases/notified`; null if there is no such file. */
export async function readNotified(files: TreeFiles): Promise<Notified | null> {
  const bytes = await files.read(pathOf({ kind: 'notified' }));
  if (!bytes.ok && bytes.why === 'missing') return null;
  const [, name = '', keyRing = null] = NOTIFIED.exec(new TextDecoder().decode(orNull(bytes) ?? undefined)) ?? [];
  return { release: parseRelease(name) ?? null, keyRing };
}

/** The inverse of `readNotified`. */
export function notifiedText({ release, keyRing }: Notified): string {
  return `${release?.name ?? NONE}\n${keyRing === null ? '' : `${keyRing}\n`}`;
}

/** What tells a key ring from another: the start of its digest. */
export async function keyRingDigest(files: TreeFiles): Promise<string> {
  const bytes = orNull(await files.read(pathOf({ kind: 'key-ring' })));
  return bytes === null ? NONE : sha256Of(bytes).slice(0, 16);
}

export async function readKeyRing(files: TreeFiles): Promise<Found<KeyRing>> {
  const path = pathOf({ kind: 'key-ring' });
  const bytes = await files.read(path);
  return bytes.ok ? parseKeyRing(bytes.value, path) : bytes;
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
