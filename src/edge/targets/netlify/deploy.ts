// The folder for Netlify's edge functions.

import { rendered } from '../../template.ts';
import { BUNDLES, workerTarget } from '../worker/host.ts';

export const netlify = workerTarget({
  name: 'netlify',
  summary: 'a worker on Netlify',
  testedOn: 'Deno',
  reads: { url: BUNDLES.url, s3: BUNDLES.s3 },
  codeBytesMax: 20 * 2 ** 20,
  title: ' on Netlify',
  hasCache: true,
  bindsFolders: true,
  compresses: false,
  files: () => [['netlify/edge-functions/playbill.js', rendered('netlify/playbill.js')]],
});
