// Real runs of the command, killed at every request that they make of a bucket: before it is
// carried out, and after it, with no answer seen. What is left is whole, and the next run finishes
// once the lease is over.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Command } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import type { Sight } from '../support/fault/readers-check.ts';
import { BucketTree, expectSameFiles, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { requestsIn, type ChosenRequest } from '../support/objects/chosen-requests.ts';
import { scenarioOf, type Scenario, type ScenarioName } from '../support/objects/fault-scenarios.ts';
import { killedAt, momentsOf } from '../support/objects/killed-at.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
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
const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: MemoryStore;
let tree: BucketTree;

beforeAll(async () => {
  store = await startMemoryStore();
  useStore(store);
  tree = new BucketTree(store);
});
afterAll(() => store.close());

/**
 * What an undisturbed run of the command asks; of the many alike, races of a probe and manifests
 * that are read, a few.
 */
async function requestsOf({ base, expected, words }: Scenario): Promise<ChosenRequest[]> {
  await tree.reset(base);
  const mark = store.log.length;
  const run = await command.run(words);
  expect(run, run.stderr).toMatchObject({ code: 0 });
  expectSameFiles(await tree.files(), expected);
  const requests = requestsIn(store.log.slice(mark)).filter(({ name }) => !/\/race-(?!1$|30$)/.test(name));
  const manifests = requests.filter(({ name }) => /^GET .*\/releases\/\d{8}T\d{6}Z-[0-9a-f]{16}\.json$/.test(name));
  return requests.filter((request) => !manifests.includes(request) || manifests.indexOf(request) % 4 === 0);
}

test.each(NAMES)('%s: killed before and after each request', async (name) => {
  const scenario = await scenarioOf(name, tree, store, folder);
  const sights: Sight[] = [];
  const requests = await requestsOf(scenario);
  const cases = requests.flatMap((request) => momentsOf(request).map((moment) => ({ request, moment })));
  expect(cases.length).toBeGreaterThan(10);
  // Between the writes of two pointers a reader sees some fronts of each release.
  const ofPointers = cases.filter(({ request }) => /^PUT .*\/pointer\.json$/.test(request.name));
  // A first publish asks for three hundred things.
  const tried = new Set([...sample(cases, name === 'first publish' ? 83 : 37), ...ofPointers]);
  for (const { request, moment } of tried) {
    const what = `${name}, ${moment} ${request.name} #${request.occurrence}`;
    await tree.reset(scenario.base);
    const run = await killedAt(request, moment, scenario.words, command, store);
    expect(run, what).toMatchObject({ signal: 'SIGKILL' });
    if (name === 'first publish') await removeProbe();
    sights.push(await tree.judge(scenario.before, scenario.after));
    store.clock.advance(LEASE_OVER_MS);
    await scenario.run();
    expectSameFiles(await tree.files(), scenario.expected, what);
  }
  if (name === 'publish' || name === 'rollback') expect(sights.filter(isMixed).length).toBeGreaterThan(0);
  tellFault(
    {
      situation: `killed at each request to a bucket: ${name}`,
      sees: 'each front old or new, whole',
      heals: 'the next run',
    },
    'SIGKILL',
    sights.length,
  );
});

/**
 * What a run that is killed in its probe leaves: small objects beside the tree, which nobody reads.
 */
async function removeProbe(): Promise<void> {
  const probes = [...(await store.objects()).keys()].filter((key) => key.startsWith(tree.key('.probe/')));
  for (const key of probes) await store.delete(key);
}

/** Some fronts show the old release and some the new one. */
function isMixed({ fronts }: Sight): boolean {
  const shown = [...fronts.values()];
  return shown.includes('old') && shown.includes('new');
}
