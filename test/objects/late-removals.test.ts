// A run is killed while a write of its own is on its way to the store that no condition guards: a
// removal, or a pointer that is later put back to the bytes that the run has read. It arrives as
// late as a request may take. The lease lasts until then, so that no other run has begun.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { pruneTree, rollBackTree } from '../../src/operations/history.ts';
import { Command } from '../support/fault/command.ts';
import { BucketTree, leaveStoreAtEnd, useStore, type Objects } from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { NO_GRACE, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = '2026-05-01T09:10:00Z';
const EDITION = /\/(products|categories)\.[0-9a-f]{16}\.json$/;

/** As by default; a store in this process answers sooner, however slow the machine is. */
const LEASE_SECONDS = 60;
const TIMEOUT_SECONDS = 600;
const SETTINGS = {
  PLAYBILL_LEASE_SECONDS: `${LEASE_SECONDS}`,
  PLAYBILL_S3_TIMEOUT_SECONDS: `${TIMEOUT_SECONDS}`,
};
/** Between two attempts of the other run. */
const STEP_SECONDS = 20;
/** For how long after its last renewal a run sends requests at most. */
const SENDING_SECONDS = LEASE_SECONDS * 0.75;

leaveStoreAtEnd();
const command = new Command();
const folder = temporaryFolderOfFile();
const catalogues = new Catalogues(folder);
const old = catalogues.at('old', 'charlie');
const young = catalogues.at('young', 'bravo');
/** Of the newer release. */
let buildWords: readonly string[];
let store: MemoryStore;
let tree: BucketTree;
/**
 * The older release; the same with what the newer one will need; the newer one, and the same held
 * at the older one.
 */
let released: Objects;
let orphaned: Objects;
let held: Objects;

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
  useStore(store, SETTINGS);
  const options = ['--now', LATER, '--horizon', '20m', '--allow', 'max-shrink', 'min-cards', '--json'];
  buildWords = ['build', '--db', young, '--out', tree.root, ...options];
  const { releaseId } = await buildAsCommand(old, tree.root, NOW);
  released = await store.objects();
  await buildAsCommand(young, tree.root, LATER);
  orphaned = new Map([...[...(await store.objects())].filter(([key]) => EDITION.test(key)), ...released]);
  await rollBackTree(tree.root, releaseId ?? '');
  held = await store.objects();
});
afterAll(() => store.close());

/**
 * Kills a run of the command while some of its writes, as `PUT key`, are on their way. They were
 * sent as late as the lease allows.
 */
async function killedThenAnother(
  words: readonly string[],
  isLate: RegExp,
  another: () => Promise<unknown>,
): Promise<{ readonly arrived: readonly string[]; readonly refusals: readonly string[] }> {
  let arrive = (): void => undefined;
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const late = new Set<number>();
  const arrived: string[] = [];
  let renewedAt = 0;
  const { child, ended } = command.start(words);
  store.afterApply = ({ n, method, key }) => {
    if (method === 'PUT' && key.endsWith('/.lock') && child.signalCode === null) renewedAt = store.clock.now();
    if (late.has(n)) arrived.push(key);
  };
  store.faults = ({ n, method, key }) => {
    if (!isLate.test(`${method} ${key}`)) return null;
    late.add(n);
    child.kill('SIGKILL');
    return { kind: 'hold', until: arrival };
  };
  expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  store.faults = null;
  const refusals = await anotherWhile(renewedAt + SENDING_SECONDS * 1000, another, async () => {
    arrive();
    while (arrived.length < late.size) await sleep(1);
  });
  store.afterApply = null;
  return { arrived, refusals };
}

/**
 * Another run tries again and again. What was sent at an instant of the store's clock arrives as
 * late as it may.
 * @returns what it was told
 */
