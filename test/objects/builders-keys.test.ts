// A key issued or revoked at each request of a build that writes the same tree: it waits for
// nothing, needs no lease, and the build does not undo it, whatever it has read before.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyRingSchema } from '../../src/contract/key-ring.ts';
import { issueKey, revoke } from '../../src/operations/keys.ts';
import { publishKeys } from '../../src/operations/publish-keys.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { chooser } from '../support/objects/chosen-requests.ts';
import { buildAsCommand, Catalogues, scenarioOf, type Scenario } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { instant, temporaryFolderOfFile, KEY_SETTINGS } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

const LATER = '2026-05-01T09:10:00Z';

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: MemoryStore;
let tree: BucketTree;
let scenario: Scenario;

beforeAll(async () => {
  store = await startMemoryStore();
  useStore(store);
  tree = new BucketTree(store);
  scenario = await scenarioOf('publish', tree, store, folder);
});
afterAll(() => store.close());

async function keyRing() {
  return keyRingSchema.parse(JSON.parse((await tree.text('edge/keyring.json')) ?? '')).keys;
}

const CHANGES = {
  revoke: {
    make: async (database: string) => void (await revoke(database, 'alpha-site', null, instant(NOW))),
    isMade: async () => (await keyRing())['alpha-site']?.revokedAt === NOW,
  },
  issue: {
    make: async (database: string) => {
      const key = { front: 'alpha', keyid: 'alpha-new', alg: 'ecdsa-p256-sha256', secretRef: null } as const;
      await issueKey(database, { ...key, notBefore: null, notAfter: null, to: null }, instant(NOW));
    },
    isMade: async () => (await keyRing())['alpha-new'] !== undefined,
  },
} as const;

test.each(['revoke', 'issue'] as const)('keys %s', async (name) => {
  const { make, isMade } = CHANGES[name];
  const source = new Catalogues(folder).at('publish-young', 'bravo');
  const tried = sample(scenario.requests, 3);
  for (const [i, request] of tried.entries()) {
    const what = `${request.name} #${request.occurrence}`;
    const database = join(folder, `${name}-${i}.sqlite`);
    cpSync(source, database);
    await tree.reset(scenario.base);
    const isChosen = chooser(request);
    let isMadeAtOnce: boolean | null = null;
    store.beforeApply = async (logged) => {
      if (isMadeAtOnce !== null || !isChosen(logged)) return;
      isMadeAtOnce = false;
      await make(database);
      await publishKeys(database, tree.root, KEY_SETTINGS, instant(NOW));
      isMadeAtOnce = await isMade();
    };
    await buildAsCommand(database, tree.root, LATER);
    store.beforeApply = null;
    expect(isMadeAtOnce, what).toBe(true);
    expect(await isMade(), what).toBe(true);
    const { pointers, current } = await tree.state();
    expect({ pointers, current }, what).toEqual({ pointers: scenario.after.pointers, current: scenario.after.current });
    await tree.judgeWhole();
  }
  expect(tried.length).toBeGreaterThan(8);
  const situation = `keys ${name} at a request of a build into the same bucket`;
  tellFault({ situation, sees: 'the new release', heals: 'nothing' }, null, tried.length);
});
