// Stands in for src/storage/open-tree.ts where suites run on a bucket: opens the tree of a folder as `s3://…`, by the real module. What it
// gives back calls itself by the folder's name, as the messages do that tests compare.

import type { TreeFolders } from '../../../src/release/tree/files.ts';
import type { ReleaseStore } from '../../../src/release/tree/store.ts';
import type { LockedTree, OnTransfer } from '../../../src/storage/locked-tree.ts';
import * as real from '../../../src/storage/open-tree.ts';
import { mirrored, type MirroredTree } from './mirror.ts';

export const { checkAddress, isInBucket } = real;

export async function openTree(root: string): Promise<TreeFolders> {
  const tree = await mirrored(root);
  return filesNamed(root, tree, await tree.reading(root, () => real.openTree(tree.address)));
}

export async function freshTrees(root: string): Promise<() => TreeFolders> {
  await openTree(root);
  return () => whenRead(root, () => openTree(root));
}

export async function openReleases(root: string): Promise<TreeFolders> {
  const tree = await mirrored(root);
  return filesNamed(root, tree, await tree.reading(root, () => real.openReleases(tree.address)));
}

export async function unlockedStore(root: string): Promise<ReleaseStore & TreeFolders> {
  const tree = await mirrored(root);
  const store = await tree.reading(root, () => real.unlockedStore(tree.address));
  return { ...storeNamed(root, tree, store), ...filesNamed(root, tree, store) };
}

export async function lockedTree(root: string, onTransfer?: OnTransfer): Promise<LockedTree> {
  const tree = await mirrored(root);
  const locked = await tree.writing(root, () => real.lockedTree(tree.address, onTransfer));
  return {
    store: storeNamed(root, tree, locked.store),
    // A summary says nothing of requests where it speaks of a folder.
    requests: () => null,
    sweep: () => tree.named(root, () => locked.sweep()),
    release: async () => {
      await locked.release();
      await tree.written();
    },
  };
}

export async function changingKeyRing<T>(store: ReleaseStore, change: () => Promise<T>): Promise<T> {
  const { root } = store;
  const tree = await mirrored(root);
  const result = await tree.writing(root, () => real.changingKeyRing({ ...store, root: tree.address }, change));
  await tree.written();
  return result;
}

/** Of conditions the commands say for a folder what they say for a folder; what a probe finds is for the tests of the probe. */
export const probeConditions = real.probeConditions;

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

function filesNamed(root: string, tree: MirroredTree, files: TreeFolders): TreeFolders {
  return {
    root,
    read: (path) => tree.named(root, () => files.read(path)),
    list: (folder) => tree.named(root, () => files.list(folder)),
    size: (path) => tree.named(root, () => files.size(path)),
    entries: (folder) => tree.named(root, () => files.entries(folder)),
  };
}

function storeNamed(root: string, tree: MirroredTree, store: ReleaseStore): ReleaseStore {
  return {
    root,
    knownDates: store.knownDates,
    read: (path) => tree.named(root, () => store.read(path)),
    list: (folder) => tree.named(root, () => store.list(folder)),
    size: (path) => tree.named(root, () => store.size(path)),
    create: (file) => tree.named(root, () => store.create(file)),
    settle: () => tree.named(root, () => store.settle()),
    confirmLock: () => tree.named(root, () => store.confirmLock()),
    replace: (files) => tree.named(root, () => store.replace(files)),
    remove: (paths) => tree.named(root, () => store.remove(paths)),
  };
}

void ({
  checkAddress,
  isInBucket,
  openTree,
  freshTrees,
  openReleases,
  unlockedStore,
  lockedTree,
  probeConditions,
  changingKeyRing,
} satisfies typeof real);
