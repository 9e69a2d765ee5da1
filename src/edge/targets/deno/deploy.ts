// The folder for Deno.

import { isCaching } from '../worker/deployment.ts';
import { BUNDLES, workerTarget } from '../worker/host.ts';
import { serverModule } from '../worker/server-module.ts';

export const deno = workerTarget({
  name: 'deno',
  summary: 'a worker on Deno',
  testedOn: 'Deno',
  reads: { url: BUNDLES.url, binding: BUNDLES.binding, s3: BUNDLES.s3 },
  codeBytesMax: null,
  title: ' on Deno',
  hasCache: true,
  bindsFolders: true,
  compresses: false,
  files: (worker) => [['server.js', serverModule(worker, isCaching(worker))]],
});
