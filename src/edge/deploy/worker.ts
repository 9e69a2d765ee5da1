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
import { type OriginOptions, parseOrigin, workerBundle, type WorkerOrigin } from './origin.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import { CREDENTIAL_NAMES } from '../runtimes/bucket-credentials.ts';
import type { WorkerConfiguration } from '../runtimes/fetch-handler.ts';
import type { R2Configuration } from '../runtimes/worker-r2.ts';
import type { S3Configuration } from '../runtimes/worker-s3.ts';
import type { FetchedConfiguration } from '../runtimes/worker.ts';

export interface WorkerDeployment extends Deployment, OriginOptions {
  /** Absolute path of the tree's `public` folder on this machine, for the examples. */
  readonly publicRoot: string;
  readonly encodings: readonly SiblingEncoding[];
  /** How long a worker keeps a pointer, 0 to 10 s. */
  readonly pointerSeconds: number;
}

/** A deployment, understood. */
interface Worker extends WorkerDeployment {
  readonly tree: WorkerOrigin;
  /** Names of secrets: those of the key ring, and those by which the tree is read. */
  readonly keySecrets: readonly string[];
  readonly treeSecrets: readonly string[];
}

/** The files of the folder. Throws Error for a bundle beyond WORKER_BUNDLE_BYTES_MAX and for options that cannot work. */
export function workerFiles(deployment: WorkerDeployment): DeploymentFiles {
  const { bundle, keyRing, pointerSeconds, origin } = deployment;
  const bytes = new TextEncoder().encode(bundle).length;
  const bytesMax = WORKER_BUNDLE_BYTES_MAX[workerBundle(origin)];
  if (bytes > bytesMax) throw new Error(`the worker bundle has ${bytes} bytes, more than ${bytesMax}`);
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  const tree = parseOrigin(deployment);
  const treeSecrets = tree.kind === 's3' ? CREDENTIAL_NAMES : [];
  const worker: Worker = { ...deployment, tree, keySecrets: secretNames(keyRing), treeSecrets };
  return [
    ['README.md', readme(worker)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configurationOf(worker))};\n${bundle}`],
    // R2 is Cloudflare's alone.
    ...(tree.kind === 'r2' ? [] : [['workerd.capnp', workerdConfiguration(worker)] as const]),
    ['wrangler.toml', wranglerConfiguration(worker)],
  ];
}

function configurationOf(worker: Worker): FetchedConfiguration | S3Configuration | R2Configuration {
  const { settings, tree, encodings, pointerSeconds, keyRing } = worker;
  const common: WorkerConfiguration = { ...settings, encodings, pointerSeconds, keyRing };
  switch (tree.kind) {
    case 'url':
    case 'binding':
      return { ...common, origin: tree.origin };
    case 's3':
      return { ...common, origin: tree.origin, region: tree.region };
    case 'r2':
      return { ...common, origin: tree.origin, folder: tree.folder };
  }
}

/** For workerd itself; also what the tests run. */
function workerdConfiguration({ tree, publicRoot, keySecrets, treeSecrets }: Worker): string {
  const isBound = tree.kind === 'binding';
  const service = isBound
    ? `(name = "tree", disk = (path = ${JSON.stringify(publicRoot)})),`
    : '(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),';
  const names = [...keySecrets, ...treeSecrets];
  const bindings = names.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`);
  if (isBound) bindings.unshift(`(name = "${tree.origin}", service = "tree"),`);
  return `# workerd serve workerd.capnp (in this folder). Secrets come from the environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "rule", worker = .rule),
    ${service}
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

function wranglerConfiguration(worker: Worker): string {
  return `# wrangler deploy (in this folder)
