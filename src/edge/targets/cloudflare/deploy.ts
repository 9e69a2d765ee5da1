// The folder for Cloudflare. It reads a bound key ring from a KV namespace: assets change only with
// a deployment.

import { rendered } from '../../template.ts';
import { isCaching, type Worker } from '../worker/deployment.ts';
import { BUNDLES, workerTarget } from '../worker/host.ts';

export const cloudflare = workerTarget({
  name: 'cloudflare',
  summary: 'a worker on Cloudflare',
  testedOn: 'miniflare',
  reads: BUNDLES,
  codeBytesMax: 10 * 2 ** 20,
  title: ' on Cloudflare',
  hasCache: true,
  bindsFolders: false,
  compresses: false,
  files: (worker) => [['wrangler.toml', wranglerConfiguration(worker)]],
});

/** Without an id, wrangler creates the namespace of the key ring. */
function wranglerConfiguration(worker: Worker): string {
  const { tree, publicRoot, ringSource } = worker;
  return rendered('cloudflare/wrangler.toml', {
    caches: isCaching(worker),
    assets: tree.kind === 'binding',
    directory: JSON.stringify(publicRoot),
    origin: tree.origin,
    r2: tree.kind === 'r2',
    bucket: tree.kind === 'r2' ? tree.bucket : '',
    ringBound: ringSource.kind === 'binding',
    ringLocation: ringSource.location,
  });
}
