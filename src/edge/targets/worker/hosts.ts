// The file that each host needs in addition to worker.js: its configuration, or a module that calls the worker with the environment.
// test/edge/worker-hosts.test.ts runs each of them unchanged.

import type { DeploymentFiles } from '../deployment.ts';
import { boundFolders, isCaching, type KeyRingSource, tokenOf, type Worker } from './deployment.ts';

/** The host's files, by their paths in the folder. */
export function hostFiles(worker: Worker): DeploymentFiles {
  switch (worker.target) {
    case 'worker':
      return [['workerd.capnp', workerdConfiguration(worker)]];
    case 'cloudflare':
      return [['wrangler.toml', wranglerConfiguration(worker)]];
    case 'deno':
    case 'bun':
      return [['server.js', serverModule(worker)]];
    case 'netlify':
      return [['netlify/edge-functions/playbill.js', NETLIFY_FUNCTION]];
    case 'vercel':
      return [['middleware.js', VERCEL_MIDDLEWARE]];
  }
}

/** Deno and Bun do not pass an environment to the handler, so this module does. */
function serverModule(worker: Worker): string {
  const folders = boundFolders(worker);
  const emptied = worker.target === 'deno' && isCaching(worker) ? EMPTIED_CACHE : '';
  if (folders.length === 0)
    return `import worker from "./worker.js";
${emptied}
export default { fetch: (request) => worker.fetch(request, process.env) };
`;
  return `import { readFile } from "node:fs/promises";
import worker from "./worker.js";
${emptied}
const folder = (root) => ({
  fetch: (url) =>
    readFile(root + new URL(url).pathname).then(
      (bytes) => new Response(bytes),
      ({ code }) => new Response(null, { status: code === "ENOENT" ? 404 : 500 }),
    ),
});
const bindings = {
${folders.map(({ binding, path }) => `  ${binding}: folder(${JSON.stringify(path)}),`).join('\n')}
};

export default { fetch: (request) => worker.fetch(request, { ...process.env, ...bindings }) };
`;
}

const EMPTIED_CACHE = `
// Deno never removes anything from a cache, so each start empties it, and that of an earlier version.
for (const name of ["playbill-editions", "playbill"]) await caches.delete(name).catch(() => false);
`;

const NETLIFY_FUNCTION = `import worker from "../../worker.js";

export const config = { path: "/*" };
export default (request, context) => worker.fetch(request, Deno.env.toObject(), context);
`;

const VERCEL_MIDDLEWARE = `import worker from "./worker.js";

export const config = { runtime: "edge" };
export default (request) => worker.fetch(request, process.env);
`;

function workerdConfiguration(worker: Worker): string {
  const { tree, keySecrets, treeSecrets, ringSource } = worker;
  const folders = boundFolders(worker);
  const services = folders.map(
    ({ binding, path }) => `(name = "${binding}-folder", disk = (path = ${JSON.stringify(path)})),`,
  );
  if (tree.kind !== 'binding' || ringSource.kind === 'url')
    services.push(
      '(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),',
    );
  const names = [...keySecrets, ...treeSecrets, ...tokenOf(worker)];
  const bindings = [
    ...folders.map(({ binding }) => `(name = "${binding}", service = "${binding}-folder"),`),
    ...names.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`),
  ];
  return `# In this folder, run: workerd serve workerd.capnp. Secrets come from the environment.

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
${isCaching(worker) ? BROTLI_FLAGS : ''}  bindings = [
    ${bindings.join('\n    ')}
  ],
);
`;
}

const BROTLI = '# Brings the decoder with which the worker compares brotli siblings with their names.';
const BROTLI_FLAGS = `  ${BROTLI}\n  compatibilityFlags = ["nodejs_compat"],\n`;
const BROTLI_FLAG = `${BROTLI}\ncompatibility_flags = ["nodejs_compat"]\n`;

function wranglerConfiguration(worker: Worker): string {
  return `# In this folder, run: wrangler deploy
name = "playbill-edge"
main = "worker.js"
compatibility_date = "2025-01-01"
${isCaching(worker) ? BROTLI_FLAG : ''}${wranglerTree(worker)}${worker.ringSource.kind === 'binding' ? wranglerKeyRing(worker.ringSource) : ''}`;
}

/** Without an id, wrangler creates the namespace. */
const wranglerKeyRing = ({ location }: KeyRingSource): string => `
# The key ring. After the first deployment and after each change of keys, run: wrangler kv key put --remote --binding ${location} keyring.json --path TREE/edge/keyring.json
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
# The tree is deployed as static assets. Every request must go through the worker: without run_worker_first clients could read them directly.
[assets]
directory = ${JSON.stringify(publicRoot)}
binding = "${tree.origin}"
run_worker_first = true
html_handling = "none"
`;
    case 'r2':
      return `
# The bucket with the tree. Keep public access to it off.
[[r2_buckets]]
binding = "${tree.origin}"
bucket_name = "${tree.bucket}"
`;
  }
}
