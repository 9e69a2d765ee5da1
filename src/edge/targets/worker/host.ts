// Makes a target of a host of workers: all hosts run the rule as a fetch handler, in one ES module
// that begins with its configuration. A host adds the files that it needs, and what the README says
// of it.

import { commonValues, configured, inOrder } from '../deployment.ts';
import type { OriginKind, TreeOrigin } from '../origin.ts';
import { rendered, renderedPart, type Values } from '../../template.ts';
import { CREDENTIAL_NAMES } from '../../remote-tree/bucket-credentials.ts';
import { type Bundle, noKeys, targetOf } from '../target.ts';
import {
  boundFolders,
  type Host,
  isCaching,
  KEY_RING_TOKEN,
  WORKER_OPTIONS,
  type Worker,
  workerOf,
} from './deployment.ts';
import type { WorkerConfiguration } from './fetch-handler.ts';
import type { R2Configuration } from './runtime-r2.ts';
import type { S3Configuration } from './runtime-s3.ts';
import type { FetchedConfiguration } from './runtime.ts';

/** One for each kind of origin, whatever the host. */
const BY_FETCH: Bundle = { name: 'worker', entry: 'worker/runtime.ts', form: 'fetch' };
export const BUNDLES = {
  url: BY_FETCH,
  binding: BY_FETCH,
  s3: { name: 'worker-s3', entry: 'worker/runtime-s3.ts', form: 'fetch' },
  r2: { name: 'worker-r2', entry: 'worker/runtime-r2.ts', form: 'fetch' },
} as const satisfies Partial<Record<OriginKind, Bundle>>;

/** The target for a host. */
export const workerTarget = (host: Host) =>
  targetOf({
    name: host.name,
    summary: host.summary,
    testedOn: host.testedOn,
    reads: host.reads,
    options: WORKER_OPTIONS,
    codeBytesMax: host.codeBytesMax,
    refusedKeys: noKeys,
    files: (deployment) => {
      const worker = workerOf(host, deployment);
      return inOrder([
        ['README.md', rendered('worker/README.md', readmeValues(host, worker))],
        ['worker.js', configured(configurationOf(worker), deployment.bundle)],
        ...host.files(worker),
      ]);
    },
  });

function configurationOf(worker: Worker): FetchedConfiguration | S3Configuration | R2Configuration {
  const { settings, profiles, tree, encodings, pointerSeconds, ringSource } = worker;
  const common: WorkerConfiguration = { ...settings, profiles, encodings, pointerSeconds };
  switch (tree.kind) {
    case 'url':
    case 'binding':
      return { ...common, origin: tree.origin, keyRing: ringSource.location, keyRingToken: KEY_RING_TOKEN };
    case 's3':
      return { ...common, origin: tree.origin, region: tree.region };
    case 'r2':
      return { ...common, origin: tree.origin, folder: tree.folder };
  }
}

function readmeValues(host: Host, worker: Worker): Values {
  const { settings, tree, pointerSeconds, ringSource, keySecrets, treeSecrets } = worker;
  const caches = isCaching(worker) && host.hasCache;
  const bound = host.bindsFolders ? 'worker' : host.name;
  // The third, a token, is needed with temporary credentials alone.
  const secrets = [...keySecrets, ...treeSecrets.slice(0, 2)];
  return {
    ...commonValues(settings, secrets),
    ...treeValues(tree),
    title: host.title,
    target: host.name,
    caches,
    cache: caches ? renderedPart(`${host.name}/cache.md`) : '',
    run: renderedPart(`${host.name}/run.md`, { folders: boundFolders(worker).length > 0 }),
    setSecrets: renderedPart(`${host.name}/secrets.md`),
    keySecrets: keySecrets.length > 0,
    sessionToken: CREDENTIAL_NAMES[2],
    ringInBucket: ringSource.kind === 'bucket',
    ringAtUrl: ringSource.kind === 'url',
    ringBound: ringSource.kind === 'binding',
    ringLocation: ringSource.location,
    ringToken: KEY_RING_TOKEN,
    boundRing: renderedPart(`${bound}/bound-ring.md`, { ringLocation: ringSource.location }),
    boundTree: renderedPart(`${bound}/bound-tree.md`),
    pointerSeconds,
  };
}

/** Where the tree is, and who may read it. */
function treeValues(tree: TreeOrigin): Values {
  const isBucket = tree.kind === 's3' || tree.kind === 'r2';
  const bucket = isBucket ? { bucket: tree.bucket, folder: tree.folder } : { bucket: '', folder: '' };
  return {
    ...bucket,
    origin: tree.origin,
    region: tree.kind === 's3' ? tree.region : '',
    below: bucket.folder !== '',
    permissions: renderedPart('bucket-permissions.md', bucket),
    url: tree.kind === 'url',
    binding: tree.kind === 'binding',
    s3: tree.kind === 's3',
    r2: tree.kind === 'r2',
    inBucket: isBucket,
  };
}
