// A tree of more objects than a store lists in one answer is read to its end.

import { expect, test } from 'vitest';
import { openTree } from '../../src/storage/open-tree.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { startMemoryStore } from '../support/objects/memory-store.ts';

leaveStoreAtEnd();

test('1,001 releases are listed', async () => {
  await using store = await startMemoryStore();
  useStore(store);
  const tree = new BucketTree(store);
  const names = Array.from({ length: 1001 }, (_, i) => `20260501T090000Z-${i.toString(16).padStart(16, '0')}.json`);
  for (const name of names) await store.put(tree.key(`releases/${name}`), '{}');
  const listed = await (await openTree(tree.root)).list('releases');
  expect(listed.map((path) => path.replace('releases/', '')).toSorted()).toEqual(names);
});
