// The folder for a runtime with a fetch handler: one ES module that begins with its configuration, the files that the host needs, and a README.

import type { WorkerConfiguration } from './fetch-handler.ts';
import type { R2Configuration } from './runtime-r2.ts';
import type { S3Configuration } from './runtime-s3.ts';
import type { FetchedConfiguration } from './runtime.ts';
import type { DeploymentFiles } from '../deployment.ts';
import { KEY_RING_TOKEN, type Worker, type WorkerDeployment, workerOf } from './deployment.ts';
import { hostFiles } from './hosts.ts';
import { workerReadme } from './readme.ts';

/** The files of the folder. Throws Error for invalid options. */
export function workerFiles(deployment: WorkerDeployment): DeploymentFiles {
  const worker = workerOf(deployment);
  const files: DeploymentFiles = [
    ['README.md', workerReadme(worker)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configurationOf(worker))};\n${deployment.bundle}`],
    ...hostFiles(worker),
  ];
  return files.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

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
