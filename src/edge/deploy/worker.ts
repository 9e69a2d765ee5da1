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
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { WorkerConfiguration } from '../runtimes/worker.ts';

export interface WorkerDeployment extends Deployment {
  /** Where the tree's `public` folder is: a URL without a slash at its end, or the name of a binding that has `fetch`. */
  readonly origin: string;
  /** Absolute path of the tree's `public` folder on this machine, for the examples. */
  readonly publicRoot: string;
  readonly encodings: readonly SiblingEncoding[];
  /** How long a worker keeps a pointer, 0 to 10 s. */
  readonly pointerSeconds: number;
}

/** The files of the folder. Throws Error for a bundle beyond WORKER_BUNDLE_BYTES_MAX and for options that cannot work. */
export function workerFiles(deployment: WorkerDeployment): DeploymentFiles {
  const { bundle, keyRing, settings, origin, encodings, pointerSeconds } = deployment;
  const bytes = new TextEncoder().encode(bundle).length;
  if (bytes > WORKER_BUNDLE_BYTES_MAX)
    throw new Error(`the worker bundle has ${bytes} bytes, more than ${WORKER_BUNDLE_BYTES_MAX}`);
  if (!isUrl(origin) && !/^[A-Za-z_]\w*$/.test(origin))
    throw new Error(`origin: expected a URL without a slash at its end, or the name of a binding, found "${origin}"`);
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  const configuration: WorkerConfiguration = { ...settings, origin, encodings, pointerSeconds, keyRing };
  const secrets = secretNames(keyRing);
  return [
    ['README.md', readme(deployment, secrets)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configuration)};\n${bundle}`],
    ['workerd.capnp', workerdConfiguration(deployment, secrets)],
    ['wrangler.toml', wranglerConfiguration(deployment)],
  ];
}

function isUrl(origin: string): boolean {
  return /^https?:\/\/[^\s"\\]*[^\s"\\/]$/.test(origin);
}

/** For workerd itself; also what the tests run. */
function workerdConfiguration({ origin, publicRoot }: WorkerDeployment, secrets: readonly string[]): string {
  const tree = isUrl(origin)
    ? '(name = "internet", network = (allow = ["public", "private"])),'
    : `(name = "tree", disk = (path = ${JSON.stringify(publicRoot)})),`;
  const bindings = secrets.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`);
  if (!isUrl(origin)) bindings.unshift(`(name = "${origin}", service = "tree"),`);
  return `# workerd serve workerd.capnp (in this folder). Secrets come from the environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "rule", worker = .rule),
    ${tree}
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

function wranglerConfiguration({ origin, publicRoot }: WorkerDeployment): string {
  const assets = `
# The tree is deployed as static assets, behind the worker and never beside it.
[assets]
directory = ${JSON.stringify(publicRoot)}
binding = "${origin}"
run_worker_first = true
html_handling = "none"
`;
  return `# wrangler deploy (in this folder)
name = "playbill-edge"
main = "worker.js"
compatibility_date = "2025-01-01"
${isUrl(origin) ? '' : assets}`;
}

function readme(deployment: WorkerDeployment, secrets: readonly string[]): string {
  const { origin, pointerSeconds } = deployment;
  const isFetched = isUrl(origin);
  return `${README_TITLE} as a worker

Written by \`playbill edge build --target worker\`. \`worker.js\` is one ES module with a fetch handler; its first line is its configuration,
public keys included. ${OWN_FILES}

${
  isFetched
    ? `The tree is fetched from \`${origin}\`. That origin must answer to this worker alone. 403 counts as 404, since a bucket whose
objects may be read but not listed answers 403 for a missing one: an origin that denies everything looks like one where nothing is published.
Precompressed siblings are files of their own there, without \`Content-Encoding\`.`
    : `The tree comes from the binding \`${origin}\`: anything with a \`fetch\` that serves the tree's \`public\` folder.`
}

## Run it, in this folder

On workerd and on Cloudflare:

    workerd serve workerd.capnp
    wrangler deploy

${isFetched ? urlHosts(deployment) : folderHosts(deployment)}
## Secrets

${
  secrets.length === 0
    ? 'No key of this key ring needs a secret.'
    : `These secrets are needed, under these names: ${codeList(secrets)}. On Cloudflare they are set by
\`wrangler secret put NAME\`; everywhere else they are environment variables. An empty secret refuses its keys, as a missing one does.`
}

## After a change of keys or a build of the catalogue

The key ring is part of the module: after a change of keys, run \`playbill edge build --target worker\` and deploy again.

${
  isFetched
    ? `After a build the new tree at \`${origin}\` is enough.`
    : 'On Cloudflare the tree is part of the deployment: `wrangler deploy` after each build. Everywhere else the new tree in the folder is enough.'
} A pointer is kept for ${pointerSeconds} s at most.

## Limits of this runtime

- A fetch handler sees repeated headers joined by a comma: two \`Signature-Input\` lines with different labels count as one.
- Where the runtime normalises the URL before the handler sees it, \`/x/../products/\` is \`/products/\`; the signature was then made over
  another path, and is refused.
`;
}

/** Hosts that fetch the tree. test/edge/worker-hosts.test.ts runs each example as written here. */
function urlHosts({ encodings }: WorkerDeployment): string {
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
const folderHosts = ({ origin, publicRoot }: WorkerDeployment): string => `### Deno and Bun

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
