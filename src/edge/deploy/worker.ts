// The folder for a runtime with a fetch handler: one ES module that begins with its configuration, the files that the host needs, and a README.
// Refuses a bundle that is too large.

import type { WorkerConfiguration } from '../runtimes/fetch-handler.ts';
import type { LiveConfiguration } from '../runtimes/worker-live.ts';
import type { R2Configuration } from '../runtimes/worker-r2.ts';
import type { S3Configuration } from '../runtimes/worker-s3.ts';
import type { FetchedConfiguration } from '../runtimes/worker.ts';
import { type DeploymentFiles, WORKER_BUNDLE_BYTES_MAX } from './deployment.ts';
import { workerBundle } from './origin.ts';
import { SECOND_PROFILE_BYTES_MAX } from './profiles.ts';
import { KEY_RING_TOKEN, type Worker, type WorkerDeployment, workerOf } from './worker-deployment.ts';
import { hostFiles } from './worker-hosts.ts';
import { workerReadme } from './worker-readme.ts';

/** The files of the folder. Throws Error for a bundle larger than WORKER_BUNDLE_BYTES_MAX and for invalid options. */
export function workerFiles(deployment: WorkerDeployment): DeploymentFiles {
  const { bundle, origin, keyRingAt, profiles = [] } = deployment;
  const bytes = new TextEncoder().encode(bundle).length;
  const second = profiles.length > 1 ? SECOND_PROFILE_BYTES_MAX : 0;
  const bytesMax = WORKER_BUNDLE_BYTES_MAX[workerBundle(origin, keyRingAt)] + second;
  if (bytes > bytesMax) throw new Error(`the worker bundle has ${bytes} bytes, more than ${bytesMax}`);
  const worker = workerOf(deployment);
  const files: DeploymentFiles = [
    ['README.md', workerReadme(worker)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configurationOf(worker))};\n${bundle}`],
    ...hostFiles(worker),
  ];
  return files.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function configurationOf(worker: Worker): FetchedConfiguration | LiveConfiguration | S3Configuration | R2Configuration {
  const { settings, tree, encodings, pointerSeconds, keyRing, liveRing } = worker;
  const common: WorkerConfiguration = { ...settings, encodings, pointerSeconds };
  switch (tree.kind) {
    case 'url':
    case 'binding':
      if (liveRing === null) return { ...common, origin: tree.origin, keyRing };
      return { ...common, origin: tree.origin, keyRing: liveRing.location, keyRingToken: KEY_RING_TOKEN };
    case 's3':
      return { ...common, origin: tree.origin, region: tree.region };
    case 'r2':
      return { ...common, origin: tree.origin, folder: tree.folder };
  }
}
