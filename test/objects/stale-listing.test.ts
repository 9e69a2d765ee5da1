// A store whose listings go on showing what has been removed. A listing is an optimisation and
// never a proof: whatever a run publishes is there, and a run that finds all as it should be asks
// no more of the store than ever.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pruneTree, resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { publishKeys } from '../../src/operations/publish-keys.ts';
import {
  BucketTree,
  expectSameFiles,
  leaveStoreAtEnd,
  useStore,
  type Objects,
} from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import type { LoggedRequest } from '../support/objects/test-store.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { buildOneShard, finishShards } from '../support/shards.ts';
import { buildTree, instant, KEY_SETTINGS, NO_GRACE, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = '2026-05-01T09:10:00Z';
const EDITION = /\/(products|categories)\.[0-9a-f]{16}\.json(\.gz)?$/;

leaveStoreAtEnd();
const catalogues = new Catalogues(temporaryFolderOfFile());
const old = catalogues.at('old', 'charlie');
const young = catalogues.at('young', 'bravo');
const GZIPPED = {
  horizonSeconds: 1200,
  guards: { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false },
  precompress: ['gzip'],
} as const;
let store: MemoryStore;
let tree: BucketTree;
/**
 * The older release, and the content of the newer one, with compressed siblings, to which nothing
 * refers.
 */
let base: Objects;

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
  useStore(store);
  await buildAsCommand(old, tree.root, NOW);
  const released = await store.objects();
  await buildTree(young, tree.root, instant(LATER), GZIPPED);
  base = new Map([...[...(await store.objects())].filter(([key]) => EDITION.test(key)), ...released]);
});
afterAll(() => store.close());

beforeEach(async () => {
  store.listRemoved(false);
  await tree.reset(base);
});

/** The files after a build into the pruned tree whose listings are true. */
async function expectedAfter(build: () => Promise<unknown>): Promise<ReadonlyMap<string, string>> {
  await pruneTree(tree.root, NO_GRACE, false);
  await build();
  const files = await tree.files();
  await tree.reset(base);
  return files;
}

/** Removes the content of the newer release, which listings go on showing. */
async function pruneUnseen(): Promise<void> {
  store.listRemoved(true);
  const { pruned } = await pruneTree(tree.root, NO_GRACE, false);
  expect(pruned.files).toBeGreaterThan(3);
}

function editionsIn(log: readonly LoggedRequest[]): string[] {
  return log.filter(({ key }) => EDITION.test(key)).map(({ method, key, status }) => `${method} ${key} ${status}`);
}

test('a build creates what a listing shows and the current release does not name', async () => {
  const build = () => buildAsCommand(young, tree.root, LATER);
  const expected = await expectedAfter(build);
  await pruneUnseen();
  await build();
  await tree.judgeWhole();
  expectSameFiles(await tree.files(), expected);
});

test('so it does their compressed siblings', async () => {
  const build = () => buildTree(young, tree.root, instant(LATER), GZIPPED);
  const expected = await expectedAfter(build);
  expect([...expected.keys()].filter((path) => path.endsWith('.gz')).length).toBeGreaterThan(1);
  await pruneUnseen();
  await build();
  await tree.judgeWhole();
  expectSameFiles(await tree.files(), expected);
});

test('where it is there, the store refuses, and it is neither read nor written', async () => {
  const mark = store.log.length;
  const { outcomes } = await buildAsCommand(young, tree.root, LATER);
  const asked = editionsIn(store.log.slice(mark));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((request) => !/^PUT .* 412$/.test(request))).toEqual([]);
  expect(outcomes.flatMap(({ plan }) => plan.map(({ action }) => action))).not.toContain('put');
  await tree.judgeWhole();
});

test('so it is where the store refuses to write what is under retention, whatever the condition', async () => {
  store.locked = [...base.keys()].filter((key) => EDITION.test(key));
  const { outcomes } = await buildAsCommand(young, tree.root, LATER);
  store.locked = [];
  expect(outcomes.map(({ held }) => held)).toEqual([null, null]);
  await tree.judgeWhole();
});

test('what has other bytes of the same number is left as it is, as where the current release names it', async () => {
  const [key, object] = [...base].find(([name]) => EDITION.test(name) && name.includes('/charlie/')) ?? ['', null];
  const damaged = Buffer.from(object?.bytes.toString().replaceAll('young', 'yours') ?? '');
  await store.put(key, damaged);
  await buildAsCommand(young, tree.root, LATER);
  expect((await store.objects()).get(key)?.bytes.equals(damaged)).toBe(true);
  expect(await tree.text('public/fronts/charlie/pointer.json')).not.toBe(null);
});

test('a build in which nothing has changed asks for no edition', async () => {
  await buildAsCommand(old, tree.root, '2026-05-01T09:01:00Z');
  const mark = store.log.length;
  await buildAsCommand(old, tree.root, '2026-05-01T09:02:00Z');
  const log = store.log.slice(mark);
  expect(editionsIn(log)).toEqual([]);
  expect(log.filter(({ method }) => method === 'PUT')).toHaveLength(5);
});

const RUN = { run: 'r', total: 2 };
const SHARD_OPTIONS = { horizonSeconds: 1200, guards: GZIPPED.guards };

async function shards(): Promise<void> {
  for (const index of [0, 1])
    await buildOneShard({ ...RUN, index, databasePath: young, outPath: tree.root }, instant(LATER), SHARD_OPTIONS);
}

