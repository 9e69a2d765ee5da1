// Compressed siblings: compressed in the background, written by the build's own hand alone.

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { missing } from '../../src/release/tree/found.ts';
import type { ReleaseStore } from '../../src/release/tree/store.ts';
import { precompressingStore } from '../../src/storage/precompress.ts';

const EDITIONS = Array.from({ length: 40 }, (_, i) => ({
  path: `public/fronts/moscow/products.${String(i).padStart(16, '0')}.json`,
  bytes: randomBytes(200_000),
}));

/** A store in memory that refuses from the n-th file on. */
function memoryStore(filesTaken: number): { readonly store: ReleaseStore; readonly created: Map<string, Uint8Array> } {
  const created = new Map<string, Uint8Array>();
  let asked = 0;
  const store: ReleaseStore = {
    root: '/',
    askSize: null,
    read: async (path) => missing(path),
    size: async (path) => missing(path),
    list: async () => [...created.keys()],
    create: async ({ path, bytes }) => {
      if (++asked > filesTaken) throw new Error('full');
      created.set(path, bytes.slice());
    },
    settle: async () => [],
    confirmLock: async () => undefined,
    replace: async () => undefined,
    remove: async () => undefined,
  };
  return { store, created };
}

test('every edition has its siblings once the store is settled, whatever became of the bytes that it was made from', async () => {
  const { store, created } = memoryStore(Infinity);
  const precompressing = precompressingStore(store, ['gzip', 'br']);
  const reused = new Uint8Array(200_000);
  for (const { path, bytes } of EDITIONS) {
    reused.set(bytes);
    await precompressing.create({ path, bytes: reused });
  }
  await precompressing.settle();
  expect(created.size).toBe(3 * EDITIONS.length);
  for (const { path, bytes } of EDITIONS) expect(gunzipSync(created.get(`${path}.gz`) ?? '').equals(bytes)).toBe(true);
});

test('when a write fails, nothing is written any more: the disk is swept and the lock released then', async () => {
  for (const filesTaken of [1, 15, 60, 119]) {
    const { store, created } = memoryStore(filesTaken);
    const precompressing = precompressingStore(store, ['gzip', 'br']);
    const build = async (): Promise<void> => {
      for (const { path, bytes } of EDITIONS) await precompressing.create({ path, bytes });
      await precompressing.settle();
    };
    await expect(build()).rejects.toThrow('full');
    // As if there were room again.
    created.clear();
    Object.assign(store, { create: async (path: string, bytes: Uint8Array) => void created.set(path, bytes) });
    await setTimeout(300);
    expect([...created.keys()], `after ${filesTaken}`).toEqual([]);
  }
});
