// Every request of every run that writes a tree in a bucket, answered in every wrong way: once,
// which the run mends by asking again, and each time, which ends it with a code. `npm run soak` tries
// all of each, `npm run test:all` some.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { matrixOf } from '../support/fault/matrix.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { faultAt } from '../support/objects/chosen-requests.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import {
  ANSWER_LOST,
  expectContained,
  expectMended,
  FAULTS,
  methodOf,
  PASSING_FAULTS,
  RESET,
  SILENCES,
  STATUS_500,
} from '../support/objects/request-faults.ts';
import { scenarioOf, type Scenario, type ScenarioName } from '../support/objects/fault-scenarios.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

const NAMES: readonly ScenarioName[] = [
  'first publish',
  'publish',
  'publish beside a held front',
  'rollback',
  'rollback of a front',
  'resume',
  'resume of a front',
  'prune',
  'revocation',
];

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
const scenarios = new Map<ScenarioName, Scenario>();
let store: MemoryStore;
let tree: BucketTree;

beforeAll(async () => {
  store = await startMemoryStore();
  useStore(store);
  tree = new BucketTree(store);
  for (const name of NAMES) scenarios.set(name, await scenarioOf(name, tree, store, folder));
});
afterAll(() => store.close());

function scenario(name: ScenarioName): Scenario {
  const found = scenarios.get(name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

/** The requests of a run; of the many races of a probe the first alone, as they are all alike. */
function requestsOf({ requests }: Scenario) {
  return requests.filter(({ name }) => !/\/race-(?!1$)/.test(name));
}

test.each(NAMES)('%s: each request is answered wrongly once', async (name) => {
  const run = scenario(name);
  const cases = requestsOf(run).flatMap((request) =>
    [...FAULTS, ...PASSING_FAULTS].filter(({ suits }) => suits(methodOf(request))).map((fault) => ({ request, fault })),
  );
  // A first publish asks for three hundred things.
  const tried = sample(cases, name === 'first publish' ? 61 : 19);
  for (const { request, fault } of tried) await expectMended(run, request, fault, tree, store);
  expect(tried.length).toBeGreaterThan(IS_SOAK ? 70 : 1);
  for (const { fault } of tried) {
    const situation = `one request to a bucket is answered wrongly, once: ${fault.name}`;
    tellFault({ situation, sees: 'the new release', heals: 'the run itself, which repeats the request' }, null);
  }
});

test('a write that was carried out, and whose answer got lost, counts as done', async () => {
  const run = scenario('publish');
  const writes = run.requests.filter((request) => methodOf(request) === 'PUT');
  expect(writes.length).toBeGreaterThan(10);
  for (const request of writes) await expectMended(run, request, ANSWER_LOST, tree, store);
});

test.each(NAMES)('%s: a request is answered wrongly each time', async (name) => {
  const run = scenario(name);
  // What a probe leaves where it may not remove is for probe.test.ts.
  const requests = requestsOf(run).filter(({ name: asked }) => !asked.includes('.probe/'));
  const cases = requests.flatMap((request) => {
    const method = methodOf(request);
    const faults = method === 'GET' ? [RESET, STATUS_500] : FAULTS.filter(({ suits }) => suits(method));
    return faults.map((fault) => ({ request, fault }));
  });
  const tried = sample(cases, 13);
  for (const { request, fault } of tried) await expectContained(run, request, fault, tree, store);
  expect(tried.length).toBeGreaterThan(IS_SOAK ? 20 : 0);
  for (const { fault } of tried) {
    const situation = `one request to a bucket is answered wrongly, however often it is made: ${fault.name}`;
    tellFault({ situation, sees: 'each front old or new, whole', heals: 'the next run' }, null);
  }
});

test('a store that keeps silent', async () => {
  const run = scenario('publish');
  const cases = run.requests.flatMap((request) =>
    SILENCES.filter(({ suits }) => suits(methodOf(request))).map((fault) => ({ request, fault })),
  );
  useStore(store, { PLAYBILL_S3_TIMEOUT_SECONDS: '1' });
  // A second for each.
  const tried = cases.filter((_, i) => i % (IS_SOAK ? 3 : 19) === 0);
  for (const { request, fault } of tried) {
    await expectMended(run, request, fault, tree, store);
    const situation = `one request to a bucket gets no answer within the time that a store may take: ${fault.name}`;
    tellFault({ situation, sees: 'the new release', heals: 'the run itself, which repeats the request' }, null);
  }
  expect(tried.length).toBeGreaterThan(1);
  useStore(store);
});

test('Retry-After is kept to', async () => {
  const run = scenario('publish');
  const request = run.requests.find(({ name }) => name.endsWith('/releases/current') && name.startsWith('PUT'));
  if (request === undefined) throw new Error('nothing is published');
  await tree.reset(run.base);
  const times: number[] = [];
  const plan = faultAt(request, { kind: 'status', status: 429, retryAfterSeconds: 1 });
  store.faults = (planned) => {
    if (planned.method === 'PUT' && planned.key.endsWith('/releases/current')) times.push(performance.now());
    return plan(planned);
  };
  await run.run();
  store.faults = null;
  expect(times.length).toBe(2);
  // Timers may be a millisecond early.
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
});

test('whoever reads between two requests sees each front old or new, whole', async () => {
  for (const name of ['publish', 'publish beside a held front', 'rollback', 'rollback of a front', 'prune'] as const) {
    const { base, before, after, run } = scenario(name);
    await tree.reset(base);
    let looks = 0;
    let failure: unknown = null;
    store.afterApply = async ({ method }) => {
      if (method === 'GET') return;
      looks += 1;
      try {
        await tree.judge(before, after);
      } catch (error) {
        failure ??= error;
      }
    };
    await run();
    store.afterApply = null;
    expect(failure, name).toBe(null);
    expect(looks, name).toBeGreaterThan(6);
  }
});
