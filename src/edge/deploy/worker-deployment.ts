// The options of a worker's deployment, understood: where its tree and its key ring are, and which secrets it needs. Refuses what its
// host cannot do.

import type { SiblingEncoding } from '../rule/encoding.ts';
import type { ProfileName } from '../rule/profile.ts';
import { CREDENTIAL_NAMES } from '../runtimes/bucket-credentials.ts';
import { type Deployment, secretNames } from './deployment.ts';
import { type OriginOptions, parseOrigin, type WorkerOrigin } from './origin.ts';

type OriginKind = WorkerOrigin['kind'];

/** Where a worker can run, and where it can find the tree there. `worker`: workerd itself, and any other runtime with a fetch handler. */
const HOST_ORIGINS = {
  worker: ['url', 'binding', 's3'],
  cloudflare: ['url', 'binding', 's3', 'r2'],
  deno: ['url', 'binding', 's3'],
  bun: ['url', 'binding', 's3'],
  netlify: ['url', 's3'],
  vercel: ['url', 's3'],
} as const satisfies Record<string, readonly OriginKind[]>;

export type WorkerTarget = keyof typeof HOST_ORIGINS;
export const WORKER_TARGETS = [
  'worker',
  'cloudflare',
  'deno',
  'bun',
  'netlify',
  'vercel',
] as const satisfies readonly WorkerTarget[];

/** Whether a target of `edge build` is a worker, on whichever host. */
export const isWorkerTarget = (target: string): target is WorkerTarget => Object.hasOwn(HOST_ORIGINS, target);

const ORIGIN_NAMES: Readonly<Record<OriginKind, string>> = {
  url: 'a URL',
  binding: 'the name of a binding',
  s3: 's3://BUCKET/PREFIX',
  r2: 'r2://BUCKET/PREFIX',
};

export interface WorkerDeployment extends Deployment, OriginOptions {
  readonly target: WorkerTarget;
  /** Absolute path of the tree's `public` folder on this machine, for hosts that read it. */
  readonly publicRoot: string;
  readonly encodings: readonly SiblingEncoding[];
  /** How long a worker keeps a pointer, 0 to 10 s. */
  readonly pointerSeconds: number;
  /** Those in the bundle, where it has others than `rfc9421`. */
  readonly profiles?: readonly ProfileName[];
  /** Where it reads the key ring while it runs: a URL, or the name of a binding; null or left out: with the tree, or in the module. */
  readonly keyRingAt?: string | null;
}

/** A deployment, understood. */
export interface Worker extends WorkerDeployment {
  readonly tree: WorkerOrigin;
  /** Names of secrets: those of the key ring, and those by which the tree is read. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
  readonly liveRing: LiveRing | null;
}

/** A key ring of its own place. */
export interface LiveRing {
  readonly kind: 'url' | 'binding';
  readonly location: string;
}

/** The name of the secret by which a URL lets the worker in, where it needs one. */
export const KEY_RING_TOKEN = 'PLAYBILL_KEY_RING_TOKEN';

/** Throws Error for a place where a key ring cannot be, or must not. */
function liveRingOf(target: WorkerTarget, tree: WorkerOrigin, location: string | null): LiveRing | null {
  if (location === null) return null;
  if (tree.kind === 's3' || tree.kind === 'r2')
    throw new Error(`--key-ring: expected none with a bucket, which has it beside the tree, found "${location}"`);
  const isName = /^[A-Za-z_]\w*$/.test(location);
  if (isName && !hasOrigin(target, 'binding'))
    throw new Error(`--key-ring: expected a URL with --target ${target}, found "${location}"`);
  if (isName && location !== tree.origin) return { kind: 'binding', location };
  if (!/^https?:\/\/[^\s"\\?#@/]+\/[^\s"\\?#]+$/.test(location))
    throw new Error(`--key-ring: expected a URL, or the name of another binding than --origin, found "${location}"`);
  if (location.startsWith(`${tree.origin}/`))
    throw new Error(`--key-ring: expected a URL outside of the public folder ${tree.origin}, found "${location}"`);
  return { kind: 'url', location };
}

const hasOrigin = (target: WorkerTarget, kind: OriginKind): boolean =>
  HOST_ORIGINS[target].some((known) => known === kind);

/** Throws Error for options that cannot work, on this host or on any. */
export function workerOf(deployment: WorkerDeployment): Worker {
  const { target, keyRing, pointerSeconds, origin, encodings } = deployment;
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  if (target === 'vercel' && encodings.length > 0)
    throw new Error(
      `--encodings: expected none with --target vercel, which compresses by itself and drops the Content-Encoding of what a function answers, found "${encodings.join(' ')}"`,
    );
  const tree = parseOrigin(deployment);
  if (!hasOrigin(target, tree.kind)) {
    const kinds = HOST_ORIGINS[target].map((kind) => ORIGIN_NAMES[kind]).join(' or ');
    const elsewhere = tree.kind === 'r2' ? ' (R2 is Cloudflare’s: --target cloudflare)' : '';
    throw new Error(`--origin: expected ${kinds} with --target ${target}${elsewhere}, found "${origin}"`);
  }
  const treeSecrets = tree.kind === 's3' ? CREDENTIAL_NAMES : [];
  const liveRing = liveRingOf(target, tree, deployment.keyRingAt ?? null);
  return { ...deployment, tree, keySecrets: secretNames(keyRing), treeSecrets, liveRing };
}

/** A folder, and the name of the binding that is made of it. */
export interface BoundFolder {
  readonly binding: string;
  readonly path: string;
}

/** What is read from folders where a host has them: the tree, and the key ring beside it. */
export const boundFolders = ({ tree, publicRoot, liveRing }: Worker): readonly BoundFolder[] => [
  ...(tree.kind === 'binding' ? [{ binding: tree.origin, path: publicRoot }] : []),
  ...(liveRing?.kind === 'binding' ? [{ binding: liveRing.location, path: publicRoot.replace(/[^/]+$/, 'edge') }] : []),
];

/** The secret that a URL may want. */
export const tokenOf = ({ liveRing }: Worker): readonly string[] => (liveRing?.kind === 'url' ? [KEY_RING_TOKEN] : []);

/** Whether the worker reads the key ring itself. */
export const isLive = ({ tree, liveRing }: Worker): boolean =>
  tree.kind === 's3' || tree.kind === 'r2' || liveRing !== null;

/** Whether it keeps editions in the cache of a host that has one. */
export const isCaching = (worker: Worker): boolean =>
  worker.tree.kind === 's3' || (worker.tree.kind === 'url' && isLive(worker));
