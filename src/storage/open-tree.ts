// Where a tree is: a folder, or a prefix of a bucket (`s3://bucket/prefix`). The one place that tells them apart; what a bucket needs is
// loaded only for one.

import { AppError } from '../errors.ts';
import { treeMissing } from '../release/tree/found.ts';
import type { TreeFolders } from '../release/tree/files.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { EDGE_FOLDER, RELEASES_FOLDER } from '../render/paths.ts';
import { lockKeyRing, lockTree } from './directory/lock.ts';
import { DirectoryReader } from './directory/reader.ts';
import { DirectoryStore } from './directory/store.ts';
import { refuseNoFolder } from './folder.ts';
import type { LockedTree, OnTransfer } from './locked-tree.ts';
import type { SharedTree } from './shared-tree.ts';
import { bucketAddress } from './objects/address.ts';

/** Whether a tree is in a bucket. An address of another kind counts: it is refused as one, and does not become a folder called `https:`. */
export function isInBucket(root: string): boolean {
  return /^(s3:|[a-z][a-z0-9+.-]*:\/\/)/i.test(root);
}

/** Refuses a malformed address before anything is done that does not need it yet. @throws AppError usage */
export function checkAddress(root: string): void {
  if (isInBucket(root)) bucketAddress(root);
}

/** A tree that is there, to be read. @throws AppError tree-missing, tree-unreadable, and those of buckets */
export async function openTree(root: string): Promise<TreeFolders> {
  return (await freshTrees(root))();
}

/** The same, to look at again and again: each call gives the tree as it is by then. @throws as `openTree` */
export async function freshTrees(root: string): Promise<() => TreeFolders> {
  if (!isInBucket(root)) {
    const reader = DirectoryReader.open(root);
    return () => reader;
  }
  const { openBucket } = await import('./objects/open-bucket.ts');
  const bucket = await openBucket(root);
  const entries = await bucket.entries('');
  if (entries.ok && entries.value.length === 0) throw treeMissing(root, 'nothing');
  return () => bucket.fresh();
}

/** The same, which must have releases. @throws AppError tree-missing, tree-unreadable, and those of buckets */
export async function openReleases(root: string): Promise<TreeFolders> {
  const tree = await openTree(root);
  const entries = await tree.entries('');
  if (!entries.ok || entries.value.some(({ path }) => path === RELEASES_FOLDER)) return tree;
  throw treeMissing(root, `a folder without ${RELEASES_FOLDER} in it`);
}

/**
 * The store of a tree that others may be writing, to plan with; there may be no tree yet.
 * @throws AppError tree-not-writable (something that is not a folder), tree-unreadable, and those of buckets
 */
export async function unlockedStore(root: string): Promise<ReleaseStore & TreeFolders> {
  if (isInBucket(root)) {
    const { openBucket } = await import('./objects/open-bucket.ts');
    return await openBucket(root);
  }
  refuseNoFolder(root);
  return new DirectoryStore(root);
}

/** The tree, for its one writer. A folder is made where there is none. @throws AppError tree-locked, tree-not-writable, tree-full, and those of buckets */
export async function lockedTree(root: string, onTransfer: OnTransfer = () => undefined): Promise<LockedTree> {
  if (isInBucket(root)) {
    const { lockBucket } = await import('./objects/open-bucket.ts');
    return await lockBucket(root, onTransfer);
  }
  const lock = lockTree(root);
  const store = new DirectoryStore(root);
  return { store, requests: () => null, sweep: () => store.sweep(), release: async () => lock.release() };
}

/**
 * The tree, for one of several that write nothing but content, each its own files first below `ownFolder`. @throws AppError tree-not-writable,
 * tree-full, and those of buckets
 */
export async function sharedTree(
  root: string,
  ownFolder: string,
  onTransfer: OnTransfer = () => undefined,
): Promise<SharedTree> {
  if (isInBucket(root)) {
    const { shareBucket } = await import('./objects/open-bucket.ts');
    return await shareBucket(root, onTransfer);
  }
  refuseNoFolder(root);
  const store = new DirectoryStore(root, ownFolder);
  return { store, createOnce: (file) => store.createOnce(file), requests: () => null, release: () => store.sweepOwn() };
}

/** Asks the store of a tree in a bucket whether it keeps conditions; false: a folder, which has none. @throws AppError store-not-conditional, and those of buckets */
export async function probeConditions(root: string): Promise<boolean> {
  if (!isInBucket(root)) return false;
  const { probeBucket } = await import('./objects/open-bucket.ts');
  await probeBucket(root);
  return true;
}

/**
 * Changes the key ring of a tree, which may be written meanwhile: `change` reads it and the keys to put there, and puts them by `store`. Of
 * two changes the later one stands: one holds a lock of its own, or is done again where another came in between.
 * @throws AppError tree-locked, tree-not-writable, tree-full, and what `change` throws
 */
export async function changingKeyRing<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  if (isInBucket(store.root)) return await untilUndisturbed(store, change);
  const lock = await lockKeyRing(store.root);
  try {
    return await change();
  } finally {
    try {
      // What was on its way, or what a killed run has left.
      await new DirectoryStore(store.root).sweep([EDGE_FOLDER]);
    } finally {
      lock.release();
    }
  }
}

/** Changes that meet: all but one are done again, so that after as many as meet all are done. */
const CHANGES_AT_ONCE = 20;

async function untilUndisturbed<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  for (let left = CHANGES_AT_ONCE; ; left -= 1) {
    try {
      return await change();
    } catch (error) {
      const isDisturbed = error instanceof AppError && error.code === 'tree-locked';
      if (!isDisturbed || left === 0) throw error;
      // Unless it was by a run that has taken the tree's lease: that is final.
      await store.confirmLock();
    }
  }
}
