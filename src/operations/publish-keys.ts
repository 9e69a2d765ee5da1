// Puts a change of keys into force at once, outside any build: a revocation never waits, not even for a build that is writing the tree.

import type { KeyRing } from '../contract/key-ring.ts';
import { currentKeyRing } from '../database/write/front-keys.ts';
import { openCatalogue } from '../database/open.ts';
import { swapKeyRing } from '../release/publish/key-ring.ts';
import { Obstruction, orObstruction } from '../release/tree/obstruction.ts';
import type { PlanEntry } from '../release/publish/plan.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { parseKeyRing } from '../release/tree/codec.ts';
import { EDGE_FOLDER, pathOf } from '../render/paths.ts';
import { DirectoryStore } from '../storage/directory/store.ts';
import { lockKeyRing } from '../storage/directory/lock.ts';

/**
 * Puts the catalogue's keys into force in a tree, at once, whoever else writes it.
 * @throws AppError database-…, tree-…
 */
export async function putKeysIntoForce(databasePath: string, outPath: string): Promise<void> {
  const store = new DirectoryStore(outPath);
  // A newer tool's tree is refused before anything of it is touched.
  await PublishedTree.read(store);
  await replaceKeyRing(outPath, store, (inForce) => keysNow(databasePath, inForce));
}

/**
 * Replaces the key ring of a tree by what `read` gives, which is handed the one in force. Under the key ring's own lock, held for the
 * reading as well: so that of two changes the later one stands, and no key ring is followed by one that was read before it.
 * @throws AppError tree-…, and what `read` throws
 */
export async function replaceKeyRing(
  outPath: string,
  store: ReleaseStore,
  read: (inForce: KeyRing | null) => Promise<KeyRing>,
): Promise<readonly PlanEntry[]> {
  const lock = await lockKeyRing(outPath);
  try {
    try {
      return await swapKeyRing(await read(await keyRingOf(store)), store);
    } finally {
      // What was on its way, or what a killed run has left.
      new DirectoryStore(outPath).sweep([EDGE_FOLDER]);
    }
  } finally {
    lock.release();
  }
}

/** The keys as the catalogue has them at this moment, in a transaction of their own. @throws AppError database-… */
export async function keysNow(databasePath: string, inForce: KeyRing | null): Promise<KeyRing> {
  const reader = await openCatalogue(databasePath);
  try {
    return await currentKeyRing(reader, inForce);
  } finally {
    await reader.close();
  }
}

/** The key ring in force; null where there is none that can be read. @throws AppError tree-newer-schema, tree-unreadable */
async function keyRingOf(store: ReleaseStore): Promise<KeyRing | null> {
  const path = pathOf({ kind: 'key-ring' });
  const bytes = await orObstruction(store.read(path));
  return bytes === undefined || bytes instanceof Obstruction ? null : parseKeyRing(bytes, path).value;
}
