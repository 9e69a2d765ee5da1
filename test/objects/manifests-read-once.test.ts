// Pruning needs to know when each kept release was built for. In a bucket a manifest is read for
// that once, and again when it has changed.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pruneTree } from '../../src/operations/history.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

const OUT = 's3://bucket/tree';
const KEY = /^tree\/releases\/[0-9a-f]{16}\.json$/;

let store: MemoryStore;
let database = '';
/** Of the first release: nothing but its date is asked for. */
let oldest: string | null = null;

beforeEach(async () => {
  store = await startMemoryStore();
  for (const [name, value] of Object.entries(store.environment)) vi.stubEnv(name, value);
  const size = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'one' };
  database = catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), smallCatalogue(size));
  oldest = (await buildTree(database, OUT, instant('2026-05-01T09:00:00Z'))).releaseId;
  for (const minute of ['05', '10']) await buildTree(database, OUT, instant(`2026-05-01T09:${minute}:00Z`));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
});

async function manifestsRead(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = store.log.length;
  await work();
  const read = store.log
    .slice(before)
    .filter(({ method, key, status }) => method === 'GET' && KEY.test(key) && status === 200);
  return read.map(({ key }) => key);
}

async function manifestKeys(): Promise<readonly string[]> {
  return [...(await store.objects()).keys()].filter((key) => KEY.test(key));
}

test('a build reads the manifest of the release before it, and its own, and no other', async () => {
  const before = await manifestKeys();
  expect(before).toHaveLength(3);
  const read = await manifestsRead(() => buildTree(database, OUT, instant('2026-05-01T09:15:00Z')));
  const [own] = (await manifestKeys()).filter((key) => !before.includes(key));
  expect(new Set(read).size).toBe(2);
  expect(read).toContain(own);
});

test('one that was altered since is read again, and found: nothing is pruned', async () => {
  const key = `tree/releases/${oldest}.json`;
  const bytes = (await store.objects()).get(key)?.bytes ?? Buffer.alloc(0);
  await store.put(key, Buffer.from(bytes.toString().replace('"cards":', '"Cards":')));
  await expect(pruneTree(OUT, 0, false)).rejects.toMatchObject({ code: 'release-damaged' });
});

test('where nothing is known, as after a copy without the lease, all are read', async () => {
  await store.delete('tree/.lock');
  expect(new Set(await manifestsRead(() => pruneTree(OUT, 0, false))).size).toBe(3);
});
