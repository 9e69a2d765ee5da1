// Opens a tree in a folder or in a bucket (`s3://bucket/prefix`). The only module that tells them
// apart. It loads the code for buckets only if it needs it.

import { AppError } from '../errors.ts';
import { treeMissing } from '../release/tree/found.ts';
import type { TreeFolders } from '../release/tree/files.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { EDGE_FOLDER, RELEASES_FOLDER } from '../render/paths.ts';
import { lockKeyRing, lockTree } from './folder/lock.ts';
import { DirectoryReader } from './folder/reader.ts';
import { DirectoryStore } from './folder/store.ts';
import { refuseNonFolder } from './write-folder.ts';
import type { LockedTree, OnTransfer } from './locked-tree.ts';
import type { SharedTree } from './shared-tree.ts';
import { bucketAddress } from './bucket/address.ts';

/**
 * Whether a tree is in a bucket. True for any URL, so that `https://…` is refused as a bad address
 * instead of becoming a folder.
 */
export function isInBucket(root: string): boolean {
  return /^(s3:|[a-z][a-z0-9+.-]*:\/\/)/i.test(root);
}

/** Refuses a malformed bucket address early, before other work. @throws AppError usage */
export function checkAddress(root: string): void {
  if (isInBucket(root)) bucketAddress(root);
}

/**
 * Opens an existing tree for reading.
 * @throws AppError tree-missing, tree-unreadable, and those of buckets
 */
export async function openTree(root: string): Promise<TreeFolders> {
  return (await freshTrees(root))();
}

/**
 * The same for repeated reading: each call of the result returns a view of the tree as it is then.
 * @throws as `openTree`
 */
export async function freshTrees(root: string): Promise<() => TreeFolders> {
  if (!isInBucket(root)) {
    const reader = DirectoryReader.open(root);
    return () => reader;
  }
  const { openBucket } = await import('./bucket/open-bucket.ts');
  const bucket = await openBucket(root);
  const entries = await bucket.entries('');
  if (entries.ok && entries.value.length === 0) throw treeMissing(root, 'nothing');
  return () => bucket.fresh();
}

/**
 * Opens an existing tree that must have releases.
 * @throws AppError tree-missing, tree-unreadable, and those of buckets
 */
export async function openReleases(root: string): Promise<TreeFolders> {
  const tree = await openTree(root);
  const entries = await tree.entries('');
  if (!entries.ok || entries.value.some(({ path }) => path === RELEASES_FOLDER)) return tree;
  throw treeMissing(root, `a folder without ${RELEASES_FOLDER} in it`);
}

/**
 * The store of a tree without its lock, for planning. Others may be writing the tree, or it may not
 * exist yet.
 * @throws AppError tree-not-writable (something that is not a folder), tree-unreadable, and those
 * of buckets
 */
export async function unlockedStore(root: string): Promise<ReleaseStore & TreeFolders> {
  if (isInBucket(root)) {
    const { openBucket } = await import('./bucket/open-bucket.ts');
    return await openBucket(root);
  }
  refuseNonFolder(root);
  return DirectoryStore.forWriting(root);
}

/**
 * Locks a tree for writing. Makes the folder if it does not exist.
 * @throws AppError tree-locked, tree-not-writable, tree-full, and those
 * of buckets
 */
export async function lockedTree(root: string, onTransfer: OnTransfer = () => undefined): Promise<LockedTree> {
  if (isInBucket(root)) {
    const { lockBucket } = await import('./bucket/open-bucket.ts');
    return await lockBucket(root, onTransfer);
  }
  const store = DirectoryStore.forWriting(root);
  const lock = lockTree(root);
  return {
    store,
    requests: () => null,
    storeSeconds: () => null,
    hasWritten: () => store.hasWritten,
    sweep: () => store.sweep(),
    release: async () => lock.release(),
  };
}

/**
 * Opens a tree for one of several processes that write content only, without the lock. Temporary
 * files go below `ownFolder`.
 * @throws AppError tree-not-writable, tree-full, and those of buckets
 */
export async function sharedTree(
  root: string,
  ownFolder: string,
  onTransfer: OnTransfer = () => undefined,
): Promise<SharedTree> {
  if (isInBucket(root)) {
    const { shareBucket } = await import('./bucket/open-bucket.ts');
    return await shareBucket(root, onTransfer);
  }
  refuseNonFolder(root);
  const store = DirectoryStore.forWriting(root, ownFolder);
  return {
    store,
    createOnce: (file) => store.createOnce(file),
    requests: () => null,
    hasWritten: () => store.hasWritten,
    release: () => store.sweepOwn(),
  };
}

/**
 * Checks that a bucket's store honours conditional writes; false for a folder, which has none.
 * @throws AppError store-not-conditional,
 * and those of buckets
 */
export async function probeConditions(root: string): Promise<boolean> {
  if (!isInBucket(root)) return false;
  const { probeBucket } = await import('./bucket/open-bucket.ts');
  await probeBucket(root);
  return true;
}

/**
 * Changes the key ring of a tree that may be in use. `change` must read the key ring and the keys,
 * and write them with `store`. Concurrent changes are serialized: by a lock in a folder, and by
 * repeating `change` after a conflict in a bucket.
 * @throws AppError tree-locked, tree-not-writable, tree-full, and what `change` throws
 */
export async function changingKeyRing<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  if (isInBucket(store.root)) return await retryOnConflict(store, change);
  const lock = await lockKeyRing(store.root);
  const sweep = (): Promise<void> => new DirectoryStore(store.root).sweep([EDGE_FOLDER]);
  try {
    // Removes the temporary files of a killed run; afterwards, those of a failed change.
    await sweep();
    return await change();
  } finally {
    try {
      await sweep();
    } finally {
      lock.release();
    }
  }
}

/**
 * Of several concurrent changes, one succeeds in each round. So this many can succeed at the same
 * time.
 */
const CHANGES_AT_ONCE = 20;

async function retryOnConflict<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  for (let left = CHANGES_AT_ONCE; ; left -= 1) {
    try {
      return await change();
    } catch (error) {
      const isConflict = error instanceof AppError && error.code === 'tree-locked';
      if (!isConflict || left === 0) throw error;
      // Throws if this run has lost the tree's lease to another one: then a retry is useless.
      await store.confirmLock();
    }
  }
}
