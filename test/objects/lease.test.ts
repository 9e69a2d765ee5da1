// The lease of a tree in a bucket: taken, renewed, released, refused to others, and lost. By the
// store's clock, however wrong ours is.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { AppError, ERRORS } from '../../src/errors.ts';
import { pruneTree } from '../../src/operations/history.ts';
import { changingKeyRing, lockedTree } from '../../src/storage/open-tree.ts';
import {
  BucketTree,
  expectSameFiles,
  leaveStoreAtEnd,
  useStore,
  type Objects,
} from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, instant, NO_GRACE, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = '2026-05-01T09:10:00Z';

leaveStoreAtEnd();
const catalogues = new Catalogues(temporaryFolderOfFile());
let store: MemoryStore;
let tree: BucketTree;
/** A release, and nobody who writes. */
let base: Objects;
/** The same after a build of the other catalogue that nothing disturbed. */
let expected: ReadonlyMap<string, string>;

const build = () => buildAsCommand(catalogues.at('young', 'bravo'), tree.root, LATER);

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
  useStore(store);
  await buildAsCommand(catalogues.at('old', 'charlie'), tree.root, NOW);
  base = await store.objects();
  await build();
  expected = await tree.files();
});
afterAll(() => store.close());

beforeEach(async () => {
  [store.faults, store.beforeApply, store.afterApply] = [null, null, null];
  store.clock.offsetMs = 0;
  useStore(store);
  await tree.reset(base);
});

interface LeaseJson {
  readonly generation: number;
  readonly owner: string | null;
  readonly expires: number;
}

async function lease(): Promise<LeaseJson> {
  return JSON.parse((await tree.text('.lock')) ?? '') as LeaseJson;
}

/** A run elsewhere has taken the lease, and has this long. */
async function takenElsewhere(seconds: number): Promise<void> {
  const content = { schema: 1, generation: 7, owner: 'elsewhere, process 1, abc', dialect: 'quoted' };
  const expires = Math.floor(store.clock.now() / 1000) + seconds;
  await store.put(tree.key('.lock'), `${JSON.stringify({ ...content, expires })}\n`);
}

/** Does something once, when a build is about to write what this matches. */
function beforeWriting(path: RegExp, act: () => void | Promise<void>): void {
  let isDone = false;
  store.beforeApply = async ({ method, key }) => {
    if (isDone || method !== 'PUT' || !path.test(key)) return;
    isDone = true;
    await act();
  };
}

async function refusalOf(run: () => Promise<unknown>): Promise<AppError> {
  const thrown = await run().then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error('expected a refusal', { cause: thrown });
  return thrown;
}

async function expectNothingPublished(): Promise<void> {
  for (const path of ['releases/current', 'public/fronts/alpha/pointer.json', 'public/fronts/bravo/pointer.json'])
    expect(await tree.text(path), path).toBe(base.get(tree.key(path))?.bytes.toString());
  expect(await tree.text('public/fronts/charlie/pointer.json')).toBe(null);
  await tree.judgeWhole();
}

test('a build takes it, and releases it: the next one begins at once', async () => {
  const { generation } = await lease();
  const owners = new Set<string | null>();
  store.afterApply = async () => void owners.add((await lease()).owner);
  await build();
  // Nobody, the build, nobody.
  expect([...owners]).toEqual([null, expect.stringContaining(`process ${process.pid}, `)]);
  expect(await lease()).toMatchObject({ owner: null, expires: 0 });
  expect((await lease()).generation).toBeGreaterThan(generation + 2);
  await build();
  expectSameFiles(await tree.files(), expected);
});

test('who has not released it keeps others off until its end, and they say who it is and how long', async () => {
  await takenElsewhere(40);
  const refusal = await refusalOf(build);
  expect(refusal.code).toBe('tree-locked');
  expect(ERRORS[refusal.code].exit).toBe(5);
  expect(refusal.message).toContain('another run is writing s3://bucket/shop/tree (elsewhere, process 1, abc)');
  const left = Number(/lease ends in (\d+) s unless renewed$/.exec(refusal.message)?.[1]);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(41);
  await expectNothingPublished();
  expect(await lease()).toMatchObject({ generation: 7, owner: 'elsewhere, process 1, abc' });

  store.clock.advance(42_000);
  await build();
  expectSameFiles(await tree.files(), expected);
  expect((await lease()).generation).toBeGreaterThan(8);
});

