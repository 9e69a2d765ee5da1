// Puts a change of keys into force at once, outside any build: a revocation never waits.

import { currentKeyRing } from './database/front-keys.ts';
import { openCatalogue } from './database/open.ts';
import { swapKeyRing } from './release/key-ring-swap.ts';
import { PublishedTree } from './release/published.ts';
import { DirectoryStore } from './storage/directory-store.ts';
import { lockTree } from './storage/lock.ts';

/**
 * Puts the catalogue's keys into force in a tree, at once. The lock comes first, so that of two changes the later one stands.
 * @throws AppError database-…, tree-…
 */
export async function putKeysIntoForce(databasePath: string, outPath: string): Promise<void> {
  const lock = lockTree(outPath);
  try {
    const store = new DirectoryStore(outPath);
    // A newer tool's tree is refused before its key ring is touched.
    const { keyRing } = await PublishedTree.read(store);
    const reader = await openCatalogue(databasePath);
    try {
      await swapKeyRing(await currentKeyRing(reader, keyRing), store);
    } finally {
      await reader.close();
    }
  } finally {
    lock.release();
  }
}
