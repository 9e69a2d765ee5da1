// The module for hosts that do not pass an environment to the handler, such as Deno and Bun: it
// passes their own, and the folders that are bound.
//
// Workers without bindings: Deno, Bun, Vercel and Netlify pass no environment to a handler, but may
// pass another second argument. The module written for them passes `process.env` or `Deno.env`.
// Vercel's runtime deletes `Content-Encoding` from a function's response, so precompressed siblings
// cannot be used there. Bun and Vercel resolve dots in a path before the handler sees it. On Deno a
// look-up in `process.env` takes long enough to tell a known hmac key from an unknown one (an area
// under the curve of 0.55 to 0.62 over 2,000 requests each, where 0.5 is no difference). Therefore
// the rule looks up a secret for an unknown key as well.

import { rendered } from '../../template.ts';
import { boundFolders, type Worker } from './deployment.ts';

/** `emptiesCache`: at each start, on a host whose cache never removes anything. */
export function serverModule(worker: Worker, emptiesCache: boolean): string {
  const folders = boundFolders(worker);
  return rendered('worker/server.js', {
    emptiesCache,
    folders: folders.length > 0,
    noFolders: folders.length === 0,
    bindings: folders.map(({ binding, path }) => `  ${binding}: folder(${JSON.stringify(path)}),`).join('\n'),
  });
}
