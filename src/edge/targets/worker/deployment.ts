// What a host of workers is; checks the options of a worker's deployment, and derives where its
// tree and key ring are and which secrets it needs. Refuses what the host cannot do.

import { CREDENTIAL_NAMES } from '../../remote-tree/bucket-credentials.ts';
import { secretNames } from '../deployment.ts';
import { parseOrigin, type TreeOrigin } from '../origin.ts';
import type { Deployment, DeploymentFiles, Target, TargetOptions } from '../target.ts';

const ORIGIN_NAMES: Readonly<Record<TreeOrigin['kind'], string>> = {
  url: 'a URL',
  binding: 'the name of a binding',
  s3: 's3://BUCKET/PREFIX',
  r2: 'r2://BUCKET/PREFIX',
};

export const WORKER_OPTIONS = [
  'publicRoot',
  'keyRingAt',
  'origin',
  'originEndpoint',
  'originRegion',
  'encodings',
  'pointerSeconds',
] as const;

export type WorkerDeployment = Deployment & Pick<TargetOptions, (typeof WORKER_OPTIONS)[number]>;

/** A checked deployment. */
export interface Worker extends WorkerDeployment {
  readonly tree: TreeOrigin;
  /** The names of the secrets for hmac keys, and for reading the tree. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
  readonly ringSource: KeyRingSource;
}

/** A host of workers. Its folder has the texts run.md and secrets.md for the README. */
export interface Host extends Pick<Target, 'name' | 'summary' | 'testedOn' | 'reads' | 'codeBytesMax'> {
  /** The end of the README's title. */
  readonly title: string;
  /** Whether it has a cache: then cache.md says how it keeps editions. */
  readonly hasCache: boolean;
  /**
   * Whether what is bound is a folder on its disk. Otherwise bound-ring.md and bound-tree.md say
   * what to do after a change of keys and after a build.
   */
  readonly bindsFolders: boolean;
  /** Whether it compresses responses itself, and drops the Content-Encoding of a worker. */
  readonly compresses: boolean;
  /**
   * The files that it needs beside worker.js: its configuration, or a module that calls the worker
   * with the environment.
   */
  readonly files: (worker: Worker) => DeploymentFiles;
}

/** Where the worker rereads the key ring while it runs. */
export interface KeyRingSource {
  /** `bucket`: with the tree. */
  readonly kind: 'url' | 'binding' | 'bucket';
  readonly location: string;
}

/** The name of the optional secret that the worker sends to the key ring's URL. */
export const KEY_RING_TOKEN = 'PLAYBILL_KEY_RING_TOKEN';

/** The binding of the key ring, if the tree is bound as well. */
const KEY_RING_BINDING = 'KEYRING';

/**
 * Throws Error for a location where the key ring cannot be read, or where clients could read it.
 */
function ringSourceOf(host: Host, { keyRingAt, publicRoot }: WorkerDeployment, tree: TreeOrigin): KeyRingSource {
  if (tree.kind === 's3' || tree.kind === 'r2') {
    if (keyRingAt === null) return { kind: 'bucket', location: 'edge/keyring.json' };
    throw new Error(`--key-ring: expected none with a bucket, which contains the key ring, found "${keyRingAt}"`);
  }
  const location = keyRingAt ?? (tree.kind === 'url' ? urlBeside(tree.origin) : KEY_RING_BINDING);
  const isName = /^[A-Za-z_]\w*$/.test(location);
  if (isName && host.reads.binding === undefined)
    throw new Error(`--key-ring: expected a URL with --target ${host.name}, found "${location}"`);
  if (isName && location !== tree.origin) {
    if (host.bindsFolders && !publicRoot.endsWith('/public'))
      throw new Error(`expected --key-ring URL, since --public-root ${NO_TREE}: "${publicRoot}"`);
    return { kind: 'binding', location };
  }
  if (!/^https?:\/\/[^\s"\\?#@/]+\/[^\s"\\?#]+$/.test(location) || !URL.canParse(location))
    throw new Error(`--key-ring: expected a URL, or the name of a binding other than --origin, found "${location}"`);
  if (tree.kind === 'url' && fileAt(location).startsWith(`${fileAt(tree.origin)}/`))
    throw new Error(`--key-ring: expected a URL outside the public folder ${tree.origin}, found "${location}"`);
  return { kind: 'url', location };
}

/**
 * What a server makes of a URL: neither the case of its host nor a default port, dots or escapes
 * lead to another file.
 */
function fileAt(url: string): string {
  const { host, pathname } = new URL(url);
  const path = pathname.replaceAll(/%[\da-f]{2}/gi, (escape) => String.fromCharCode(parseInt(escape.slice(1), 16)));
  return host + path.replace(/\/$/, '');
}

const NO_TREE = 'is not the folder "public" of a tree';

/** The key ring's URL in a tree whose public folder has this URL. */
function urlBeside(origin: string): string {
  const tree = /^(.*)\/public$/.exec(origin)?.[1];
  if (tree === undefined) throw new Error(`expected --key-ring URL, since --origin ${NO_TREE}: "${origin}"`);
  return `${tree}/edge/keyring.json`;
}

/** Throws Error for options that are invalid or that the host does not support. */
export function workerOf(host: Host, deployment: WorkerDeployment): Worker {
  const { keyRing, pointerSeconds, origin, encodings } = deployment;
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  if (host.compresses && encodings.length > 0)
    throw new Error(
      `--encodings: expected none with --target ${host.name}, which compresses responses itself and drops Content-Encoding from a function's response, found "${encodings.join(' ')}"`,
    );
  const tree = parseOrigin(deployment);
  if (host.reads[tree.kind] === undefined) {
    const names = Object.entries(ORIGIN_NAMES).filter(([kind]) => Object.hasOwn(host.reads, kind));
    const kinds = names.map(([, name]) => name).join(' or ');
    const elsewhere = tree.kind === 'r2' ? ' (for R2: --target cloudflare)' : '';
    throw new Error(`--origin: expected ${kinds} with --target ${host.name}${elsewhere}, found "${origin}"`);
  }
  const treeSecrets = tree.kind === 's3' ? CREDENTIAL_NAMES : [];
  const ringSource = ringSourceOf(host, deployment, tree);
  return { ...deployment, tree, keySecrets: secretNames(keyRing), treeSecrets, ringSource };
}

/** A folder that the host offers to the worker as a binding. */
export interface BoundFolder {
  readonly binding: string;
  readonly path: string;
}

/** The folders that the worker reads: the tree's `public`, and `edge` with the key ring. */
export const boundFolders = ({ tree, publicRoot, ringSource }: Worker): readonly BoundFolder[] => [
  ...(tree.kind === 'binding' ? [{ binding: tree.origin, path: publicRoot }] : []),
  ...(ringSource.kind === 'binding'
    ? [{ binding: ringSource.location, path: publicRoot.replace(/public$/, 'edge') }]
    : []),
];

/** The name of the secret for the key ring's URL, if it has one. */
export const tokenOf = ({ ringSource }: Worker): readonly string[] =>
  ringSource.kind === 'url' ? [KEY_RING_TOKEN] : [];

/** Whether the worker keeps editions in the host's cache, if the host has one. */
export const isCaching = ({ tree }: Worker): boolean => tree.kind === 's3' || tree.kind === 'url';
