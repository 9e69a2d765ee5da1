// Checks the options of a worker's deployment, and derives where its tree and key ring are and which secrets it needs. Refuses what the host
// cannot do.

import type { SiblingEncoding } from '../../rule/encoding.ts';
import { CREDENTIAL_NAMES } from '../../remote-tree/bucket-credentials.ts';
import { type Deployment, secretNames } from '../deployment.ts';
import { type OriginOptions, parseOrigin, type WorkerOrigin } from '../origin.ts';

type OriginKind = WorkerOrigin['kind'];

/** The hosts of workers, and the kinds of origin that each supports. `worker` is workerd, or any other runtime with a fetch handler. */
const HOST_ORIGINS = {
  worker: ['url', 'binding', 's3'],
  cloudflare: ['url', 'binding', 's3', 'r2'],
  deno: ['url', 'binding', 's3'],
  bun: ['url', 'binding', 's3'],
  netlify: ['url', 's3'],
  vercel: ['url', 's3'],
} as const satisfies Record<string, readonly OriginKind[]>;

export type WorkerTarget = keyof typeof HOST_ORIGINS;

/** Whether a target of `edge build` is a worker. */
export const isWorkerTarget = (target: string): target is WorkerTarget => Object.hasOwn(HOST_ORIGINS, target);

export const WORKER_TARGETS: readonly WorkerTarget[] = Object.keys(HOST_ORIGINS).filter(isWorkerTarget);

const ORIGIN_NAMES: Readonly<Record<OriginKind, string>> = {
  url: 'a URL',
  binding: 'the name of a binding',
  s3: 's3://BUCKET/PREFIX',
  r2: 'r2://BUCKET/PREFIX',
};

export interface WorkerDeployment extends Deployment, OriginOptions {
  readonly target: WorkerTarget;
  /** Absolute path of the tree's `public` folder, for a host that reads it from disk. */
  readonly publicRoot: string;
  readonly encodings: readonly SiblingEncoding[];
  /** How long a worker keeps a pointer: 0 to 10 s. */
  readonly pointerSeconds: number;
  /** Where the worker reads the key ring: a URL or the name of a binding. null: in the tree, next to the public folder. */
  readonly keyRingAt: string | null;
}

/** A checked deployment. */
export interface Worker extends WorkerDeployment {
  readonly tree: WorkerOrigin;
  /** The names of the secrets for hmac keys, and for reading the tree. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
  readonly ringSource: KeyRingSource;
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

/** The targets that read a bound folder from disk. Cloudflare reads the key ring from a KV namespace: assets change only with a deployment. */
const readsFolders = (target: WorkerTarget): boolean => target !== 'cloudflare';

/** Throws Error for a location where the key ring cannot be read, or where clients could read it. */
function ringSourceOf({ target, keyRingAt, publicRoot }: WorkerDeployment, tree: WorkerOrigin): KeyRingSource {
  if (tree.kind === 's3' || tree.kind === 'r2') {
    if (keyRingAt === null) return { kind: 'bucket', location: 'edge/keyring.json' };
    throw new Error(`--key-ring: expected none with a bucket, which contains the key ring, found "${keyRingAt}"`);
  }
  const location = keyRingAt ?? (tree.kind === 'url' ? urlBeside(tree.origin) : KEY_RING_BINDING);
  const isName = /^[A-Za-z_]\w*$/.test(location);
  if (isName && !hasOrigin(target, 'binding'))
    throw new Error(`--key-ring: expected a URL with --target ${target}, found "${location}"`);
  if (isName && location !== tree.origin) {
    if (readsFolders(target) && !publicRoot.endsWith('/public'))
      throw new Error(`expected --key-ring URL, since --public-root ${NO_TREE}: "${publicRoot}"`);
    return { kind: 'binding', location };
  }
  if (!/^https?:\/\/[^\s"\\?#@/]+\/[^\s"\\?#]+$/.test(location) || !URL.canParse(location))
    throw new Error(`--key-ring: expected a URL, or the name of a binding other than --origin, found "${location}"`);
  if (tree.kind === 'url' && fileAt(location).startsWith(`${fileAt(tree.origin)}/`))
    throw new Error(`--key-ring: expected a URL outside the public folder ${tree.origin}, found "${location}"`);
  return { kind: 'url', location };
}

/** What a server makes of a URL: neither the case of its host nor a default port, dots or escapes lead to another file. */
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

const hasOrigin = (target: WorkerTarget, kind: OriginKind): boolean =>
  HOST_ORIGINS[target].some((known) => known === kind);

/** Throws Error for options that are invalid or that the host does not support. */
export function workerOf(deployment: WorkerDeployment): Worker {
  const { target, keyRing, pointerSeconds, origin, encodings } = deployment;
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  if (target === 'vercel' && encodings.length > 0)
    throw new Error(
      `--encodings: expected none with --target vercel, which compresses responses itself and drops Content-Encoding from a function's response, found "${encodings.join(' ')}"`,
    );
  const tree = parseOrigin(deployment);
  if (!hasOrigin(target, tree.kind)) {
    const kinds = HOST_ORIGINS[target].map((kind) => ORIGIN_NAMES[kind]).join(' or ');
    const elsewhere = tree.kind === 'r2' ? ' (for R2: --target cloudflare)' : '';
    throw new Error(`--origin: expected ${kinds} with --target ${target}${elsewhere}, found "${origin}"`);
  }
  const treeSecrets = tree.kind === 's3' ? CREDENTIAL_NAMES : [];
  const ringSource = ringSourceOf(deployment, tree);
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
