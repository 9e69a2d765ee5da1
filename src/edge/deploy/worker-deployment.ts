// Checks the options of a worker's deployment, and derives where its tree and key ring are and which secrets it needs. Refuses what the host
// cannot do.

import type { SiblingEncoding } from '../rule/encoding.ts';
import type { ProfileName } from '../rule/profile.ts';
import { CREDENTIAL_NAMES } from '../runtimes/bucket-credentials.ts';
import { type Deployment, secretNames } from './deployment.ts';
import { type OriginOptions, parseOrigin, type WorkerOrigin } from './origin.ts';

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
  /** The profiles in the bundle. Default: `rfc9421`. */
  readonly profiles?: readonly ProfileName[];
  /** Where the worker reads the key ring at run time: a URL or the name of a binding. Without it the key ring is in the bucket or the module. */
  readonly keyRingAt?: string | null;
}

/** A checked deployment. */
export interface Worker extends WorkerDeployment {
  readonly tree: WorkerOrigin;
  /** The names of the secrets for hmac keys, and for reading the tree. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
  readonly liveRing: LiveRing | null;
}

/** A key ring that is separate from the tree and the module. */
export interface LiveRing {
  readonly kind: 'url' | 'binding';
  readonly location: string;
}

/** The name of the optional secret that the worker sends to the key ring's URL. */
export const KEY_RING_TOKEN = 'PLAYBILL_KEY_RING_TOKEN';

/** Throws Error for a location where the key ring cannot be read, or where clients could read it. */
function liveRingOf(target: WorkerTarget, tree: WorkerOrigin, location: string | null): LiveRing | null {
  if (location === null) return null;
  if (tree.kind === 's3' || tree.kind === 'r2')
    throw new Error(`--key-ring: expected none with a bucket, which contains the key ring, found "${location}"`);
  const isName = /^[A-Za-z_]\w*$/.test(location);
  if (isName && !hasOrigin(target, 'binding'))
    throw new Error(`--key-ring: expected a URL with --target ${target}, found "${location}"`);
  if (isName && location !== tree.origin) return { kind: 'binding', location };
  if (!/^https?:\/\/[^\s"\\?#@/]+\/[^\s"\\?#]+$/.test(location))
    throw new Error(`--key-ring: expected a URL, or the name of a binding other than --origin, found "${location}"`);
  if (location.startsWith(`${tree.origin}/`))
    throw new Error(`--key-ring: expected a URL outside the public folder ${tree.origin}, found "${location}"`);
  return { kind: 'url', location };
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
  const liveRing = liveRingOf(target, tree, deployment.keyRingAt ?? null);
  return { ...deployment, tree, keySecrets: secretNames(keyRing), treeSecrets, liveRing };
}

/** A folder that the host offers to the worker as a binding. */
export interface BoundFolder {
  readonly binding: string;
  readonly path: string;
}

/** The folders that the worker reads: the tree's `public`, and `edge` with the key ring. */
export const boundFolders = ({ tree, publicRoot, liveRing }: Worker): readonly BoundFolder[] => [
  ...(tree.kind === 'binding' ? [{ binding: tree.origin, path: publicRoot }] : []),
  ...(liveRing?.kind === 'binding' ? [{ binding: liveRing.location, path: publicRoot.replace(/[^/]+$/, 'edge') }] : []),
];

/** The name of the secret for the key ring's URL, if it has one. */
export const tokenOf = ({ liveRing }: Worker): readonly string[] => (liveRing?.kind === 'url' ? [KEY_RING_TOKEN] : []);

/** Whether the worker reads the key ring at run time. */
export const isLive = ({ tree, liveRing }: Worker): boolean =>
  tree.kind === 's3' || tree.kind === 'r2' || liveRing !== null;

/** Whether the worker keeps editions in the host's cache, if the host has one. */
export const isCaching = (worker: Worker): boolean =>
  worker.tree.kind === 's3' || (worker.tree.kind === 'url' && isLive(worker));
