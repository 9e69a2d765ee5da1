// The hold: `releases/hold`, a file with the id of the release that a rollback has gone back to. While it is there, builds
// render and plan but publish nothing, so that the next run from cron does not undo the rollback.

import { pathOf } from '../../render/paths.ts';
import { beginGrace } from '../history/grace.ts';
import type { Plan } from '../publish/plan.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { ReleaseStore } from './store.ts';
import { parseCurrent } from './codec.ts';

const PATH = pathOf({ kind: 'hold' });

export interface Hold {
  /** The release that the tree is held at; null where the file is damaged: the tree is held all the same. */
  readonly releaseId: string | null;
}

/** The hold of a tree; null where it is not held. @throws AppError tree-unreadable */
export async function readHold(store: ReleaseStore): Promise<Hold | null> {
  const bytes = await store.read(PATH);
  return bytes === undefined ? null : { releaseId: parseCurrent(bytes).value };
}

/** Holds a tree at a release. @throws AppError tree-full, tree-not-writable */
export async function putHold(releaseId: string, store: ReleaseStore, plan: Plan): Promise<void> {
  await replaceIfChanged(PATH, new TextEncoder().encode(`${releaseId}\n`), store, plan);
}

/** Lets builds publish again. `inForceId` is what they will supersede. @throws AppError tree-full, tree-not-writable */
export async function liftHold(inForceId: string | null, store: ReleaseStore): Promise<void> {
  await beginGrace(inForceId, store);
  // State after a stop here: held still, and every release is kept.
  await store.remove([PATH]);
}
