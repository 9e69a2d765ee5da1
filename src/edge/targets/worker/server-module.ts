// The module for hosts that do not pass an environment to the handler, such as Deno and Bun: it
// passes their own, and the folders that are bound.

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
