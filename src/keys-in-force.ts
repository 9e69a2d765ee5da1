// Puts a change of keys into force at once, outside any build: a revocation never waits.

import { currentKeyRing } from './database/front-keys.ts';
import { openCatalogue } from './database/open.ts';
import { swapKeyRing } from './release/key-ring-swap.ts';
import { DirectoryStore } from './storage/directory-store.ts';
import { lockTree } from './storage/lock.ts';

/** Puts the catalogue's keys into force in a tree, at once. @throws AppError database-…, tree-… */
export async function putKeysIntoForce(databasePath: string, outPath: string): Promise<void> {
  const reader = await openCatalogue(databasePath);
  try {
    const lock = lockTree(outPath);
    try {
      await swapKeyRing(await currentKeyRing(reader), new DirectoryStore(outPath));
    } finally {
      lock.release();
    }
  } finally {
    await reader.close();
  }
}
