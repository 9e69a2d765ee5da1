// The folder for Bun.

import { BUNDLES, workerTarget } from '../worker/host.ts';
import { serverModule } from '../worker/server-module.ts';

export const bun = workerTarget({
  name: 'bun',
  summary: 'a worker on Bun',
  testedOn: 'Bun',
  reads: { url: BUNDLES.url, binding: BUNDLES.binding, s3: BUNDLES.s3 },
  codeBytesMax: null,
  title: ' on Bun',
  hasCache: false,
  bindsFolders: true,
  compresses: false,
  files: (worker) => [['server.js', serverModule(worker, false)]],
});
