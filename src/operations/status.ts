// The state of a tree for a monitor, and what the clock brings next to it. Opens no database, writes nothing.

import type { Instant } from '../catalogue/instant.ts';
import type { StatusResultJson } from '../contract/watch-results.ts';
import { readTreeStatus } from '../release/status/read-status.ts';
import { nextChangesOf, statusOf } from '../release/status/status.ts';
import { nothingPublished } from '../release/tree/found.ts';
import { openTree } from '../storage/open-tree.ts';

/**
 * The state of a tree at an instant; `maxAgeSeconds` null: a snapshot may have any age.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function readStatus(out: string, maxAgeSeconds: number | null, at: Instant): Promise<StatusResultJson> {
  return statusOf(await readTreeStatus(await openTree(out)), maxAgeSeconds, at);
}

/**
 * The next change of every front after an instant, and what is wrong with the tree.
 * @throws AppError nothing-published, tree-missing, tree-unreadable, tree-newer-schema
 */
export async function nextChanges(out: string, at: Instant) {
  const tree = await readTreeStatus(await openTree(out));
  if (tree.fronts.length === 0) throw nothingPublished('a published front', out);
  return { next: nextChangesOf(tree, at), findings: tree.findings };
}
