// What each host wants beside worker.js: its configuration, or a file that hands requests to the worker with the environment.
// test/edge/worker-hosts.test.ts runs each of them as it stands.

import type { DeploymentFiles } from './deployment.ts';
import { boundFolders, isCaching, type LiveRing, tokenOf, type Worker } from './worker-deployment.ts';

/** The files of a worker's host, by their paths in the folder. */
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

/** They have no environment of their own to pass, and pass something else in its place. */
function serverModule(worker: Worker): string {
  const folders = boundFolders(worker);
  // Deno itself removes nothing from its cache.
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
// Deno drops nothing from a cache by itself: each start begins with an empty one.
await caches.delete("playbill").catch(() => false);
`;

const NETLIFY_FUNCTION = `import worker from "../../worker.js";

export const config = { path: "/*" };
export default (request, context) => worker.fetch(request, Deno.env.toObject(), context);
`;

const VERCEL_MIDDLEWARE = `import worker from "./worker.js";

export const config = { runtime: "edge" };
export default (request) => worker.fetch(request, process.env);
`;

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
