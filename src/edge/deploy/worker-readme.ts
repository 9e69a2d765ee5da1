// The README of a worker's folder: how it runs on its host, what it needs there, and what a build or a change of keys asks for.

import { codeList, OWN_FILES, README_TITLE } from './deployment.ts';
import type { WorkerOrigin } from './origin.ts';
import { isCaching, isLive, KEY_RING_TOKEN, type Worker, type WorkerTarget } from './worker-deployment.ts';

/** What the README of each host says that no other says. */
interface HostText {
  /** Behind "as a worker". */
  readonly title: string;
  /** How it is run or deployed, in the folder. */
  readonly run: string;
  /** Where secrets are set. */
  readonly secrets: string;
  /** What makes a changed folder count. */
  readonly again: string;
  /** What becomes of editions in the cache of the host; null: it has none. */
  readonly cache: string | null;
}

const ENVIRONMENT = 'They are environment variables of the process.';
const HOSTS: Readonly<Record<WorkerTarget, HostText>> = {
  worker: {
    title: '',
    run: `    workerd serve workerd.capnp

Any other runtime with a fetch handler imports the default export of \`worker.js\` and calls its \`fetch(request, environment, context)\`:
\`environment\` has the secrets and the bindings by their names, and \`context\`, which may be left out, a \`waitUntil\`. Cloudflare, Deno, Bun, Netlify
and Vercel have targets of their own.`,
    secrets: 'For workerd they are environment variables.',
    again: 'start it again',
    cache: 'workerd by itself has none; a runtime that has `caches.open` keeps them there.',
  },
  cloudflare: {
    title: ' on Cloudflare',
    run: '    wrangler deploy',
    secrets: 'They are set by `wrangler secret put NAME`.',
    again: 'deploy again',
    cache: `Each location of Cloudflare fetches them once, and again where it has dropped them. That needs a domain of yours: on workers.dev
nothing is kept.`,
  },
  deno: {
    title: ' on Deno',
    run: '    deno serve --allow-env --allow-net FOLDERSserver.js',
    secrets: ENVIRONMENT,
    again: 'start it again',
    cache:
      'Deno keeps them on disk, below `DENO_DIR`, until the next start: `server.js` begins with an empty cache, since Deno drops nothing.',
  },
  bun: {
    title: ' on Bun',
    run: '    bun server.js',
    secrets: ENVIRONMENT,
    again: 'start it again',
    cache: null,
  },
  netlify: {
    title: ' on Netlify',
    run: '    netlify deploy --prod',
    secrets: 'They are environment variables of the site, in the scope of functions.',
    again: 'deploy again',
    cache: 'Each location of Netlify fetches them once, and again where it has dropped them.',
  },
  vercel: {
    title: ' on Vercel',
    run: `    vercel deploy --prod

\`middleware.js\` answers every request. Vercel compresses by itself.`,
    secrets: 'They are environment variables of the project: `vercel env add NAME`.',
    again: 'deploy again',
    cache: null,
  },
};

export function workerReadme(worker: Worker): string {
  const { target, tree, pointerSeconds } = worker;
  const host = HOSTS[target];
  const folders = tree.kind === 'binding' || worker.liveRing?.kind === 'binding' ? '--allow-read ' : '';
  return `${README_TITLE} as a worker${host.title}

Written by \`edge build --target ${target}\`. \`worker.js\` is one ES module with a fetch handler; its first line is its configuration,
${isLive(worker) ? 'without keys' : 'public keys included'}. ${OWN_FILES}

${treeText(tree)}
${isCaching(worker) && host.cache !== null ? cacheText(host.cache) : ''}
## Run it, in this folder

${host.run.replace('FOLDERS', folders)}

## Secrets

${secretsText(worker, host)}

## After a change of keys or a build of the catalogue

${keysText(worker, host)}

${buildText(worker)} A pointer is kept for ${pointerSeconds} s at most.

## Limits of this runtime

- A fetch handler sees repeated headers joined by a comma: two \`Signature-Input\` lines with different labels count as one.
- Where the runtime normalises the URL before the handler sees it, \`/x/../products/\` is \`/products/\`; the signature was then made over
  another path, and is refused.
`;
}

const cacheText = (cache: string): string => `
Editions never change under their names: the worker keeps them in the cache of the host, and looks there once the rule has let the client in.
${cache}
`;

