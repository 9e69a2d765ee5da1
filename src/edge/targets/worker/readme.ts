// The README of a worker's folder: how to run it on its host, what it needs there, and what to do after a build or a change of keys.

import {
  bucketPermissions,
  codeList,
  EMPTY_SECRET,
  keyRingUnreadable,
  NO_SECRETS,
  OWN_FILES,
  README_TITLE,
} from '../deployment.ts';
import { RING_KEPT } from '../../rule/settings.ts';
import type { WorkerOrigin } from '../origin.ts';
import { boundFolders, isCaching, KEY_RING_TOKEN, type Worker, type WorkerTarget } from './deployment.ts';

/** The parts of the README that depend on the host. */
interface HostText {
  /** The end of the title, after "as a worker". */
  readonly title: string;
  /** How to run or deploy the folder. */
  readonly run: string;
  /** How to set secrets. */
  readonly secrets: string;
  /** How the host's cache keeps editions; null if it has no cache. */
  readonly cache: string | null;
}

const ENVIRONMENT = 'Set them as environment variables of the process.';
const HOSTS: Readonly<Record<WorkerTarget, HostText>> = {
  worker: {
    title: '',
    run: `    workerd serve workerd.capnp

To use another runtime with a fetch handler, import the default export of \`worker.js\` and call its \`fetch(request, environment, context)\`.
\`environment\` holds the secrets and bindings by name. \`context\` is optional and may have a \`waitUntil\`. Cloudflare, Deno, Bun, Netlify
and Vercel have their own targets.`,
    secrets: 'For workerd, set them as environment variables; `workerd.capnp` must list each.',
    cache: 'workerd alone has no cache. On a runtime with `caches.open`, the worker uses that.',
  },
  cloudflare: {
    title: ' on Cloudflare',
    run: '    wrangler deploy',
    secrets: 'Set each with `wrangler secret put NAME`.',
    cache: `Each Cloudflare location fetches an edition once, and again after evicting it. This needs your own domain: workers.dev has no cache.`,
  },
  deno: {
    title: ' on Deno',
    run: '    deno serve --allow-env --allow-net FOLDERSserver.js',
    secrets: ENVIRONMENT,
    cache:
      'Deno keeps them on disk, below `DENO_DIR`. It never removes any, so `server.js` empties the cache when it starts.',
  },
  bun: {
    title: ' on Bun',
    run: '    bun server.js',
    secrets: ENVIRONMENT,
    cache: null,
  },
  netlify: {
    title: ' on Netlify',
    run: '    netlify deploy --prod',
    secrets: 'Set them as environment variables of the site, with the scope Functions.',
    cache: 'Each Netlify location fetches an edition once, and again after evicting it.',
  },
  vercel: {
    title: ' on Vercel',
    run: `    vercel deploy --prod

\`middleware.js\` answers every request. Vercel compresses the responses.`,
    secrets: 'Set each as an environment variable of the project: `vercel env add NAME`.',
    cache: null,
  },
};

export function workerReadme(worker: Worker): string {
  const { target, tree, pointerSeconds } = worker;
  const host = HOSTS[target];
  const folders = boundFolders(worker).length > 0 ? '--allow-read ' : '';
  return `${README_TITLE} as a worker${host.title}

Written by \`edge build --target ${target}\`. \`worker.js\` is one ES module with a fetch handler; its first line is its configuration,
without keys. ${OWN_FILES}

${treeText(tree)}

If the worker cannot read the tree, clients get 503, and the log gets a line that begins with \`playbill: the tree cannot be read:\` and
gives the reason.
${isCaching(worker) && host.cache !== null ? cacheText(host.cache) : ''}
## Run it, in this folder

${host.run.replace('FOLDERS', folders)}

## Secrets

${secretsText(worker, host)}

## After a change of keys or a build of the catalogue

${keysText(worker)}

${buildText(worker)} The worker keeps a pointer for at most ${pointerSeconds} s.

## Limits of this runtime

- Some runtimes normalise the URL before the handler sees it, so that \`/x/../products/\` becomes \`/products/\`. The signature covers the
  original path, so the rule refuses such a request.
`;
}

const cacheText = (cache: string): string => `
A file with a given name never changes, so the worker keeps editions in the host's cache. It reads the cache only after the rule has accepted
the request. ${cache}
`;

