// Builders that publish changing catalogues into one bucket, all at once and again and again, while
// others go back, prune and change keys, and readers look: there is one line of releases, nobody's
// release is lost, and no reader sees anything torn.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { pruneTree, resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { manifestOf } from '../support/manifests.ts';
import { instant, NO_GRACE, temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK } from '../speeds.ts';

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: MemoryStore;
let tree: BucketTree;

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
});
afterAll(() => store.close());

/**
 * What has become of a mutable file: each version that was written, and the condition under which
 * it was.
 */
interface Line {
  readonly values: string[];
  readonly unconditional: string[];
}

/**
 * Watches every write of what is not written once: whether it was made under the condition that
 * what is there is what its run had read.
 */
function watchLines(): Map<string, Line> {
  const lines = new Map<string, Line>();
  const before = new Map<string, string | null>();
  const isMutable = (key: string): boolean => !/\/(products|categories)\.|[/-][0-9a-f]{16}\.json$|\.probe/.test(key);
  store.beforeApply = async ({ n, method, key }) => {
    if (method === 'PUT' && isMutable(key))
      before.set(`${n}`, (await store.objects()).get(key)?.bytes.toString() ?? null);
  };
  store.afterApply = async ({ n, method, key, status, conditional }) => {
    if (method !== 'PUT' || status !== 200 || !isMutable(key)) return;
    const old = before.get(`${n}`) ?? null;
    const line = lines.get(key) ?? { values: [], unconditional: [] };
    lines.set(key, line);
    const condition = old === null ? 'If-None-Match: *' : `If-Match: "${createHash('md5').update(old).digest('hex')}"`;
    if (conditional !== condition) line.unconditional.push(`${n}: ${conditional}`);
    line.values.push((await tree.text(key.slice(tree.key('').length))) ?? '');
  };
  return lines;
}

/** At rest, every pointer is the one that the current release lists, and there is no other. */
async function expectOneRelease(): Promise<void> {
  const { pointers, current } = await tree.state();
  const { fronts } = manifestOf(await tree.files(), current?.trimEnd() ?? '');
  const listed = fronts.map(({ front, pointer }) => [front, `${JSON.stringify(pointer)}\n`] as const);
  expect(pointers).toEqual(new Map(listed));
}

/** Waits for all; where one fails, the others are told to end, and what it has thrown is thrown. */
async function allEnd(works: readonly Promise<void>[], stop: () => void): Promise<void> {
  for (const work of works) work.catch(stop);
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason;
}

/**
 * Between two runs of one builder, also where the first was refused: one that tries again at once
 * takes the machine from the one that has the lease.
 */
const pause = (): Promise<void> => sleep(20 * Math.random());

/** An instant of its own for each run, so that each release is another. */
function* instants(): Generator<string> {
  for (let second = 1; ; second += 1) yield formatInstant(instantOf(instant('2026-05-01T09:00:00Z') + second));
}

