// Whether a store keeps the conditions of writes is found out before anything is published into it,
// once; a store that does not is refused with nothing left behind.

import { describe, expect, onTestFinished, test } from 'vitest';
import { AppError, ERRORS } from '../../src/errors.ts';
import { BucketTree, expectSameFiles, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore, type MemoryStoreOptions } from '../support/objects/memory-store.ts';
import { S3Error } from '../support/objects/messages.ts';
import { startS3rver } from '../support/objects/s3rver.ts';
import type { TestStore } from '../support/objects/test-store.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

leaveStoreAtEnd();
const catalogues = new Catalogues(temporaryFolderOfFile());

async function storeOf(options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const store = await startMemoryStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** The first build into an empty bucket of a store; its error, or null. */
async function firstBuild(store: TestStore): Promise<AppError | null> {
  useStore(store);
  const database = catalogues.at('catalogue', 'charlie');
  try {
    await buildAsCommand(database, new BucketTree(store).root, NOW);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

async function expectRefused(store: TestStore, found: RegExp): Promise<void> {
  const error = await firstBuild(store);
  expect(error).toMatchObject({ code: 'store-not-conditional' });
  expect(ERRORS['store-not-conditional'].exit).toBe(2);
  expect(error?.message).toMatch(found);
  expect([...(await store.objects()).keys()]).toEqual([]);
}

describe('a store that does not keep the conditions of writes is refused, and nothing is left in it', () => {
  test('s3rver', async () => {
    const store = await startS3rver();
    onTestFinished(() => store.close());
    await expectRefused(store, /overwrites an object under If-None-Match/);
  });

  test('one that ignores all conditions', async () => {
    await expectRefused(await storeOf({ conditions: 'ignored' }), /overwrites an object under If-None-Match/);
  });

  test('one that lets two of eight writers create an object', async () => {
    await expectRefused(
      await storeOf({ conditions: 'one-create-in-eight-lost' }),
      /lets \d of 8 writers create one object|overwrites an object/,
    );
  });

  test('one that does not know them', async () => {
    const store = await storeOf();
    store.beforeApply = ({ conditional }) => {
      if (conditional !== null) throw new S3Error('NotImplemented', 'A header you provided is not implemented');
    };
    await expectRefused(store, /answers NotImplemented/);
  });

  test('one that overwrites a version that is no longer there', async () => {
    const store = await storeOf();
    // It looks at If-None-Match alone: the version that is there takes the place of the one that
    // was asked for.
    store.beforeApply = async ({ conditional, key }) => {
      if (conditional?.startsWith('If-Match') === true) await store.delete(key);
    };
    await expectRefused(store, /If-Match/);
  });
});

test.each(['quoted', 'unquoted'] as const)(
  'a store that wants ETags %s is accepted, and asked once',
  async (dialect) => {
    const store = await storeOf({ dialect });
    expect(await firstBuild(store)).toBe(null);
    const tree = new BucketTree(store);
    await tree.judgeWhole();
    expect(JSON.parse((await tree.text('.lock')) ?? '')).toMatchObject({ dialect, owner: null });
    const keys = [...(await store.objects()).keys()];
    expect(keys.filter((key) => key.includes('.probe'))).toEqual([]);
    expect(store.log.filter(({ key }) => key.includes('.probe')).length).toBeGreaterThan(200);

    const mark = store.log.length;
    const files = await tree.files();
    await buildAsCommand(catalogues.at('other', 'charlie'), tree.root, '2026-05-01T09:10:00Z');
    expect(store.log.slice(mark).filter(({ key }) => key.includes('.probe'))).toEqual([]);
    expect(await tree.text('releases/current')).not.toBe(files.get('releases/current'));
    // Each request that writes, but for new content, was made under the condition that what was
    // read is still there.
    const writes = store.log
      .slice(mark)
      .filter(({ method, key }) => method === 'PUT' && /pointer|current|lock/.test(key));
    expect(writes.length).toBeGreaterThan(4);
    for (const { conditional } of writes)
      expect(conditional).toMatch(dialect === 'quoted' ? /^If-Match: "[0-9a-f]{32}"$/ : /^If-Match: [0-9a-f]{32}$/);
  },
);

test('where writing is not allowed, that is what is said', async () => {
  const store = await storeOf({ denied: [{ action: 'write', prefix: '' }] });
  const error = await firstBuild(store);
  expect(error).toMatchObject({ code: 'tree-not-writable' });
  expect(error?.hint).toContain('s3:PutObject');
  expect(ERRORS['tree-not-writable'].exit).toBe(6);
  expect((await store.objects()).size).toBe(0);
});

test('where removing is not allowed, the probe leaves small objects, and the build goes on', async () => {
  const store = await storeOf({ denied: [{ action: 'delete', prefix: '' }] });
  expect(await firstBuild(store)).toBe(null);
  const left = [...(await store.objects())].filter(([key]) => key.includes('.probe'));
  expect(left.length).toBeGreaterThan(0);
  expect(Math.max(...left.map(([, { bytes }]) => bytes.length))).toBeLessThan(20);
});

test('of builders that are the first at the same time, one publishes, and the others end', async () => {
  const store = await storeOf();
  useStore(store);
  const tree = new BucketTree(store);
  const database = catalogues.at('catalogue', 'charlie');
  const results = await Promise.allSettled([1, 2, 3].map(() => buildAsCommand(database, tree.root, NOW)));
  const lost = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  expect(lost).toHaveLength(2);
  for (const error of lost) expect(error).toMatchObject({ code: 'tree-locked' });
  await tree.judgeWhole();
  const alone = new BucketTree(await storeOf());
  useStore(alone.store);
  await buildAsCommand(database, alone.root, NOW);
  expectSameFiles(await tree.files(), await alone.files());
});
