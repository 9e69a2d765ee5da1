// What every run that writes a tree does around its work: the lock, the tree as it is, and temporary names swept before and after.

import { PublishedTree } from '../release/tree/published.ts';
import type { LockedTree, OnTransfer } from '../storage/locked-tree.ts';
import type { RequestsJson } from '../contract/results.ts';
import { lockedTree } from '../storage/open-tree.ts';

/** What a run has asked of a bucket in all: its bill. null for a folder. */
export interface Billed {
  readonly requests: RequestsJson | null;
}

/** Does something to a tree that nobody else writes meanwhile. @throws AppError tree-…, and what `work` throws */
export async function writingTree<T extends object>(
  out: string,
  work: (published: PublishedTree, tree: LockedTree) => Promise<T>,
  onTransfer?: OnTransfer,
): Promise<T & Billed> {
  const tree = await lockedTree(out, onTransfer);
  const result = await workOn(tree, work);
  return { ...result, requests: tree.requests() };
}

async function workOn<T>(
  tree: LockedTree,
  work: (published: PublishedTree, tree: LockedTree) => Promise<T>,
): Promise<T> {
  try {
    // A newer tool's tree is refused here, before even its temporary names are touched.
    const published = await PublishedTree.read(tree.store);
    await tree.sweep();
    try {
      return await work(published, tree);
    } catch (error) {
      // What was published stands; what was on its way is removed, so that a full disk has its room back.
      await tree.sweep();
      throw error;
    }
  } finally {
    await tree.release();
  }
}
