// The folder for Vercel's middleware.

import { rendered } from '../../template.ts';
import { BUNDLES, workerTarget } from '../worker/host.ts';

export const vercel = workerTarget({
  name: 'vercel',
  summary: 'a worker on Vercel',
  testedOn: 'edge-runtime',
  reads: { url: BUNDLES.url, s3: BUNDLES.s3 },
  codeBytesMax: 4 * 2 ** 20,
  title: ' on Vercel',
  hasCache: false,
  bindsFolders: true,
  compresses: true,
  files: () => [['middleware.js', rendered('vercel/middleware.js')]],
});
