// The part of the tree's layout that the edge needs, relative to out/public (snapshot.md, "The output tree"). Apart from render/paths.ts,
// whose syntax njs does not know; a test holds the two together.

import type { Endpoint } from '../../render/paths.ts';

/** X-Front after trimming (edge.md, "Decisions"): rules out lists, traversal, percent signs and capitals before a path is built. */
export const isFrontCode = (text: string): boolean => /^[a-z\d](?!.*\.\.)[a-z\d._-]{0,62}$/.test(text);

/** `fronts/<code>/pointer.json`; only for a code that isFrontCode accepted. */
export const pointerPath = (front: string): string => 'fronts/' + front + '/pointer.json';

/** `fronts/<code>/<endpoint>.<digest>.json`, the file without encoding; siblings add `.gz` and `.br`. */
export const editionPath = (front: string, endpoint: Endpoint, digest: string): string =>
  `fronts/${front}/${endpoint}.${digest}.json`;
