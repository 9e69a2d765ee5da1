// When each kept release was built for stands in its name, and what a manifest has much of stands
// in parts. So pruning reads no manifest that cannot matter, and the parts of those few that it
// needs: a bucket has a price for each request, and a large release has parts of megabytes.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pruneTree } from '../../src/operations/history.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, NO_GRACE, temporaryFolder } from '../support/trees.ts';

const OUT = 's3://bucket/tree';
const MANIFEST = /^tree\/releases\/\d{8}T\d{6}Z-[0-9a-f]{16}\.json$/;
const PART = /^tree\/releases\/(fronts|files)-[0-9a-f]{16}\.json$/;

let store: MemoryStore;
let database = '';

beforeEach(async () => {
  store = await startMemoryStore();
  for (const [name, value] of Object.entries(store.environment)) vi.stubEnv(name, value);
  const size = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'one' };
  database = catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), smallCatalogue(size));
  for (const minute of ['00', '05', '10']) await buildTree(database, OUT, instant(`2026-05-01T09:${minute}:00Z`));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
});

/** What was asked for and given, once for each request. */
async function read(pattern: RegExp, work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = store.log.length;
  await work();
  const given = store.log.slice(before).filter(({ method, status }) => method === 'GET' && status === 200);
  return given.map(({ key }) => key).filter((key) => pattern.test(key));
}

async function keys(pattern: RegExp): Promise<readonly string[]> {
  return [...(await store.objects()).keys()].filter((key) => pattern.test(key));
}

test('a build reads the parts of the release before it, and its own, and of no other', async () => {
  const before = await keys(MANIFEST);
  expect(before).toHaveLength(3);
  // The three have the same editions and pointers: they share their parts, and so does the next.
  const shared = await keys(PART);
  expect(shared).toHaveLength(2);
  const parts = await read(PART, () => buildTree(database, OUT, instant('2026-05-01T09:15:00Z')));
  expect(await keys(PART)).toEqual(shared);
  expect(new Set(parts)).toEqual(new Set(shared));
  // As published before, and of the new release.
  expect(parts.length).toBeLessThanOrEqual(4);
});

test('pruning reads one manifest if that names everything', async () => {
  const manifests = await read(MANIFEST, () => pruneTree(OUT, NO_GRACE, false));
  expect(new Set(manifests)).toEqual(new Set((await keys(MANIFEST)).slice(-1)));
});

describe('after a change', () => {
  beforeEach(async () => {
    const changed = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'two' });
    const path = catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), changed);
    await buildTree(path, OUT, instant('2026-05-01T09:15:00Z'));
  });

  test('pruning reads each manifest, for its parts, once', async () => {
    const manifests = await read(MANIFEST, () => pruneTree(OUT, NO_GRACE, false));
    expect(new Set(manifests)).toEqual(new Set(await keys(MANIFEST)));
    expect(manifests.length).toBeLessThanOrEqual(6);
  });

  test('one that was altered is found: nothing is pruned', async () => {
    const [, , key = ''] = await keys(MANIFEST);
    const bytes = (await store.objects()).get(key)?.bytes ?? Buffer.alloc(0);
    await store.put(key, Buffer.from(bytes.toString().replace('"tool":', '"Tool":')));
    await expect(pruneTree(OUT, NO_GRACE, false)).rejects.toMatchObject({ code: 'release-damaged' });
  });

  test('a part that is gone is missed, though nobody reads it: nothing is pruned', async () => {
    const [key = ''] = await keys(PART);
    await store.delete(key);
    await expect(pruneTree(OUT, NO_GRACE, false)).rejects.toMatchObject({ code: 'release-damaged' });
  });
});
