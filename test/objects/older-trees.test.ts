// A tree in a bucket that an earlier version wrote: its lease, and a build into it.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Finding } from '../../src/findings.ts';
import { verify } from '../../src/operations/verify.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { makeOlder } from '../support/older-trees.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const OUT = 's3://bucket/tree';

let store: MemoryStore;
let database = '';
let ids: readonly string[] = [];

beforeEach(async () => {
  store = await startMemoryStore();
  for (const [name, value] of Object.entries(store.environment)) vi.stubEnv(name, value);
  const folder = temporaryFolder();
  const size = { fronts: ['alpha'], productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' };
  database = catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue(size));
  const out = join(folder, 'out');
  await buildTree(database, out, instant('2026-05-01T09:00:00Z'));
  ids = makeOlder(out);
  for (const [path, text] of filesOf(out)) await store.put(`tree/${path}`, text);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
});

async function findings(): Promise<readonly string[]> {
  const found: Finding[] = [];
  const counts = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
  for await (const finding of verify(OUT, counts, () => undefined)) found.push(finding);
  return found.map(({ severity, code, place }) => `${severity} ${code} ${place}`);
}

/** A lease as earlier versions wrote it, with the dates of manifests. */
function putLease(expires: number): Promise<void> {
  const manifests = { [`releases/${ids[0]}.json`]: { version: '"x"', now: 0 } };
  const lease = { schema: 1, generation: 7, owner: 'elsewhere', expires, manifests, dialect: 'quoted' };
  return store.put('tree/.lock', `${JSON.stringify(lease)}\n`);
}

test('a run of an earlier version has the lease until it ends', async () => {
  await putLease(Math.floor(store.clock.now() / 1000) + 40);
  const thrown = await buildTree(database, OUT, instant('2026-05-01T09:05:00Z')).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'tree-locked' });
});

test('a build publishes into it, and the older release goes after the grace time', async () => {
  await putLease(0);
  const mark = store.log.length;
  const at = (time: string) => buildTree(database, OUT, instant(`2026-05-01T${time}:00Z`));
  expect(await findings()).toEqual([`warning manifest-older releases/${ids[0]}.json`]);
  await at('09:05');
  // What the store can do stands in the lease.
  expect(store.log.slice(mark).filter(({ key }) => key.includes('.probe'))).toEqual([]);
  expect(await findings()).toEqual([`warning manifest-older releases/${ids[0]}.json`]);
  await at('10:04');
  expect(await findings()).toEqual([`warning manifest-older releases/${ids[0]}.json`]);
  await at('10:05');
  expect(await findings()).toEqual([]);
});