const finish = () => finishShards({ ...RUN, outPath: tree.root }, { keep: null });

test('shards create it, too', async () => {
  await pruneUnseen();
  await shards();
  const { outcomes } = await finish();
  expect(outcomes.map(({ held }) => held)).toEqual([null, null]);
  await tree.judgeWhole();
});

test('finish publishes no front of which a file has been removed since, whatever the listing shows', async () => {
  await shards();
  const before = await tree.state();
  store.listRemoved(true);
  const [gone = ''] = [...base.keys()].filter((key) => EDITION.test(key) && key.includes('/charlie/products.'));
  await store.delete(gone);
  const { outcomes } = await finish();
  expect(outcomes.map(({ code, held }) => [code, held])).toEqual([
    ['alpha', null],
    ['charlie', 'shard-missing'],
  ]);
  expect((await tree.state()).pointers.get('charlie')).toBe(before.pointers.get('charlie'));
  await tree.judgeWhole();
  // As the finding says.
  await shards();
  await finish();
  expect((await tree.state()).pointers.has('charlie')).toBe(true);
  await tree.judgeWhole();
});

test('finish asks the store only for what the current release does not name, and does not read it', async () => {
  await shards();
  const mark = store.log.length;
  await finish();
  const asked = editionsIn(store.log.slice(mark));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((request) => !/^GET .* 206$/.test(request))).toEqual([]);
  const again = store.log.length;
  await finish();
  expect(editionsIn(store.log.slice(again))).toEqual([]);
});

test('a rollback reads every file itself: without one of them it changes nothing', async () => {
  const { releaseId } = await buildAsCommand(young, tree.root, LATER);
  await rollBackTree(tree.root, 'current~1');
  await resumeTree(tree.root);
  const before = await tree.state();
  store.listRemoved(true);
  const gone = [...base.keys()].find((key) => EDITION.test(key) && key.includes('/charlie/products.')) ?? '';
  await store.delete(gone);
  await expect(rollBackTree(tree.root, releaseId ?? '')).rejects.toMatchObject({ code: 'release-damaged' });
  expect(await tree.state()).toEqual(before);
  // The build after it puts back what is missing.
  await buildAsCommand(young, tree.root, '2026-05-01T09:12:00Z');
  await tree.judgeWhole();
  expect((await tree.state()).pointers.has('charlie')).toBe(true);
});

test('a front whose pointer a stopped run has removed gets one again', async () => {
  store.listRemoved(true);
  store.faults = ({ method, key }) =>
    method === 'PUT' && key.endsWith('/current') ? { kind: 'refusal', code: 'AccessDenied' } : null;
  await expect(buildTree(young, tree.root, instant(LATER), GZIPPED)).rejects.toMatchObject({
    code: 'tree-not-writable',
  });
  store.faults = null;
  const pointer = 'public/fronts/bravo/pointer.json';
  expect(await tree.text(pointer)).toBe(null);
  const { findings } = await buildAsCommand(old, tree.root, '2026-05-01T09:12:00Z');
  expect(findings).toEqual([]);
  expect(await tree.text(pointer)).not.toBe(null);
  await tree.judgeWhole();
});

describe('pointers that have not moved', () => {
  /** The pointers that work reads. */
  const pointersReadBy = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const mark = store.log.length;
    await work();
    const read = store.log.slice(mark).filter(({ method, key }) => method === 'GET' && key.endsWith('/pointer.json'));
    return read.map(({ key }) => key);
  };
  const build = () => buildAsCommand(old, tree.root, '2026-05-01T09:01:00Z');

  test('are not read: the listing has their digests', async () => {
    expect(await pointersReadBy(build)).toEqual([]);
    await tree.judgeWhole();
  });

  test('one that another program has moved is read, and written again', async () => {
    const key = tree.key('public/fronts/alpha/pointer.json');
    const text = (await tree.text('public/fronts/alpha/pointer.json')) ?? '';
    await store.put(key, text.replace('{', '{ '));
    expect(await pointersReadBy(build)).toEqual([key]);
    expect(await tree.text('public/fronts/alpha/pointer.json')).not.toContain('{ ');
  });

  test('all are read while a rollback holds the tree: it may have stopped', async () => {
    await rollBackTree(tree.root, 'current');
    const read = await pointersReadBy(() => rollBackTree(tree.root, 'current'));
    expect(read.length).toBeGreaterThan(1);
  });

  test('all are read after a run that has stopped', async () => {
    store.faults = ({ method, key }) =>
      method === 'PUT' && key.endsWith('/current') ? { kind: 'refusal', code: 'AccessDenied' } : null;
    await expect(buildTree(young, tree.root, instant(LATER), GZIPPED)).rejects.toThrow(/./);
    store.faults = null;
    const again = () => buildAsCommand(young, tree.root, '2026-05-01T09:12:00Z');
    expect((await pointersReadBy(again)).length).toBeGreaterThan(1);
    await tree.judgeWhole();
  });
});

test('a front whose pointer is gone is not published to changes of keys', async () => {
  store.listRemoved(true);
  await store.delete(tree.key('public/fronts/bravo/pointer.json'));
  const only = catalogues.at('only', 'nobody');
  const keys = await publishKeys(only, tree.root, KEY_SETTINGS, instant(LATER));
  expect(keys.guards).toEqual([]);
});