test.each([-5, 5])('the clock of the store is %i hours from ours', async (hours) => {
  store.clock.offsetMs = hours * 3_600_000;
  await takenElsewhere(40);
  expect((await refusalOf(build)).message).toMatch(/lease ends in [1-4]?\d s unless renewed$/);
  store.clock.advance(42_000);
  let expires = 0;
  beforeWriting(/current$/, async () => {
    ({ expires } = await lease());
  });
  await build();
  expectSameFiles(await tree.files(), expected);
  const leftSeconds = expires - store.clock.now() / 1000;
  // Until the longest request has ended: these may take 610 s.
  expect(leftSeconds).toBeLessThan(657);
  expect(leftSeconds).toBeGreaterThan(-600);
});

test('a build that takes long renews it, and others are refused all the while', async () => {
  useStore(store, { PLAYBILL_LEASE_SECONDS: '6' });
  const renewals = (): number =>
    store.log.filter(({ method, key, status }) => method === 'PUT' && key.endsWith('/.lock') && status === 200).length;
  beforeWriting(/\/products\./, async () => {
    for (let i = 0; i < 3; i += 1) {
      const before = renewals();
      await expect.poll(renewals, { interval: 50 }).toBeGreaterThan(before);
      expect((await refusalOf(build)).code).toBe('tree-locked');
    }
  });
  await build();
  expectSameFiles(await tree.files(), expected);
});

test('it ends while a build goes on, and nobody has taken it: the build takes it again', async () => {
  for (const path of [/keyring/, /\/products\./, /\/pointer\./]) {
    await tree.reset(base);
    let generation = 0;
    beforeWriting(path, async () => {
      ({ generation } = await lease());
      store.clock.advance(LEASE_OVER_MS);
    });
    await build();
    expectSameFiles(await tree.files(), expected);
    expect((await lease()).generation).toBeGreaterThan(generation + 1);
  }
});

test('it ends while a build goes on, and somebody takes it: the build ends, and says so', async () => {
  for (const path of [/keyring/, /\/products\./, /[0-9a-f]{16}\.json$/]) {
    await tree.reset(base);
    beforeWriting(path, async () => {
      store.clock.advance(LEASE_OVER_MS);
      await takenElsewhere(40);
    });
    const refusal = await refusalOf(build);
    expect(refusal).toMatchObject({ code: 'tree-locked' });
    expect(refusal.message).toContain('(elsewhere, process 1, abc)');
    await expectNothingPublished();
    expect(await lease()).toMatchObject({ generation: 7, owner: 'elsewhere, process 1, abc' });
  }
});

test('whoever has begun and ended meanwhile is noticed as well', async () => {
  beforeWriting(/\/products\./, async () => {
    const content = { schema: 1, generation: 9, owner: null, expires: 0, dialect: 'quoted' };
    await store.put(tree.key('.lock'), `${JSON.stringify(content)}\n`);
  });
  expect((await refusalOf(build)).message).toBe('another run has begun to write s3://bucket/shop/tree');
  await expectNothingPublished();
  expect(await lease()).toMatchObject({ generation: 9, owner: null });
});

test.each([
  ['no JSON', '{"schema":1,'],
  ['nothing', ''],
  ['of no form that there is', '{"schema":1,"owner":"me"}\n'],
])('a lease that is %s is nobody’s: the store is asked again what it can, and the build goes on', async (_, text) => {
  await store.put(tree.key('.lock'), text);
  const mark = store.log.length;
  await build();
  expectSameFiles(await tree.files(), expected);
  expect(await lease()).toMatchObject({ owner: null });
  expect(store.log.slice(mark).filter(({ key }) => key.includes('.probe')).length).toBeGreaterThan(200);
});

