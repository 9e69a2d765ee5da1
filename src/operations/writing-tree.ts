// What every run that writes a tree does around its work: the lock, the tree as it is, and temporary names swept before and after.

import { PublishedTree } from '../release/tree/published.ts';
import { lockTree } from '../storage/directory/lock.ts';
import { DirectoryStore } from '../storage/directory/store.ts';

/** Does something to a tree that nobody else writes meanwhile. @throws AppError tree-…, and what `work` throws */
export async function writingTree<T>(
  outPath: string,
  work: (published: PublishedTree, store: DirectoryStore) => Promise<T>,
): Promise<T> {
  const lock = lockTree(outPath);
  try {
    const store = new DirectoryStore(outPath);
    // A newer tool's tree is refused here, before even its temporary names are touched.
    const published = await PublishedTree.read(store);
    await store.sweep();
    try {
      return await work(published, store);
    } catch (error) {
      // What was published stands; what was on its way is removed, so that a full disk has its room back.
      await store.sweep();
      throw error;
    }
  } finally {
    lock.release();
  }
}
