// A store that refuses every request from one on, as it does once credentials have expired: for
// every such request of every run that writes a tree in a bucket. Exit code 2 says that nothing was
// written, so from the first write on the run exits 6; error and hint are the same. `npm run
// soak` tries all, `npm run test:all` some.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { playbill } from '../support/cli/run.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { requestsIn, type ChosenRequest } from '../support/objects/chosen-requests.ts';
import { scenarioOf, type Scenario, type ScenarioName } from '../support/objects/fault-scenarios.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import type { S3Code } from '../support/objects/messages.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK } from '../speeds.ts';

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
let store: MemoryStore;
let tree: BucketTree;

beforeAll(async () => {
  store = await startMemoryStore();
  useStore(store);
  tree = new BucketTree(store);
});
afterAll(() => store.close());

/** What an undisturbed run of the command asks. */
async function requestsOf({ base, words }: Scenario): Promise<readonly ChosenRequest[]> {
  await tree.reset(base);
  const mark = store.log.length;
  expect((await playbill(words)).status).toBe(0);
  return requestsIn(store.log.slice(mark));
}

/**
 * How a run of the command ends if the store refuses its `n`-th request and all later ones, and
 * whether it has changed the tree.
 */
async function refusedFrom(n: number, code: S3Code, { base, words }: Scenario) {
  await tree.reset(base);
  const before = await tree.files();
  const mark = store.log.length;
  store.faults = () => (store.log.length - mark >= n ? { kind: 'refusal', code } : null);
  const run = await playbill(words);
  store.faults = null;
  store.clock.advance(LEASE_OVER_MS);
  const after = await tree.files();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path) && !path.startsWith('.probe/'),
  );
  return { ...run, changed };
}

const ERRORS = {
  ExpiredToken: 'credentials-refused',
  RequestTimeTooSkewed: 'clock-skewed',
  NoSuchBucket: 'bucket-missing',
} as const;

const NAMES: readonly ScenarioName[] = ['publish', 'rollback', 'resume', 'prune', 'first publish'];
const CODES = ['ExpiredToken', 'RequestTimeTooSkewed', 'NoSuchBucket'] as const;
const CASES = NAMES.flatMap((name) => CODES.map((code) => ({ name, code })));

test.each(CASES)('$name, $code: exit 2 before the first write, 6 after it', async ({ name, code }) => {
  const scenario = await scenarioOf(name, tree, store, folder);
  const requests = await requestsOf(scenario);
  const total = requests.length;
  const first = 1 + requests.findIndex(({ name: asked }) => /^(PUT|DELETE) .*\/(public|edge|releases)\//.test(asked));
  const isTried = (n: number): boolean => IS_SOAK || n % 11 === 1 || Math.abs(n - first) < 2 || total - n < 2;
  const exits = new Set<number | null>();
  // The probe of a first publish makes hundreds of requests that are all alike.
  for (let n = name === 'first publish' ? total - 40 : 1; n <= total; n += 1) {
    if (!isTried(n)) continue;
    const { status, stdout, stderr, changed } = await refusedFrom(n, code, scenario);
    const what = `from ${n} of ${total} on: ${stderr}`;
    exits.add(status);
    if (status === 0) continue;
    expect([what, status]).toEqual([what, changed.length > 0 ? 6 : 2]);
    const { error } = errorResultSchema.parse(JSON.parse(stdout));
    expect(error.code, what).toBe(ERRORS[code]);
    expect(error.message.endsWith('; the tree is written in part; nothing that is published is lost'), what).toBe(
      status === 6,
    );
    expect(error.hint, what).not.toBe('');
  }
  expect([...exits]).toEqual(expect.arrayContaining([2, 6]));
});

test('keys revoke and keys issue exit 6: the catalogue has the change', async () => {
  const { base, words } = await scenarioOf('revocation', tree, store, folder);
  const database = words[words.indexOf('--db') + 1] ?? '';
  for (const command of [words, ['keys', 'issue', '--front', 'alpha', '--db', database, '--out', tree.root]]) {
    await tree.reset(base);
    store.faults = () => ({ kind: 'refusal', code: 'ExpiredToken' });
    const run = await playbill(command);
    store.faults = null;
    expect([command[1], run.status]).toEqual([command[1], 6]);
    expect(run.stderr).toContain('error credentials-refused: ');
    expect(run.stderr).toContain('The catalogue has the change');
  }
});

test('a store that does not answer: keys revoke is completed by another attempt, keys issue would make another key', async () => {
  const { base, words } = await scenarioOf('revocation', tree, store, folder);
  const database = words[words.indexOf('--db') + 1] ?? '';
  const issue = ['keys', 'issue', '--front', 'alpha', '--db', database, '--out', tree.root];
  for (const [command, exit] of [
    [words, 75],
    [issue, 6],
  ] as const) {
    await tree.reset(base);
    store.faults = () => ({ kind: 'reset' });
    const run = await playbill(command);
    store.faults = null;
    expect([command[1], run.status]).toEqual([command[1], exit]);
  }
});
