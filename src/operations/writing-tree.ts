// What every run that writes a tree does around its work: takes the lock, reads the tree, and
// removes leftover temporary files.

import { afterWriting } from '../errors.ts';
import { PublishedTree } from '../release/tree/published.ts';
import type { LockedTree, OnTransfer } from '../storage/locked-tree.ts';
import type { RequestsJson } from '../contract/results/parts.ts';
import { lockedTree } from '../storage/open-tree.ts';

export interface RequestsMade {
  /** The run's requests to a bucket, for its bill; null for a folder. */
  readonly requests: RequestsJson | null;
}

/**
 * Runs `work` on a tree that nobody else writes meanwhile.
 * @throws AppError tree-…, and what `work` throws; with exit code 6 in place of 2
 * if something was written before
 */
export async function writingTree<T extends object>(
  out: string,
  work: (published: PublishedTree, tree: LockedTree) => Promise<T>,
  onTransfer?: OnTransfer,
): Promise<T & RequestsMade> {
  const tree = await lockedTree(out, onTransfer);
  const result = await workOn(tree, work);
  return { ...result, requests: tree.requests() };
}

async function workOn<T>(
  tree: LockedTree,
  work: (published: PublishedTree, tree: LockedTree) => Promise<T>,
): Promise<T> {
  try {
    // Refuses a newer tool's tree before touching even its temporary files.
    const published = await PublishedTree.read(tree.store);
    await tree.sweep();
    try {
      return await work(published, tree);
    } catch (error) {
      // What was published stays. Removes unfinished files, to free space on a full disk.
      await tree.sweep();
      throw error;
    }
  } catch (error) {
    throw tree.hasWritten() ? afterWriting(error) : error;
  } finally {
    await tree.release();
  }
}
