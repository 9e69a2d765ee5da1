// Publishing into Ceph's gateway, through a proxy that answers each request wrongly: once, and some
// each time. What holds on the store in memory holds on a real one.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { matrixOf } from '../support/fault/matrix.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { scenarioOf, type Scenario } from '../support/objects/fault-scenarios.ts';
import { sharedGateway } from '../support/objects/gateway.ts';
import { startProxy, type ProxyStore } from '../support/objects/proxy.ts';
import {
  expectContained,
  expectMended,
  FAULTS,
  methodOf,
  PASSING_FAULTS,
  STATUS_500,
} from '../support/objects/request-faults.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

/** What holds on the store in memory is tried there. */
const EVERY = 17;

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: ProxyStore;
let tree: BucketTree;
let publish: Scenario;

beforeAll(async () => {
  store = await startProxy(await (await sharedGateway()).newBucket());
  useStore(store);
  tree = new BucketTree(store);
  publish = await scenarioOf('publish', tree, store, folder);
});
afterAll(() => store.close());

test('each request is answered wrongly once', async () => {
  const cases = publish.requests.flatMap((request) =>
    [...FAULTS, ...PASSING_FAULTS].filter(({ suits }) => suits(methodOf(request))).map((fault) => ({ request, fault })),
  );
  expect(cases.length).toBeGreaterThan(200);
  for (const { request, fault } of sample(cases, EVERY)) {
    await expectMended(publish, request, fault, tree, store);
    const situation = `one request to Ceph's gateway is answered wrongly, once: ${fault.name}`;
    tellFault({ situation, sees: 'the new release', heals: 'the run itself, which repeats the request' }, null);
  }
});

test('a request that changes something is answered with 500 each time', async () => {
  const writes = publish.requests.filter((request) => /^(PUT|DELETE)$/.test(methodOf(request)));
  expect(writes.length).toBeGreaterThan(12);
  for (const request of sample(writes, 5)) await expectContained(publish, request, STATUS_500, tree, store);
  const situation = `one request to Ceph's gateway is answered wrongly, however often it is made: 500`;
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'the next run' }, null, writes.length);
});
