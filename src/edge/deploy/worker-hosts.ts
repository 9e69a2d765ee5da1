// How a worker is run on hosts beside Cloudflare, for the README of its folder. test/edge/worker-hosts.test.ts runs each example as it stands.

import type { SiblingEncoding } from '../rule/encoding.ts';

/** Hosts that fetch the tree. test/edge/worker-hosts.test.ts runs each example as written here. */
export function urlHosts(encodings: readonly SiblingEncoding[]): string {
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

/** A folder, and the name of the binding that is made of it. */
export interface BoundFolder {
  readonly binding: string;
  readonly path: string;
}

/** Hosts that read the tree, the key ring or both from folders, by bindings made here. Run like urlHosts. */
export const folderHosts = (folders: readonly BoundFolder[]): string => `### Deno and Bun

In \`server.js\`:

\`\`\`js
import { readFile } from "node:fs/promises";
import worker from "./worker.js";

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
\`\`\`

    deno serve --allow-env --allow-net --allow-read server.js
    bun server.js

### Vercel and Netlify

They keep no folder beside a function: \`playbill edge build --target worker --origin URL\` writes their ways.
`;