/** What to do after a build of the catalogue. */
function buildText({ target, tree }: Worker): string {
  if (tree.kind === 'url') return `After a build, copy the new tree to \`${tree.origin}\`; nothing else is needed.`;
  return target === 'cloudflare' && tree.kind === 'binding'
    ? 'The tree is part of the deployment: run `wrangler deploy` after each build.'
    : `After a build, nothing is needed once the new tree is in the ${tree.kind === 'binding' ? 'folder' : 'bucket'}.`;
}

function keysText(worker: Worker): string {
  return `${ringText(worker)}

The worker keeps the key ring for ${RING_KEPT} s. ${keyRingUnreadable(worker.settings)}
So a revoked key is refused within ${worker.settings.ringGrace} s in any case. Before you issue a key with a new secret, add the secret here.`;
}

/** Where the worker reads the key ring, and what to do after a change of keys. */
function ringText({ target, ringSource: { kind, location } }: Worker): string {
  switch (kind) {
    case 'bucket':
      return 'The worker reads the key ring from the bucket: nothing to do after a change of keys.';
    case 'url':
      return `The worker reads the key ring from \`${location}\`: after each change of keys, copy the
tree's \`edge/keyring.json\` there. If the environment has the secret \`${KEY_RING_TOKEN}\`, the worker sends it as \`Authorization\`.`;
    case 'binding':
      if (target === 'cloudflare')
        return `The worker reads the key ring from the binding \`${location}\`, a KV namespace or an R2 bucket that contains \`keyring.json\`. After the first
deployment and after each change of keys, put the tree's \`edge/keyring.json\` there; no further deployment is needed:

    wrangler kv key put --remote --binding ${location} keyring.json --path TREE/edge/keyring.json`;
      return `The worker reads the key ring from the tree's folder \`edge\`, through the binding \`${location}\`: nothing to do after a change of keys.
If it reads a copy of the tree, copy \`edge/keyring.json\` as well.`;
  }
}

/** Where the tree is, and who may read it. */
function treeText(tree: WorkerOrigin): string {
  switch (tree.kind) {
    case 'url':
      return `The worker fetches the tree from \`${tree.origin}\`. That origin must answer only this worker.

- The worker compares each edition with the digest in its name before it sends or keeps it. Pages, redirects and any other content are 503, and so
  is a plain file with a \`Content-Encoding\`: the worker asks for none.
- The worker treats 403 as 404, because a bucket that does not allow listing answers 403 for a missing file. An origin that denies everything
  therefore looks like an empty tree; for a front whose pointer the worker has read, 403 is a failure.
- Serve precompressed siblings as separate files, without \`Content-Encoding\`, which would make \`fetch\` decode them. Otherwise the worker sends
  the plain file.`;
    case 'binding':
      return `The worker reads the tree from the binding \`${tree.origin}\`: anything with a \`fetch\` that serves the tree's \`public\` folder.`;
    case 's3':
      return `The worker fetches the tree from the bucket \`${tree.bucket}\`, at \`${tree.origin}\`. The bucket stays private: the worker signs its
requests (AWS Signature Version 4, region \`${tree.region}\`). Give it its own credentials, with only these permissions:

${bucketPermissions(tree.bucket, tree.folder)}

The worker requests precompressed siblings with \`response-content-encoding=identity\`, because \`fetch\` would decode them otherwise. If the
store does not support this parameter, the worker sends the plain files.`;
    case 'r2':
      return `The worker reads the tree from the R2 bucket \`${tree.bucket}\`${tree.folder === '' ? '' : `, below \`${tree.folder}\``}, through the binding \`${tree.origin}\`. It needs no
credentials. Keep public access to the bucket off.`;
  }
}

function secretsText({ keySecrets, treeSecrets: [keyId, key, token] }: Worker, { secrets }: HostText): string {
  const names = [...keySecrets, ...(keyId !== undefined && key !== undefined ? [keyId, key] : [])];
  if (names.length === 0) return NO_SECRETS;
  const how = `The worker needs secrets with these names: ${codeList(names)}. ${secrets}`;
  const empty = keySecrets.length > 0 ? ` ${EMPTY_SECRET}` : '';
  const tree = `

The last two are the credentials for reading the tree; temporary credentials also need \`${token ?? ''}\`. Without credentials clients
get 503.`;
  return `${how}${empty}${token === undefined ? '' : tree}`;
}
