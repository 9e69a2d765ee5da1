// The hold: `releases/hold`, a file with the id of the release that a rollback has gone back to. While it is there, builds render and
// plan but publish nothing, so that the next run from cron does not undo the rollback.

import { pathOf } from '../../render/paths.ts';
import type { TreeFiles } from './files.ts';
import { orNull } from './found.ts';
import { readHeldId } from './read.ts';

export const HOLD_PATH = pathOf({ kind: 'hold' });

export interface Hold {
  /** The release that the tree is held at; null where the file is damaged: the tree is held all the same. */
  readonly releaseId: string | null;
}

/** The hold of a tree; null where it is not held. @throws AppError tree-unreadable */
export async function readHold(files: TreeFiles): Promise<Hold | null> {
  const id = await readHeldId(files);
  return !id.ok && id.why === 'missing' ? null : { releaseId: orNull(id) };
}
