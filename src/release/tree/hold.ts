// The hold: `releases/hold` contains the id of the release that a rollback restored. While the file
// exists, builds render and plan but publish nothing, so that the next cron job does not undo the
// rollback.

import type { Hold, PlanEntry } from '../../contract/results/parts.ts';
import { pathOf } from '../../render/paths.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { TreeFiles } from './files.ts';
import { orNull } from './found.ts';
import { readHeldId } from './read.ts';
import type { ReleaseStore } from './store.ts';
import { beginGrace } from './rollback-grace.ts';

export const HOLD_PATH = pathOf({ kind: 'hold' });

/**
 * The hold of a tree, or null. A damaged file also holds the tree.
 * @throws AppError tree-unreadable
 */
export async function readHold(files: TreeFiles): Promise<Hold | null> {
  const id = await readHeldId(files);
  return !id.ok && id.why === 'missing' ? null : { release: orNull(id) };
}

/** Holds a tree at a release. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function putHold(releaseId: string, store: ReleaseStore): Promise<PlanEntry> {
  return replaceIfChanged(HOLD_PATH, `${releaseId}\n`, store);
}

/**
 * Lets builds publish again. `currentId` is the release that they will supersede.
 * @throws AppError tree-full, tree-not-writable
 */
export async function liftHold(currentId: string | null, store: ReleaseStore): Promise<void> {
  await beginGrace(currentId, store);
  // State after a stop here: the tree is still held, and every release is kept.
  await store.remove([HOLD_PATH]);
}
