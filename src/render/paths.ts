// Builds and parses every path in the output tree (snapshot.md, "The output tree"), for all writers, readers and the edge.
// Paths are relative to the tree's root, with forward slashes.

/** The two read operations of the API, as file names call them. */
export const ENDPOINTS = ['products', 'categories'] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** A file of the tree: its kind, and what distinguishes it from others of that kind. */
export type TreeFile =
  | { readonly kind: 'pointer'; readonly front: string }
  | {
      readonly kind: 'edition';
      readonly front: string;
      readonly endpoint: Endpoint;
      readonly digest: string;
      readonly encoding: Encoding;
    }
  | { readonly kind: 'key-ring' }
  | { readonly kind: 'manifest'; readonly id: string }
  | { readonly kind: 'current' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'grace' }
  | { readonly kind: 'run'; readonly run: string }
  | { readonly kind: 'shard'; readonly run: string; readonly shard: number };

/** The encoding of an edition's file: plain, or a precompressed sibling. */
export type Encoding = 'identity' | 'gzip' | 'br';

const SUFFIX_OF_ENCODING = { identity: '', gzip: '.gz', br: '.br' } as const;

/** The origin behind the edge. Nothing secret may be below it. */
export const PUBLIC_FOLDER = 'public';
export const FRONTS_FOLDER = `${PUBLIC_FOLDER}/fronts`;
export const RELEASES_FOLDER = 'releases';
export const EDGE_FOLDER = 'edge';
/** What shards leave for `finish`; no part of a release. */
export const RUNS_FOLDER = 'runs';
/** The lock of the tree's single writer; not part of the tree. */
export const LOCK_FILE = '.lock';
export const KEY_RING_LOCK_FILE = '.lock-keyring';

/** Digests and release ids are the first 16 hex digits of a SHA-256. */
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
      return `${RELEASES_FOLDER}/${file.id}.json`;
    case 'current':
      return `${RELEASES_FOLDER}/current`;
    case 'hold':
      return `${RELEASES_FOLDER}/hold`;
    case 'grace':
      return `${RELEASES_FOLDER}/grace`;
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

const FRONT = '(?<front>[a-z0-9][a-z0-9._-]{0,62})';
const EDITION_PATTERN = new RegExp(
  `^public/fronts/${FRONT}/(?<endpoint>products|categories)\\.(?<digest>[0-9a-f]{16})\\.json(?<suffix>\\.gz|\\.br)?$`,
);
const POINTER_PATTERN = new RegExp(`^public/fronts/${FRONT}/pointer\\.json$`);
const MANIFEST_PATTERN = /^releases\/(?<id>[0-9a-f]{16})\.json$/;
const RUN_PATTERN = /^runs\/(?<run>[^/]+)\/(?:run|shard-(?<shard>0|[1-9]\d{0,3}))\.json$/;

/** Parses a path; undefined if it is not a path of the tree. The inverse of pathOf. */
export function treeFileOf(path: string): TreeFile | undefined {
  if (path === 'edge/keyring.json') return { kind: 'key-ring' };
  if (path === 'releases/current') return { kind: 'current' };
  if (path === 'releases/hold') return { kind: 'hold' };
  if (path === 'releases/grace') return { kind: 'grace' };
  const manifest = MANIFEST_PATTERN.exec(path)?.groups?.['id'];
  if (manifest !== undefined) return { kind: 'manifest', id: manifest };
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

/** Whether a text is a valid front code, the value of `X-Front` (catalogue.md, `fronts`; edge.md, Decisions). */
export function isFrontCode(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,62}$/.test(text) && !text.includes('..');
}

/** Whether a text is a valid id of a sharded run. Allows the job names of common workflow engines. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text) && !text.includes('..');
}
