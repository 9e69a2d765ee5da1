// The releases that a tree keeps. Nothing in a manifest is believed before its bytes have the digest that is its name.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { digestOf, pathOf, RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { parseCurrent, parseManifest, parseManifestFiles, parseManifestHead } from '../tree/codec.ts';

/** A release and the instant that it was built for. */
export interface DatedRelease {
  readonly id: string;
  readonly now: Instant;
}

/** Ids of all manifests in a tree, sorted. @throws AppError tree-unreadable */
export async function releaseIds(store: ReleaseStore): Promise<string[]> {
  const paths = await store.list(RELEASES_FOLDER);
  return paths.flatMap((path) => {
    const file = treeFileOf(path);
    return file?.kind === 'manifest' ? [file.id] : [];
  });
}

/** The id in `releases/current`; null where it names none. @throws AppError tree-unreadable */
export async function currentReleaseId(store: ReleaseStore): Promise<string | null> {
  const bytes = await store.read(pathOf({ kind: 'current' }));
  return bytes === undefined ? null : parseCurrent(bytes).value;
}

/** When a release was built for, without parsing its fronts and files. @throws AppError release-damaged, tree-newer-schema */
export async function readReleaseDate(id: string, store: ReleaseStore): Promise<DatedRelease> {
  const path = pathOf({ kind: 'manifest', id });
  const { value, problem } = parseManifestHead(await manifestBytes(id, store), path);
  if (problem !== null) throw damaged(path, problem);
  const now = parseInstant(value.now);
  if (now === undefined) throw damaged(path, `now: expected a date of the calendar, found ${value.now}`);
  return { id, now };
}

/** The manifest of a release. @throws AppError release-damaged (also where it is missing), tree-newer-schema */
export async function readRelease(id: string, store: ReleaseStore): Promise<Manifest> {
  const path = pathOf({ kind: 'manifest', id });
  const { value, problem } = parseManifest(await manifestBytes(id, store), path);
  if (problem !== null) throw damaged(path, problem);
  return value;
}

/** The files that a release names; half the work of reading all of its manifest. @throws as readRelease */
export async function readReleaseFiles(id: string, store: ReleaseStore): Promise<readonly { readonly path: string }[]> {
  const path = pathOf({ kind: 'manifest', id });
  const { value, problem } = parseManifestFiles(await manifestBytes(id, store), path);
  if (problem !== null) throw damaged(path, problem);
  return value.files;
}

async function manifestBytes(id: string, store: ReleaseStore): Promise<Uint8Array> {
  const path = pathOf({ kind: 'manifest', id });
  const bytes = await store.read(path);
  if (bytes === undefined) throw damaged(path, 'expected a manifest, found none');
  const sha256 = sha256Of(bytes);
  if (digestOf(sha256) !== id) throw damaged(path, `expected a SHA-256 that begins with ${id}, found ${sha256}`);
  return bytes;
}

function damaged(path: string, problem: string): AppError {
  const hint = 'for everything that is damaged: playbill verify; a damaged manifest is for you to remove';
  return new AppError('release-damaged', `${path}: ${problem}`, hint);
}
