// A machine whose clock is far from that of the store does not publish what is right at another
// time, unless somebody has typed that time. Keys are published all the same.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatInstant, instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { buildTree, temporaryFolderOfFile } from '../support/trees.ts';

leaveStoreAtEnd();
const catalogues = new Catalogues(temporaryFolderOfFile());
const database = catalogues.at('old', 'charlie');
let store: MemoryStore;
let tree: BucketTree;

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
  useStore(store);
});
afterAll(() => store.close());
beforeEach(() => tree.reset(new Map()));

/** A build as of the store's clock, or so many seconds ahead of it. */
async function buildAhead(seconds: number, isNowOfClock: boolean): Promise<Instant> {
  const now = instantOf(Math.floor(store.clock.now() / 1000) + seconds);
  await buildTree(database, tree.root, now, { isNowOfClock });
  return now;
}

async function paths(): Promise<string[]> {
  return [...(await store.objects()).keys()].map((key) => key.replace(/^.*?(?=(public|edge|releases)\/)/, ''));
}

test.each([-290, 0, 290])('a clock that is %i s ahead agrees', async (seconds) => {
  const now = await buildAhead(seconds, true);
  expect(
    (await paths()).some((path) => path.startsWith(`releases/${formatInstant(now).replaceAll(/[-:]/g, '')}-`)),
  ).toBe(true);
});

test.each([-400, 86_400])('one that is %i s ahead publishes keys alone, and exits 6', async (seconds) => {
  await expect(buildAhead(seconds, true)).rejects.toMatchObject({ code: 'clock-skewed', exitCode: 6 });
  const found = await paths();
  expect(found).toContain('edge/keyring.json');
  expect(found.filter((path) => /^(public|releases)\//.test(path))).toEqual([]);
  // With the same keys nothing is written before.
  await expect(buildAhead(seconds, true)).rejects.toMatchObject({ code: 'clock-skewed', exitCode: 2 });
});

test('an instant that somebody has typed may be any', async () => {
  await buildAhead(86_400, false);
  expect((await paths()).some((path) => path === 'releases/current')).toBe(true);
});