async function anotherWhile(
  sentAt: number,
  another: () => Promise<unknown>,
  arrive: () => Promise<unknown>,
): Promise<readonly string[]> {
  const refusals: string[] = [];
  let [isDone, isArrived] = [false, false];
  for (; !isDone || !isArrived; store.clock.advance(STEP_SECONDS * 1000)) {
    if (!isArrived && store.clock.now() >= sentAt + (TIMEOUT_SECONDS - 1) * 1000) {
      await arrive();
      isArrived = true;
    }
    if (isDone) continue;
    try {
      await another();
      isDone = true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'tree-locked') throw error;
      refusals.push(error.message);
    }
  }
  return refusals;
}

test('who prunes is killed: what the next one publishes is there', async () => {
  await tree.reset(orphaned);
  const { arrived } = await killedThenAnother(['prune', '--grace', '0', '--json', '--out', tree.root], /^DELETE /, () =>
    buildAsCommand(young, tree.root, LATER),
  );
  expect(arrived.filter((key) => !EDITION.test(key))).toEqual([]);
  await tree.judgeWhole();
});

test('a build that takes a front away is killed: where the next one has it, its pointer stays', async () => {
  await tree.reset(released);
  const { arrived } = await killedThenAnother(buildWords, /^DELETE /, () =>
    buildAsCommand(old, tree.root, '2026-05-01T09:12:00Z'),
  );
  expect(arrived).toEqual([tree.key('public/fronts/bravo/pointer.json')]);
  expect(await tree.text('public/fronts/bravo/pointer.json')).not.toBe(null);
  await tree.judgeWhole();
});

test('a build is killed: a rollback to the release before it leaves the pointers of that one', async () => {
  await tree.reset(released);
  const before = await tree.state();
  const { arrived } = await killedThenAnother(buildWords, /^PUT .*\/alpha\/pointer\.json$/, () =>
    rollBackTree(tree.root, 'current'),
  );
  expect(arrived).toEqual([tree.key('public/fronts/alpha/pointer.json')]);
  const { pointers, current, hold } = await tree.state();
  expect(pointers.get('alpha')).toBe(before.pointers.get('alpha'));
  expect([current, hold]).toEqual([before.current, `{"all":"${before.current?.trimEnd()}"}\n`]);
});

test('a run that lifts a hold is killed: a rollback after it holds; until then it says how long it must wait', async () => {
  await tree.reset(held);
  const { arrived, refusals } = await killedThenAnother(
    ['rollback', '--resume', '--json', '--out', tree.root],
    /^DELETE /,
    () => rollBackTree(tree.root, 'current'),
  );
  expect(arrived).toEqual([tree.key('releases/hold')]);
  expect(await tree.text('releases/hold')).not.toBe(null);
  const waits = refusals.map((text) =>
    Number(/another run is writing s3:.*; its lease ends in (\d+) s/.exec(text)?.[1]),
  );
  expect(waits.at(0)).toBeGreaterThan(TIMEOUT_SECONDS);
  expect(waits.at(-1)).toBeLessThanOrEqual(STEP_SECONDS);
});

test('a removal gets no answer, and is repeated: until the first one can arrive no more, no other run begins', async () => {
  await tree.reset(orphaned);
  let [lost, sentAt] = ['', 0];
  store.faults = ({ method, key }) => {
    if (method !== 'DELETE' || lost !== '') return null;
    [lost, sentAt] = [key, store.clock.now()];
    return { kind: 'reset' };
  };
  await pruneTree(tree.root, NO_GRACE, false);
  store.faults = null;
  const build = () => buildAsCommand(young, tree.root, LATER);
  const refusals = await anotherWhile(sentAt, build, () => store.delete(lost));
  expect(refusals.length).toBeGreaterThan(1);
  await tree.judgeWhole();
});

test('a run that has ended in good order delays nobody', async () => {
  await tree.reset(orphaned);
  await pruneTree(tree.root, NO_GRACE, false);
  await buildAsCommand(young, tree.root, LATER);
  await tree.judgeWhole();
});