test.each([2, 6])('%i builders at once', async (builders) => {
  useStore(store);
  await tree.reset(new Map());
  const catalogues = new Catalogues(folder);
  const databases = ['a', 'bb', 'ccc'].map((edition) => catalogues.at(edition, 'nobody'));
  const times = instants();
  await buildAsCommand(databases[0] ?? '', tree.root, times.next().value ?? '');
  const first = (await tree.text('releases/current'))?.trimEnd();
  const lines = watchLines();
  const published: string[] = [];
  let refused = 0;
  let looks = 0;
  const wanted = IS_SOAK ? 30 : 5;
  let hasFailed = false;
  const isDone = (): boolean => hasFailed || published.length >= wanted;

  const one = async (name: number): Promise<void> => {
    for (let i = name; !isDone(); i += 1) {
      try {
        const database = databases[i % databases.length] ?? '';
        const { release, outcomes } = await buildAsCommand(database, tree.root, times.next().value ?? '');
        // Where the clock of another one was ahead, this one holds every front back.
        if (outcomes.some(({ held }) => held === null)) published.push(release?.name ?? '');
        if (i % 5 === 0) await pruneTree(tree.root, NO_GRACE, false);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'tree-locked') throw error;
        refused += 1;
      }
      await pause();
    }
  };
  const reader = async (): Promise<void> => {
    while (!isDone()) {
      const seen = store.log.length;
      await expect.poll(() => store.log.length > seen + 100 || isDone(), { interval: 1 }).toBe(true);
      await tree.judgeWhole();
      looks += 1;
    }
  };
  const sleeper = async (): Promise<void> => {
    // Leases end early, as they would for one that was suspended, and others take them over.
    while (!isDone()) {
      const count = published.length;
      await expect.poll(() => published.length > count || isDone(), { interval: 5 }).toBe(true);
      store.clock.advance(LEASE_OVER_MS);
    }
  };
  await allEnd([...Array.from({ length: builders }, (_, i) => one(i)), reader(), sleeper()], () => {
    hasFailed = true;
  });
  store.beforeApply = null;
  store.afterApply = null;

  expect(refused).toBeGreaterThan(0);
  expect(looks).toBeGreaterThan(0);
  for (const [key, { unconditional }] of lines) expect(unconditional, key).toEqual([]);
  // Each release that a run has published stands in the line, once, and no other does.
  const line = (lines.get(tree.key('releases/current'))?.values ?? []).map((text) => text.trimEnd());
  expect(line.length).toBeGreaterThanOrEqual(wanted);
  expect(new Set(line).size).toBe(line.length);
  expect(line).not.toContain(first);
  expect(published.filter((name) => !line.includes(name))).toEqual([]);
  // The last one may have lost its lease between its pointers: then the next heals it.
  store.clock.advance(LEASE_OVER_MS);
  await buildAsCommand(databases[0] ?? '', tree.root, '2026-05-01T12:00:00Z');
  await expectOneRelease();
  await tree.judgeWhole();
  tellFault(
    {
      situation: `${builders} builders write the same bucket at once, and leases end early`,
      sees: 'each front old or new, whole',
      heals: 'nothing',
    },
    null,
    `at least ${wanted}`,
  );
});

test('builders, rollbacks and resumptions at once: a held tree gets no release', async () => {
  useStore(store);
  await tree.reset(new Map());
  const catalogues = new Catalogues(folder);
  const databases = ['a', 'bb'].map((edition) => catalogues.at(edition, 'nobody'));
  const times = instants();
  await buildAsCommand(databases[0] ?? '', tree.root, times.next().value ?? '');
  await buildAsCommand(databases[1] ?? '', tree.root, times.next().value ?? '');
  const wanted = IS_SOAK ? 12 : 2;
  let rollbacks = 0;
  let hasFailed = false;
  const isDone = (): boolean => hasFailed || rollbacks >= wanted;
  const publishedWhileHeld: string[] = [];
  store.afterApply = async ({ method, key, status }) => {
    if (method !== 'PUT' || status !== 200 || !key.endsWith('/releases/current')) return;
    const [hold, current] = [await tree.text('releases/hold'), await tree.text('releases/current')];
    if (hold !== null && !hold.includes(`"${current?.trimEnd()}"`))
      publishedWhileHeld.push(`${current} while held at ${hold}`);
  };
  const unlessLocked = async (run: () => Promise<unknown>): Promise<boolean> => {
    try {
      await run();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'tree-locked') return false;
      throw error;
    } finally {
      await pause();
    }
  };
  const builder = async (database: string): Promise<void> => {
    while (!isDone()) await unlessLocked(() => buildAsCommand(database, tree.root, times.next().value ?? ''));
  };
  const operator = async (): Promise<void> => {
    while (!isDone()) {
      if (!(await unlessLocked(() => rollBackTree(tree.root, 'current~1')))) continue;
      rollbacks += 1;
      while (!isDone() && !(await unlessLocked(() => resumeTree(tree.root))));
    }
  };
  await allEnd([...databases.map(builder), operator()], () => {
    hasFailed = true;
  });
  store.afterApply = null;
  expect(publishedWhileHeld).toEqual([]);
  await tree.judgeWhole();
  await expectOneRelease();
  const situation = 'builds, rollbacks and resumptions write the same bucket at once';
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'nothing' }, null, wanted);
});
