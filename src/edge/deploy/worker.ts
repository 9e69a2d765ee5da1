// The folder for runtimes with a fetch handler: one ES module with its configuration in front, examples of how to run it, a README.
// Pure texts. Refuses a bundle that is too large, before anybody deploys it.

import {
  codeList,
  type Deployment,
  type DeploymentFiles,
  OWN_FILES,
  README_TITLE,
  secretNames,
  WORKER_BUNDLE_BYTES_MAX,
} from './deployment.ts';
import { SECOND_PROFILE_BYTES_MAX } from './profiles.ts';
import type { ProfileName } from '../rule/profile.ts';
import { type OriginOptions, parseOrigin, workerBundle, type WorkerOrigin } from './origin.ts';
import { type BoundFolder, folderHosts, urlHosts } from './worker-hosts.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import { CREDENTIAL_NAMES } from '../runtimes/bucket-credentials.ts';
import type { WorkerConfiguration } from '../runtimes/fetch-handler.ts';
import type { R2Configuration } from '../runtimes/worker-r2.ts';
import type { S3Configuration } from '../runtimes/worker-s3.ts';
import type { LiveConfiguration } from '../runtimes/worker-live.ts';
import type { FetchedConfiguration } from '../runtimes/worker.ts';

export interface WorkerDeployment extends Deployment, OriginOptions {
  /** Absolute path of the tree's `public` folder on this machine, for the examples. */
  readonly publicRoot: string;
  readonly encodings: readonly SiblingEncoding[];
  /** How long a worker keeps a pointer, 0 to 10 s. */
  readonly pointerSeconds: number;
  /** Those in the bundle, where it has others than `rfc9421`. */
  readonly profiles?: readonly ProfileName[];
  /** Where it reads the key ring while it runs: a URL, or the name of a binding; null or left out: with the tree, or in the module. */
  readonly keyRingAt?: string | null;
}