test('one of a newer version is not taken, and nothing is written', async () => {
  await store.put(tree.key('.lock'), JSON.stringify({ ...(await lease()), schema: 2, owner: 'x', until: 'noon' }));
  const mark = store.log.length;
  expect(await refusalOf(build)).toMatchObject({ code: 'tree-newer-schema' });
  expect(store.log.slice(mark).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('somebody removes it during a build: no pointer is written, and the next build begins with none', async () => {
  beforeWriting(/\/products\./, () => store.delete(tree.key('.lock')));
  expect(await refusalOf(build)).toMatchObject({ code: 'tree-locked' });
  await expectNothingPublished();
  expect(await tree.text('.lock')).toBe(null);
  await build();
  expectSameFiles(await tree.files(), expected);
});

test('a hold that somebody puts there by hand during a build stops it before the first pointer', async () => {
  const held = base.get(tree.key('releases/current'))?.bytes.toString() ?? '';
  beforeWriting(/\/products\./, () => store.put(tree.key('releases/hold'), held));
  const refusal = await refusalOf(build);
  expect(refusal).toMatchObject({ code: 'tree-locked' });
  expect(refusal.message).toContain('a rollback of');
  await expectNothingPublished();
});

test('a pointer that somebody writes by hand during a build is not overwritten', async () => {
  const text = base.get(tree.key('public/fronts/alpha/pointer.json'))?.bytes.toString() ?? '';
  const byHand = text.replace('Europe/Moscow', 'Europe/Minsk');
  beforeWriting(/[0-9a-f]{16}\.json$/, () => store.put(tree.key('public/fronts/alpha/pointer.json'), byHand));
  const refusal = await refusalOf(build);
  expect(refusal).toMatchObject({ code: 'tree-locked' });
  expect(refusal.message).toContain('public/fronts/alpha/pointer.json');
  expect(await tree.text('public/fronts/alpha/pointer.json')).toBe(byHand);
  expect(await tree.text('releases/current')).toBe(base.get(tree.key('releases/current'))?.bytes.toString());
});

test.each(['5', '3601', '1.5', 'long'])('a lease of %s seconds is refused', async (seconds) => {
  useStore(store, { PLAYBILL_LEASE_SECONDS: seconds });
  const refusal = await refusalOf(build);
  expect(refusal).toMatchObject({ code: 'usage' });
  expect(refusal.message).toContain('expected PLAYBILL_LEASE_SECONDS to be an integer from 6 to 3600');
});

test('once it is lost it is lost for good: within what was its life, nothing is written or removed any more', async () => {
  const locked = await lockedTree(tree.root);
  await takenElsewhere(40);
  expect((await refusalOf(() => locked.store.confirmLock())).code).toBe('tree-locked');
  const before = store.log.length;
  const path = 'public/fronts/alpha/products.0123456789abcdef.json';
  await locked.store.create({ path, bytes: new TextEncoder().encode('{}') });
  expect((await refusalOf(() => locked.store.settle())).code).toBe('tree-locked');
  expect((await refusalOf(() => locked.store.remove([path]))).code).toBe('tree-locked');
  // A change of keys, which is repeated where another one comes in between, is not.
  let changes = 0;
  const change = async (): Promise<void> => {
    changes += 1;
    await locked.store.confirmLock();
  };
  expect((await refusalOf(() => changingKeyRing(locked.store, change))).code).toBe('tree-locked');
  expect(changes).toBe(1);
  await locked.release();
  expect(store.log.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  expect((await lease()).owner).toBe('elsewhere, process 1, abc');
});

test('pruning makes sure of it directly before anything is removed', async () => {
  // More releases than retention keeps.
  for (let second = 10; second < 24; second += 1) {
    const options = { horizonSeconds: 0, keep: null };
    await buildTree(catalogues.at('old', 'charlie'), tree.root, instant(`2026-05-01T10:00:${second}Z`), options);
  }
  const before = store.log.length;
  await pruneTree(tree.root, NO_GRACE, false);
  const writes = store.log.slice(before).filter(({ method }) => method === 'PUT' || method === 'DELETE');
  const removals = writes.filter(({ method }) => method === 'DELETE');
  expect(removals.length).toBeGreaterThan(0);
  const names = writes.map(({ method, key }) => `${method} ${key.slice(tree.key('').length)}`);
  // Taken, made sure of, and given back.
  expect(names.slice(0, 2)).toEqual(['PUT .lock', 'PUT .lock']);
  expect(names.at(-1)).toBe('PUT .lock');
  expect(names).toHaveLength(removals.length + 3);
});
