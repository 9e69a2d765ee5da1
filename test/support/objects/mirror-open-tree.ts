// Stands in for src/storage/open-tree.ts where suites run on a bucket: opens the tree of a folder
// as `s3://…`, by the real module. What it gives back calls itself by the folder's name, as the
// messages do that tests compare. An address of a bucket is opened as it is.

import type { TreeFolders } from '../../../src/release/tree/files.ts';
import type { ReleaseStore } from '../../../src/release/tree/store.ts';
import type { LockedTree, OnTransfer } from '../../../src/storage/locked-tree.ts';
import type { SharedTree } from '../../../src/storage/shared-tree.ts';
import * as real from '../../../src/storage/open-tree.ts';
import { mirrored, type MirroredTree } from './mirror.ts';

export const { isInBucket, checkAddress } = real;

/**
 * Of conditions the commands say for a folder what they say for a folder; what a probe finds is for
 * the tests of the probe.
 */
export const { probeConditions } = real;

export async function openTree(root: string): Promise<TreeFolders> {
  if (isInBucket(root)) return real.openTree(root);
  const tree = await mirrored(root);
  return named(root, tree, await tree.reading(root, () => real.openTree(tree.address)));
}

export async function freshTrees(root: string): Promise<() => TreeFolders> {
  if (isInBucket(root)) return real.freshTrees(root);
  await openTree(root);
  return () => whenRead(root, () => openTree(root));
}

export async function openReleases(root: string): Promise<TreeFolders> {
  if (isInBucket(root)) return real.openReleases(root);
  const tree = await mirrored(root);
  return named(root, tree, await tree.reading(root, () => real.openReleases(tree.address)));
}

export async function unlockedStore(root: string): Promise<ReleaseStore & TreeFolders> {
  if (isInBucket(root)) return real.unlockedStore(root);
  const tree = await mirrored(root);
  return named(root, tree, await tree.reading(root, () => real.unlockedStore(tree.address)));
}

export async function lockedTree(root: string, onTransfer?: OnTransfer): Promise<LockedTree> {
  if (isInBucket(root)) return real.lockedTree(root, onTransfer);
  const tree = await mirrored(root);
  const locked = await tree.writing(root, () => real.lockedTree(tree.address, onTransfer));
  return {
    store: named(root, tree, locked.store),
    // A summary says nothing of requests where it speaks of a folder.
    requests: () => null,
    storeSeconds: () => null,
    hasWritten: locked.hasWritten,
    sweep: () => tree.named(root, () => locked.sweep()),
    release: async () => {
      await locked.release();
      await tree.written();
    },
  };
}

export async function sharedTree(root: string, ownFolder: string, onTransfer?: OnTransfer): Promise<SharedTree> {
  if (isInBucket(root)) return real.sharedTree(root, ownFolder, onTransfer);
  const tree = await mirrored(root);
  const shared = await tree.writing(root, () => real.sharedTree(tree.address, ownFolder, onTransfer));
  return {
    store: named(root, tree, shared.store),
    createOnce: (file) => tree.named(root, () => shared.createOnce(file)),
    requests: () => null,
    hasWritten: shared.hasWritten,
    release: async () => {
      await shared.release();
      await tree.written();
    },
  };
}

export async function changingKeyRing<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  const { root } = store;
  if (isInBucket(root)) return real.changingKeyRing(store, change);
  const tree = await mirrored(root);
  const result = await tree.writing(root, () => real.changingKeyRing(named(tree.address, tree, store), change));
  await tree.written();
  return result;
}

/** A tree that is opened when something of it is read first. */
export function whenRead(root: string, open: () => Promise<TreeFolders>): TreeFolders {
  let opening: Promise<TreeFolders> | undefined;
  const files = (): Promise<TreeFolders> => (opening ??= open());
  return {
    root,
    read: async (path) => (await files()).read(path),
    list: async (folder) => (await files()).list(folder),
    size: async (path) => (await files()).size(path),
    entries: async (folder) => (await files()).entries(folder),
  };
}

/** The same, under the name of `root`, in its errors too. */
function named<Store extends { readonly root: string }>(root: string, tree: MirroredTree, store: Store): Store {
  return new Proxy(store, {
    get(target, key) {
      if (key === 'root') return root;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) =>
        tree.named(root, async (): Promise<unknown> => Reflect.apply(member, target, given));
    },
  });
}

void ({
  isInBucket,
  checkAddress,
  openTree,
  freshTrees,
  openReleases,
  unlockedStore,
  lockedTree,
  sharedTree,
  probeConditions,
  changingKeyRing,
} satisfies typeof real);