/** A deployment, understood. */
interface Worker extends WorkerDeployment {
  readonly tree: WorkerOrigin;
  /** Names of secrets: those of the key ring, and those by which the tree is read. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
  readonly liveRing: LiveRing | null;
}

/** A key ring of its own place. */
interface LiveRing {
  readonly kind: 'url' | 'binding';
  readonly location: string;
}

/** The name of the secret by which a URL lets the worker in, where it needs one. */
const KEY_RING_TOKEN = 'PLAYBILL_KEY_RING_TOKEN';

/** Throws Error for a place where a key ring cannot be, or must not. */
function liveRingOf(tree: WorkerOrigin, location: string | null): LiveRing | null {
  if (location === null) return null;
  if (tree.kind === 's3' || tree.kind === 'r2')
    throw new Error(`--key-ring: expected none with a bucket, which has it beside the tree, found "${location}"`);
  if (/^[A-Za-z_]\w*$/.test(location) && location !== tree.origin) return { kind: 'binding', location };
  if (!/^https?:\/\/[^\s"\\?#@/]+\/[^\s"\\?#]+$/.test(location))
    throw new Error(`--key-ring: expected a URL, or the name of another binding than --origin, found "${location}"`);
  if (location.startsWith(`${tree.origin}/`))
    throw new Error(`--key-ring: expected a URL outside of the public folder ${tree.origin}, found "${location}"`);
  return { kind: 'url', location };
}

/** The files of the folder. Throws Error for a bundle beyond WORKER_BUNDLE_BYTES_MAX and for options that cannot work. */
export function workerFiles(deployment: WorkerDeployment): DeploymentFiles {
  const { bundle, keyRing, pointerSeconds, origin, profiles = [] } = deployment;
  const bytes = new TextEncoder().encode(bundle).length;
  const second = profiles.length > 1 ? SECOND_PROFILE_BYTES_MAX : 0;
  const bytesMax = WORKER_BUNDLE_BYTES_MAX[workerBundle(origin, deployment.keyRingAt)] + second;
  if (bytes > bytesMax) throw new Error(`the worker bundle has ${bytes} bytes, more than ${bytesMax}`);
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  const tree = parseOrigin(deployment);
  const treeSecrets = tree.kind === 's3' ? CREDENTIAL_NAMES : [];
  const liveRing = liveRingOf(tree, deployment.keyRingAt ?? null);
  const worker: Worker = { ...deployment, tree, keySecrets: secretNames(keyRing), treeSecrets, liveRing };
  return [
    ['README.md', readme(worker)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configurationOf(worker))};\n${bundle}`],
    // R2 is Cloudflare's alone.
    ...(tree.kind === 'r2' ? [] : [['workerd.capnp', workerdConfiguration(worker)] as const]),
    ['wrangler.toml', wranglerConfiguration(worker)],
  ];
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

/** For workerd itself; also what the tests run. */
function workerdConfiguration(worker: Worker): string {
  const { tree, keySecrets, treeSecrets, liveRing } = worker;
  const folders = boundFolders(worker);
  const services = folders.map(
    ({ binding, path }) => `(name = "${binding}-folder", disk = (path = ${JSON.stringify(path)})),`,
  );
  if (tree.kind !== 'binding' || liveRing?.kind === 'url')
    services.push(
      '(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),',
    );
  const names = [...keySecrets, ...treeSecrets, ...tokenOf(worker)];
  const bindings = [
    ...folders.map(({ binding }) => `(name = "${binding}", service = "${binding}-folder"),`),
    ...names.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`),
  ];
  return `# workerd serve workerd.capnp (in this folder). Secrets come from the environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "rule", worker = .rule),
    ${services.join('\n    ')}
  ],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "rule")],
);

const rule :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2025-01-01",
  bindings = [
    ${bindings.join('\n    ')}
  ],
);
`;
}

/** What is read from folders where a host has them: the tree, and the key ring beside it. */
const boundFolders = ({ tree, publicRoot, liveRing }: Worker): readonly BoundFolder[] => [
  ...(tree.kind === 'binding' ? [{ binding: tree.origin, path: publicRoot }] : []),
  ...(liveRing?.kind === 'binding' ? [{ binding: liveRing.location, path: publicRoot.replace(/[^/]+$/, 'edge') }] : []),
];

/** The secret that a URL may want. */
const tokenOf = ({ liveRing }: Worker): readonly string[] => (liveRing?.kind === 'url' ? [KEY_RING_TOKEN] : []);

function wranglerConfiguration(worker: Worker): string {
  return `# wrangler deploy (in this folder)
name = "playbill-edge"
main = "worker.js"
compatibility_date = "2025-01-01"
${wranglerTree(worker)}${worker.liveRing?.kind === 'binding' ? wranglerKeyRing(worker.liveRing) : ''}`;
}

/** wrangler makes the namespace where it has no id yet. */
const wranglerKeyRing = ({ location }: LiveRing): string => `
# The key ring: after each change of keys, wrangler kv key put --remote --binding ${location} keyring.json --path TREE/edge/keyring.json
[[kv_namespaces]]
binding = "${location}"
`;

function wranglerTree({ tree, publicRoot }: Worker): string {
  switch (tree.kind) {
    case 'url':
    case 's3':
      return '';
    case 'binding':
      return `
# The tree is deployed as static assets, behind the worker and never beside it.
[assets]
directory = ${JSON.stringify(publicRoot)}
binding = "${tree.origin}"
run_worker_first = true
html_handling = "none"
`;
    case 'r2':
      return `
# The bucket of the tree. It needs no public access, and must have none.
[[r2_buckets]]
binding = "${tree.origin}"
bucket_name = "${tree.bucket}"
`;
  }
}

function readme(worker: Worker): string {
  const { tree, pointerSeconds } = worker;
  return `${README_TITLE} as a worker

Written by \`playbill edge build --target worker\`. \`worker.js\` is one ES module with a fetch handler; its first line is its configuration,
${isLive(worker) ? 'without keys' : 'public keys included'}. ${OWN_FILES}

${treeText(tree)}
${tree.kind === 's3' || (tree.kind === 'url' && isLive(worker)) ? CACHE : ''}
## Run it, in this folder

${tree.kind === 'r2' ? 'On Cloudflare:' : 'On workerd and on Cloudflare:\n\n    workerd serve workerd.capnp'}
${tree.kind === 'r2' ? '\n' : ''}    wrangler deploy

${hostsText(worker)}
## Secrets

${secretsText(worker)}

## After a change of keys or a build of the catalogue

${keysText(worker)}

${
  tree.kind === 'binding'
    ? 'On Cloudflare the tree is part of the deployment: `wrangler deploy` after each build. Everywhere else the new tree in the folder is enough.'
    : `After a build the new tree ${tree.kind === 'url' ? `at \`${tree.origin}\`` : 'in the bucket'} is enough.`
} A pointer is kept for ${pointerSeconds} s at most.

## Limits of this runtime

- A fetch handler sees repeated headers joined by a comma: two \`Signature-Input\` lines with different labels count as one.
- Where the runtime normalises the URL before the handler sees it, \`/x/../products/\` is \`/products/\`; the signature was then made over
  another path, and is refused.
`;
}

const CACHE = `
Editions never change under their names. Where the host has a cache (Cloudflare on a domain of yours, Deno, Netlify), the worker keeps them there,
and looks after the rule has let the client in: each is fetched once, and again only by requests that come before it is stored, or where the
host has dropped it. Bun, Vercel and workerd by itself have none.
`;

/** Whether the worker reads the key ring itself. */
const isLive = ({ tree, liveRing }: Worker): boolean => tree.kind === 's3' || tree.kind === 'r2' || liveRing !== null;

function keysText(worker: Worker): string {
  const { liveRing } = worker;
  if (!isLive(worker)) return DEPLOYED_KEYS;
  if (liveRing === null) return `The key ring is read with the tree, and kept for 10 s. ${LIVE_KEYS}`;
  const location =
    liveRing.kind === 'url'
      ? `from \`${liveRing.location}\`, with the secret \`${KEY_RING_TOKEN}\` as \`Authorization\` where the environment has one`
      : `from the binding \`${liveRing.location}\`: a namespace of KV or a bucket of R2 with \`keyring.json\` in it, or anything with a \`fetch\``;
  return `The key ring is read ${location}. It is the tree's \`edge/keyring.json\`: put it there after each change of keys.
It is kept for 10 s. ${LIVE_KEYS}`;
}

const LIVE_KEYS = `Where it cannot be read, the last one is used for up to a minute, and after
that nobody is let in: a revoked key is refused within a minute, whatever happens. A new key with a secret needs that here first.`;

const DEPLOYED_KEYS =
  'The key ring is part of the module: after a change of keys, run `playbill edge build --target worker` and deploy again.';

/** Where the tree is, and who may read it. */
function treeText(tree: WorkerOrigin): string {
  const unreadable = `Where the tree cannot be read, clients get 503, and the log a line that begins with \`playbill: the tree cannot be read:\`
and says why.`;
  switch (tree.kind) {
    case 'url':
      return `The tree is fetched from \`${tree.origin}\`. That origin must answer to this worker alone. 403 counts as 404, since a bucket whose
objects may be read but not listed answers 403 for a missing one: an origin that denies everything looks like one where nothing is published.
Precompressed siblings are files of their own there, without \`Content-Encoding\`. HTML or XML is no file of the tree, even with 200.

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

function hostsText(worker: Worker): string {
  switch (worker.tree.kind) {
    case 'url':
    case 's3':
    case 'binding': {
      const folders = boundFolders(worker);
      return folders.length === 0 ? urlHosts(worker.encodings) : folderHosts(folders);
    }
    case 'r2':
      return `Other hosts have no R2 binding: \`playbill edge build --target worker --origin ${worker.origin.replace(/^r2/, 's3')}\`, with the endpoint of R2's S3 API, writes
their ways.
`;
  }
}

function secretsText({ keySecrets, treeSecrets: [keyId, key, token] }: Worker): string {
  const names = [...keySecrets, ...(keyId !== undefined && key !== undefined ? [keyId, key] : [])];
  if (names.length === 0) return 'No key of this key ring needs a secret.';
  const how = `These secrets are needed, under these names: ${codeList(names)}. On Cloudflare they are set by
\`wrangler secret put NAME\`; everywhere else they are environment variables.`;
  const empty = keySecrets.length > 0 ? ' An empty secret refuses its keys, as a missing one does.' : '';
  const tree = `

The last two are the credentials by which the tree is read; temporary ones have a third part, \`${token ?? ''}\`. Without them clients
get 503.`;
  return `${how}${empty}${token === undefined ? '' : tree}`;
}
