// The manifest of a release, with its two parts: written as three files, read as one. Every digest
// is checked, and a part that is missing or altered damages the manifest. Those of earlier versions
// are older-manifest.ts.

import { formatInstant, instantOfText } from '../../catalogue/instant.ts';
import * as z from 'zod';
import {
  MANIFEST_SCHEMA,
  manifestFilesSchema,
  manifestFrontsSchema,
  manifestSchema,
  type Manifest,
  type ManifestHead,
} from '../../contract/manifest.ts';
import { releaseOf, type DatedRelease, type Release } from '../../contract/release-name.ts';
import { digestOf, pathOf, type ManifestPart } from '../../render/paths.ts';
import { checkerOf, parserOf } from './codec.ts';
import { alteredFrom, sha256Of } from './digest.ts';
import type { TreeFiles } from './files.ts';
import { damaged, found, missing, type Failure, type Found } from './found.ts';
import { olderManifest } from './older-manifest.ts';

/** The three files of a manifest, as text. */
export interface ManifestText {
  readonly release: DatedRelease;
  /** The manifest itself: JSON on one line. */
  readonly text: string;
  /** JSON with one line per element, so that people can diff two releases. */
  readonly parts: readonly { readonly path: string; readonly text: string }[];
}

export function manifestText({ fronts, files, ...head }: Manifest): ManifestText {
  const parts = [partText('fronts', fronts), partText('files', files)] as const;
  const [{ digest: frontsDigest }, { digest: filesDigest }] = parts;
  const text = `${JSON.stringify({ ...head, fronts: frontsDigest, files: filesDigest })}\n`;
  return { release: releaseOf(instantOfText(head.now), digestOfText(text)), text, parts };
}

function partText(part: ManifestPart, elements: readonly unknown[]) {
  const lines = elements.map((element) => JSON.stringify(element));
  const text = lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
  const digest = digestOfText(text);
  return { digest, path: pathOf({ kind: 'part', part, digest }), text };
}

function digestOfText(text: string): string {
  return digestOf(sha256Of(new TextEncoder().encode(text)));
}

/** The paths of a manifest's parts. */
export function partPathsOf({ fronts, files }: ManifestHead): readonly string[] {
  return [
    pathOf({ kind: 'part', part: 'fronts', digest: fronts }),
    pathOf({ kind: 'part', part: 'files', digest: files }),
  ];
}

export type Parser<T> = (bytes: Uint8Array, path: string) => Found<T>;

const parseHead = parserOf(manifestSchema, MANIFEST_SCHEMA);
const parseFronts = checkerOf(manifestFrontsSchema, MANIFEST_SCHEMA);
const parseFiles = checkerOf(manifestFilesSchema, MANIFEST_SCHEMA);
/** Parses the paths only, which takes half the time. */
const parsePaths = parserOf(z.array(z.object({ path: z.string() })), MANIFEST_SCHEMA);

/** Reads parts. Remembers the last part of each kind: where little changes, releases share them. */
export class PartReader {
  readonly files: TreeFiles;
  readonly #last = new Map<ManifestPart, { readonly digest: string; readonly read: Promise<Found<unknown>> }>();

  constructor(files: TreeFiles) {
    this.files = files;
  }

  /** `parse` must be the same for all parts of a kind. */
  read<T>(part: ManifestPart, release: Release, head: ManifestHead, parse: Parser<T>): Promise<Found<T>> {
    const digest = head[part];
    const last = this.#last.get(part);
    const read = last?.digest === digest ? last.read : readPart(part, digest, parse, this.files);
    this.#last.set(part, { digest, read });
    return ofRelease(release, read as Promise<Found<T>>);
  }
}

/** @throws AppError tree-newer-schema */
export async function readManifest(release: Release, files: TreeFiles): Promise<Found<Manifest>> {
  const read = await readThreeFiles(release, files);
  return read.ok ? found(read.value.manifest) : read;
}

/** The same, with the paths of the parts. @throws AppError tree-newer-schema */
export async function readThreeFiles(
  release: Release,
  files: TreeFiles,
  parts = new PartReader(files),
): Promise<Found<{ readonly manifest: Manifest; readonly parts: readonly string[] }>> {
  const head = await readManifestHead(release, files);
  if (!head.ok) return head;
  const [fronts, listed] = await Promise.all([
    parts.read('fronts', release, head.value, parseFronts),
    parts.read('files', release, head.value, parseFiles),
  ]);
  if (!fronts.ok) return fronts;
  if (!listed.ok) return listed;
  const manifest = { ...head.value, fronts: fronts.value, files: listed.value };
  return found({ manifest, parts: partPathsOf(head.value) });
}

/** The paths of a release's files, of which the head is read. @throws AppError tree-newer-schema */
export async function readReleasePaths(
  release: Release,
  head: ManifestHead,
  files: TreeFiles,
): Promise<Found<readonly string[]>> {
  const read = await ofRelease(release, readPart('files', head.files, parsePaths, files));
  return read.ok ? found(read.value.map(({ path }) => path)) : read;
}

/** Reads a manifest without its parts. @throws AppError tree-newer-schema */
export async function readManifestHead(release: Release, files: TreeFiles): Promise<Found<ManifestHead>> {
  const path = pathOf({ kind: 'manifest', release });
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes.why === 'missing' ? missing(path, 'a manifest') : bytes;
  if (release.now === null) return olderManifest(path);
  // Parse first: even an altered manifest of a newer tool must throw tree-newer-schema.
  const head = parseHead(bytes.value, path);
  const altered = alteredFrom(release.id, bytes.value, path);
  if (altered !== null || !head.ok) return altered ?? head;
  const now = formatInstant(release.now);
  return head.value.now === now ? head : damaged(path, `now: expected ${now}, as in its name, found ${head.value.now}`);
}

async function readPart<T>(part: ManifestPart, digest: string, parse: Parser<T>, files: TreeFiles): Promise<Found<T>> {
  const path = pathOf({ kind: 'part', part, digest });
  const bytes = await files.read(path);
  return bytes.ok ? (alteredFrom(digest, bytes.value, path) ?? parse(bytes.value, path)) : bytes;
}

/** A part that cannot be used damages the manifest, unless the system refuses to read it. */
async function ofRelease<T>(release: Release, read: Promise<Found<T>>): Promise<Found<T>> {
  const part = await read;
  return part.ok || part.why === 'unreadable' ? part : damagedByPart(release, part.location, part.message);
}

/** The failure of a manifest for what is wrong with one of its parts, at the part's path. */
export function damagedByPart(release: Release, part: string, message: string): Failure {
  return damaged(part, `${message}; ${pathOf({ kind: 'manifest', release })} names it`);
}
