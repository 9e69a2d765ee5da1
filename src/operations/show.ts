// Shows the document that a request at an instant would get.

import type { Instant } from '../catalogue/instant.ts';
import { showDocument, type Shown } from '../release/status/show.ts';
import type { Endpoint } from '../render/paths.ts';
import { openTree } from '../storage/open-tree.ts';

/** @throws AppError nothing-published, tree-missing, tree-unreadable, tree-newer-schema */
export async function show(out: string, front: string, endpoint: Endpoint, at: Instant): Promise<Shown> {
  return showDocument(front, endpoint, await openTree(out), at);
}
