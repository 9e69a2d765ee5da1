{{#folders}}
import { readFile } from "node:fs/promises";
{{/folders}}
import worker from "./worker.js";
{{#emptiesCache}}

// Deno never removes anything from a cache, so each start empties it, and that of an earlier version.
for (const name of ["playbill-editions", "playbill"]) await caches.delete(name).catch(() => false);
{{/emptiesCache}}

{{#folders}}
const folder = (root) => ({
  fetch: (url) =>
    readFile(root + new URL(url).pathname).then(
      (bytes) => new Response(bytes),
      ({ code }) => new Response(null, { status: code === "ENOENT" ? 404 : 500 }),
    ),
});
const bindings = {
{{bindings}}
};

export default { fetch: (request) => worker.fetch(request, { ...process.env, ...bindings }) };
{{/folders}}
{{#noFolders}}
export default { fetch: (request) => worker.fetch(request, process.env) };
{{/noFolders}}
