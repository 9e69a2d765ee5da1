// The folder for runtimes with a fetch handler: one ES module with its configuration in front, examples of how to run it, a README.
// Pure texts. Refuses a bundle that is too large, before anybody deploys it.

import { type Deployment, type DeploymentFiles, secretNames, WORKER_BUNDLE_BYTES_MAX } from './deploy.ts';
import type { SiblingEncoding } from './encoding.ts';
import type { WorkerConfiguration } from './worker.ts';

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
  if (!isUrl(origin) && !/^[A-Za-z_]\w*$/.test(origin)) {
    throw new Error(
      `origin: expected "https://host/path" without a slash at its end, or the name of a binding, found "${origin}"`,
    );
  }
  if (!(pointerSeconds >= 0 && pointerSeconds <= 10))
    throw new Error(`pointerSeconds: expected 0 to 10, found "${pointerSeconds}"`);
  const configuration: WorkerConfiguration = { ...settings, origin, encodings, pointerSeconds, keyRing };
  const names = secretNames(keyRing);
  return [
    ['README.md', readme(deployment, names)],
    ['worker.js', `const PLAYBILL = ${JSON.stringify(configuration)};\n${bundle}`],
    ['workerd.capnp', workerdConfiguration(deployment, names)],
    ['wrangler.toml', wranglerConfiguration(deployment)],
  ];
}

function isUrl(origin: string): boolean {
  return /^https?:\/\/[^\s"\\]*[^\s"\\/]$/.test(origin);
}

/** For workerd itself; also what the tests run. */
function workerdConfiguration(deployment: WorkerDeployment, names: readonly string[]): string {
  const tree = isUrl(deployment.origin)
    ? '(name = "internet", network = (allow = ["public", "private"])),'
    : `(name = "tree", disk = (path = ${JSON.stringify(deployment.publicRoot)})),`;
  const bindings = names.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`);
  if (!isUrl(deployment.origin)) bindings.unshift(`(name = "${deployment.origin}", service = "tree"),`);
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

function wranglerConfiguration(deployment: WorkerDeployment): string {
  const assets = `
# The tree goes along as static assets, behind the worker and never beside it.
[assets]
directory = ${JSON.stringify(deployment.publicRoot)}
binding = "${deployment.origin}"
run_worker_first = true
html_handling = "none"
`;
  return `# wrangler deploy (in this folder)
name = "playbill-edge"
main = "worker.js"
compatibility_date = "2025-01-01"
${isUrl(deployment.origin) ? '' : assets}`;
}

function readme(deployment: WorkerDeployment, names: readonly string[]): string {
  const origin = isUrl(deployment.origin)
    ? `The tree is fetched from \`${deployment.origin}\`. That origin must answer to this worker alone.`
    : `The tree comes from the binding \`${deployment.origin}\`: anything with a \`fetch\` that serves the tree's \`public\` folder.`;
  const secrets =
    names.length === 0
      ? 'No key of this key ring needs a secret.'
      : `These secrets are needed, under these names, as text bindings: ${names.map((name) => `\`${name}\``).join(', ')}.
On Cloudflare: \`wrangler secret put NAME\`.`;
  return `# The edge rule of Playbill as a worker

Written by \`playbill edge build --target worker\`. \`worker.js\` is one ES module with a fetch handler, for Cloudflare Workers, workerd,
Deno, Bun, Vercel and Netlify. Its first line is its configuration, public keys included; the rest is the rule.

${origin}

## Run it

    workerd serve workerd.capnp     # on your own machine
    wrangler deploy                 # on Cloudflare

Where a runtime has no bindings, hand them in:

    import worker from './worker.js';
    Deno.serve((request) => worker.fetch(request, { NAME: Deno.env.get('NAME') }));
    Bun.serve({ fetch: (request) => worker.fetch(request, process.env) });

## Secrets

${secrets}

## After a change of keys

Run \`playbill edge build --target worker\` and deploy again: the key ring is part of the module.

A new build of the catalogue needs nothing but the new tree at the origin: a pointer is kept for ${deployment.pointerSeconds} s at most.

## Limits of this runtime

- A fetch handler sees repeated headers joined by a comma: two \`Signature-Input\` lines with different labels count as one.
- Where the runtime normalises the URL before the handler sees it, \`/x/../products/\` is \`/products/\`; the signature was then made over
  another path, and is refused.
`;
}
