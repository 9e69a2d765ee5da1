// Builds and parses the path of every file in the output tree (snapshot.md, "The output tree"), for
// whatever writes or reads one. Paths are relative to the tree's root, with forward slashes.

import { isFrontCode } from '../contract/front-code.ts';
import { parseRelease, type Release } from '../contract/release-name.ts';

/** The two read operations of the API, as file names call them. */
export const ENDPOINTS = ['products', 'categories'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** The long lists of a manifest, each a file of its own. */
export type ManifestPart = 'fronts' | 'files';

/** A file of the tree: its kind, and what tells it from others of that kind. */
export type TreeFile =
  /** Which edition of a front is in force, and when. */
  | { readonly kind: 'pointer'; readonly front: string }
  /** A document, as it is between two changes. */
  | {
      readonly kind: 'edition';
      readonly front: string;
      readonly endpoint: Endpoint;
      readonly digest: string;
      readonly encoding: Encoding;
    }
  | { readonly kind: 'key-ring' }
  /** How a release was built, and the digests of its parts. */
  | { readonly kind: 'manifest'; readonly release: Release }
  | { readonly kind: 'part'; readonly part: ManifestPart; readonly digest: string }
  /** The name of the current release. */
  | { readonly kind: 'current' }
  /** What a rollback holds, and at which release. */
  | { readonly kind: 'hold' }
  /** Since when, after a rollback, no release may be pruned. */
  | { readonly kind: 'grace' }
  /** The last release of which `--on-publish` was notified with success. */
  | { readonly kind: 'notified' }
  /** The settings and the results of a sharded run. */
  | { readonly kind: 'run'; readonly run: string }
  | { readonly kind: 'shard'; readonly run: string; readonly shard: number };

/** The encoding of an edition's file: plain, or a precompressed sibling. */
export type Encoding = 'identity' | 'gzip' | 'br';

const SUFFIX_OF_ENCODING = { identity: '', gzip: '.gz', br: '.br' } as const;

/** What the edge serves from. It must not contain anything secret. */
export const PUBLIC_FOLDER = 'public';
export const FRONTS_FOLDER = `${PUBLIC_FOLDER}/fronts`;
export const RELEASES_FOLDER = 'releases';
export const EDGE_FOLDER = 'edge';
/** The results that shards leave for `finish`. Not part of a release. */
export const RUNS_FOLDER = 'runs';
/** The locks of the tree's single writer, and of the key ring alone. Not part of the tree. */
export const LOCK_FILE = '.lock';
export const KEY_RING_LOCK_FILE = '.lock-keyring';

/** Digests in file names, and ids of releases, are the first 16 hex digits of a SHA-256. */
export const DIGEST_LENGTH = 16;

export function pathOf(file: TreeFile): string {
  switch (file.kind) {
    case 'pointer':
      return `${folderOf(file.front)}/pointer.json`;
    case 'edition':
      return editionPath(file.front, file.endpoint, file.digest) + SUFFIX_OF_ENCODING[file.encoding];
    case 'key-ring':
      return `${EDGE_FOLDER}/keyring.json`;
    case 'manifest':
      return `${RELEASES_FOLDER}/${file.release.name}.json`;
    case 'part':
      return `${RELEASES_FOLDER}/${file.part}-${file.digest}.json`;
    case 'current':
      return `${RELEASES_FOLDER}/current`;
    case 'hold':
      return `${RELEASES_FOLDER}/hold`;
    case 'grace':
      return `${RELEASES_FOLDER}/grace`;
    case 'notified':
      return `${RELEASES_FOLDER}/notified`;
    case 'run':
      return `${RUNS_FOLDER}/${file.run}/run.json`;
    case 'shard':
      return `${RUNS_FOLDER}/${file.run}/shard-${file.shard}.json`;
  }
}

/** The folder of a front, which contains its pointer and its editions only. */
export function folderOf(front: string): string {
  return `${FRONTS_FOLDER}/${front}`;
}

export function editionPath(front: string, endpoint: Endpoint, digest: string): string {
  return `${folderOf(front)}/${endpoint}.${digest}.json`;
}

/** The part of a SHA-256, in hex, that names an edition or a release. */
export function digestOf(sha256: string): string {
  return sha256.slice(0, DIGEST_LENGTH);
}

const EDITION_PATTERN =
  /^public\/fronts\/(?<front>[^/]+)\/(?<endpoint>products|categories)\.(?<digest>[0-9a-f]{16})\.json(?<suffix>\.gz|\.br)?$/;
const POINTER_PATTERN = /^public\/fronts\/(?<front>[^/]+)\/pointer\.json$/;
const PART_PATTERN = /^releases\/(?<part>fronts|files)-(?<digest>[0-9a-f]{16})\.json$/;
const MANIFEST_PATTERN = /^releases\/(?<name>[^/]+)\.json$/;
const RUN_PATTERN = /^runs\/(?<run>[^/]+)\/(?:run|shard-(?<shard>0|[1-9]\d{0,3}))\.json$/;

/** The inverse of `pathOf`; undefined for any other path. */
export function treeFileOf(path: string): TreeFile | undefined {
  if (path === 'edge/keyring.json') return { kind: 'key-ring' };
  if (path === 'releases/current') return { kind: 'current' };
  if (path === 'releases/hold') return { kind: 'hold' };
  if (path === 'releases/grace') return { kind: 'grace' };
  if (path === 'releases/notified') return { kind: 'notified' };
  const { part, digest: partDigest } = PART_PATTERN.exec(path)?.groups ?? {};
  if (partDigest !== undefined && (part === 'fronts' || part === 'files'))
    return { kind: 'part', part, digest: partDigest };
  const release = parseRelease(MANIFEST_PATTERN.exec(path)?.groups?.['name'] ?? '');
  if (release !== undefined) return { kind: 'manifest', release };
  const { run, shard } = RUN_PATTERN.exec(path)?.groups ?? {};
  if (run !== undefined && isRunId(run))
    return shard === undefined ? { kind: 'run', run } : { kind: 'shard', run, shard: Number(shard) };
  const pointer = POINTER_PATTERN.exec(path)?.groups?.['front'];
  if (pointer !== undefined) return isFrontCode(pointer) ? { kind: 'pointer', front: pointer } : undefined;
  const { front, endpoint, digest, suffix } = EDITION_PATTERN.exec(path)?.groups ?? {};
  if (front === undefined || digest === undefined || !isFrontCode(front)) return undefined;
  if (endpoint !== 'products' && endpoint !== 'categories') return undefined;
  const encoding = suffix === '.gz' ? 'gzip' : suffix === '.br' ? 'br' : 'identity';
  return { kind: 'edition', front, endpoint, digest, encoding };
}

/**
 * Whether a text is a valid id of a sharded run. The job ids of common workflow engines are valid.
 */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text) && !text.includes('..');
}