/** What a build of the catalogue needs. */
function buildText({ target, tree }: Worker): string {
  switch (tree.kind) {
    case 'url':
      return `After a build the new tree at \`${tree.origin}\` is enough.`;
    case 's3':
    case 'r2':
      return 'After a build the new tree in the bucket is enough.';
    case 'binding':
      return target === 'cloudflare'
        ? 'The tree is part of the deployment: `wrangler deploy` after each build.'
        : 'After a build the new tree in the folder is enough.';
  }
}

function keysText(worker: Worker, host: HostText): string {
  const { liveRing } = worker;
  if (!isLive(worker))
    return `The key ring is part of the module: after a change of keys, repeat \`edge build\` with the same target and options, and ${host.again}.`;
  if (liveRing === null) return `The key ring is read with the tree, and kept for 10 s. ${LIVE_KEYS}`;
  const location =
    liveRing.kind === 'url'
      ? `from \`${liveRing.location}\`, with the secret \`${KEY_RING_TOKEN}\` as \`Authorization\` where the environment has one`
      : `from the binding \`${liveRing.location}\`: ${worker.target === 'cloudflare' ? 'a namespace of KV or a bucket of R2 with `keyring.json` in it' : 'the folder that has `keyring.json`, or anything with a `fetch`'}`;
  return `The key ring is read ${location}. It is the tree's \`edge/keyring.json\`: put it there after each change of keys.
It is kept for 10 s. ${LIVE_KEYS}`;
}

const LIVE_KEYS = `Where it cannot be read, the last one is used for up to a minute, and after
that nobody is let in: a revoked key is refused within a minute, whatever happens. A new key with a secret needs that here first.`;

/** Where the tree is, and who may read it. */
function treeText(tree: WorkerOrigin): string {
  const unreadable = `Where the tree cannot be read, clients get 503, and the log a line that begins with \`playbill: the tree cannot be read:\`
and says why.`;
  switch (tree.kind) {
    case 'url':
      return `The tree is fetched from \`${tree.origin}\`. That origin must answer to this worker alone. 403 counts as 404, since a bucket whose
objects may be read but not listed answers 403 for a missing one: an origin that denies everything looks like one where nothing is published.
Precompressed siblings are files of their own there: they come with a \`Content-Length\` and without \`Content-Encoding\`, which a fetch would
undo; in place of others the plain file is sent. HTML or XML is not taken for a file of the tree, even with 200.

${unreadable}`;
    case 'binding':
      return `The tree comes from the binding \`${tree.origin}\`: anything with a \`fetch\` that serves the tree's \`public\` folder.

${unreadable}`;
    case 's3':
      return `The tree is fetched from the bucket \`${tree.bucket}\`, at \`${tree.origin}\`. The bucket stays private: the worker signs what it
fetches (AWS Signature Version 4, region \`${tree.region}\`). Give it credentials of its own, with these rights alone:

- \`s3:GetObject\` on \`${tree.bucket}/${tree.folder}public/*\` and \`${tree.bucket}/${tree.folder}edge/keyring.json\`
- \`s3:ListBucket\` on \`${tree.bucket}\`, so that the store answers 404 for what is not there. Without it the answer is 403 \`AccessDenied\`, which
  therefore counts as 404: credentials that may read nothing then look like a tree where nothing is published.

Precompressed siblings are asked for with \`response-content-encoding=identity\`, since a fetch would decode what bears its encoding. From a
store that does not know that, the plain files are sent.

${unreadable}`;
    case 'r2':
      return `The tree comes from the R2 bucket \`${tree.bucket}\`${tree.folder === '' ? '' : `, from below \`${tree.folder}\``}, by the binding \`${tree.origin}\`. The worker needs
no credentials for it, and the bucket no public access.

${unreadable}`;
  }
}

function secretsText({ keySecrets, treeSecrets: [keyId, key, token] }: Worker, { secrets }: HostText): string {
  const names = [...keySecrets, ...(keyId !== undefined && key !== undefined ? [keyId, key] : [])];
  if (names.length === 0) return 'No key of this key ring needs a secret.';
  const how = `These secrets are needed, under these names: ${codeList(names)}. ${secrets}`;
  const empty = keySecrets.length > 0 ? ' An empty secret refuses its keys, as a missing one does.' : '';
  const tree = `

The last two are the credentials by which the tree is read; temporary ones have a third part, \`${token ?? ''}\`. Without them clients
get 503.`;
  return `${how}${empty}${token === undefined ? '' : tree}`;
}