name = "playbill-edge"
main = "worker.js"
compatibility_date = "2025-01-01"
${wranglerTree(worker)}`;
}

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
public keys included. ${OWN_FILES}

${treeText(tree)}

## Run it, in this folder

${tree.kind === 'r2' ? 'On Cloudflare:' : 'On workerd and on Cloudflare:\n\n    workerd serve workerd.capnp'}
${tree.kind === 'r2' ? '\n' : ''}    wrangler deploy

${hostsText(worker)}
## Secrets

${secretsText(worker)}

## After a change of keys or a build of the catalogue

The key ring is part of the module: after a change of keys, run \`playbill edge build --target worker\` and deploy again.

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

/** Where the tree is, and who may read it. */
function treeText(tree: WorkerOrigin): string {
  const unreadable = `Where the tree cannot be read, clients get 503, and the log a line that begins with \`playbill: the tree cannot be read:\`
and says why.`;
  switch (tree.kind) {
    case 'url':
      return `The tree is fetched from \`${tree.origin}\`. That origin must answer to this worker alone. 403 counts as 404, since a bucket whose
objects may be read but not listed answers 403 for a missing one: an origin that denies everything looks like one where nothing is published.
Precompressed siblings are files of their own there, without \`Content-Encoding\`.`;
    case 'binding':
      return `The tree comes from the binding \`${tree.origin}\`: anything with a \`fetch\` that serves the tree's \`public\` folder.`;
    case 's3':
      return `The tree is fetched from the bucket \`${tree.bucket}\`, at \`${tree.origin}\`. The bucket stays private: the worker signs what it
fetches (AWS Signature Version 4, region \`${tree.region}\`). Give it credentials of its own, with these rights alone:

- \`s3:GetObject\` on \`${tree.bucket}/${tree.folder}*\`
- \`s3:ListBucket\` on \`${tree.bucket}\`, so that the store answers 404 for what is not there. Without it the answer is 403 \`AccessDenied\`, which
  therefore counts as 404: credentials that may read nothing then look like a tree where nothing is published.

Precompressed siblings are asked for with \`response-content-encoding=identity\`, since a fetch would decode what bears its encoding. From a
store that does not know that, the plain files are sent.

${unreadable}`;
    case 'r2':
      return `The tree comes from the R2 bucket \`${tree.bucket}\`, from below \`${tree.folder}\`, by the binding \`${tree.origin}\`. The worker needs
no credentials for it, and the bucket no public access.

${unreadable}`;
  }
}

function hostsText(worker: Worker): string {
  switch (worker.tree.kind) {
    case 'url':
    case 's3':
      return urlHosts(worker);
    case 'binding':
      return folderHosts(worker);
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

/** Hosts that fetch the tree. test/edge/worker-hosts.test.ts runs each example as written here. */
function urlHosts({ encodings }: Worker): string {
  const vercel = `With \`worker.js\` at the root of the project, as Routing Middleware in \`middleware.js\`:

\`\`\`js
import worker from "./worker.js";

export const config = { runtime: "edge" };
export default (request) => worker.fetch(request, process.env);
\`\`\``;
  const noVercel = `Vercel compresses by itself, and drops the \`Content-Encoding\` of what a function answers: make another folder for it, by
\`playbill edge build --target worker\` without \`--encodings\`.`;
  return `### Deno and Bun

In \`server.js\`:

\`\`\`js
import worker from "./worker.js";

export default { fetch: (request) => worker.fetch(request, process.env) };
\`\`\`

    deno serve --allow-env --allow-net server.js
    bun server.js

### Vercel

${encodings.length === 0 ? vercel : noVercel}

### Netlify

With \`worker.js\` at the root of the project, in \`netlify/edge-functions/playbill.js\`:

\`\`\`js
import worker from "../../worker.js";

export const config = { path: "/*" };
export default (request) => worker.fetch(request, Deno.env.toObject());
\`\`\`
`;
}

/** Hosts that read the tree from a folder, by a binding made here. Run like urlHosts. */
const folderHosts = ({ origin, publicRoot }: Worker): string => `### Deno and Bun

In \`server.js\`:

\`\`\`js
import { readFile } from "node:fs/promises";
import worker from "./worker.js";

const root = ${JSON.stringify(publicRoot)};
const ${origin} = {
  fetch: (url) =>
    readFile(root + new URL(url).pathname).then(
      (bytes) => new Response(bytes),
      ({ code }) => new Response(null, { status: code === "ENOENT" ? 404 : 500 }),
    ),
};

export default { fetch: (request) => worker.fetch(request, { ...process.env, ${origin} }) };
\`\`\`

    deno serve --allow-env --allow-net --allow-read server.js
    bun server.js

### Vercel and Netlify

They keep no folder beside a function: \`playbill edge build --target worker --origin URL\` writes their ways.
`;
