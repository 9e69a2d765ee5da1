// Real shards and their end, into a bucket, killed at every request that they make of it: before it
// is carried out, and after it, with no answer seen. What is left is whole, and the same command
// again, and finish, end in the tree that a build of its own gives.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Command } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import type { TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import {
  BucketTree,
  expectSameFiles,
  leaveStoreAtEnd,
  useStore,
  type Objects,
} from '../support/objects/bucket-tree.ts';
import { requestsIn, type ChosenRequest } from '../support/objects/chosen-requests.ts';
import { killedAt, momentsOf } from '../support/objects/killed-at.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

leaveStoreAtEnd();
const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: MemoryStore;
let tree: BucketTree;
let database: string;
/** A tree with an older release; with the second shard's result; with both. */
let base: Objects;
let begun: Objects;
let rendered: Objects;
let before: TreeState;
let after: TreeState;
let expected: ReadonlyMap<string, string>;

const common = (): string[] => ['--db', database, '--out', tree.root, '--now', NOW, '--horizon', '1h', '--json'];
const shardWords = (index: number): string[] => ['build', '--shard', `${index}/2`, '--run', 'r', ...common()];
const finishWords = (): string[] => ['finish', '--run', 'r', '--shards', '2', '--out', tree.root, '--json'];

async function well(words: readonly string[]): Promise<void> {
  const run = await command.run(words);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
}

/** Every file but those of runs. */
async function releasedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await tree.files())].filter(([path]) => !path.startsWith('runs/')));
}

beforeAll(async () => {
  store = await startMemoryStore();
  useStore(store);
  tree = new BucketTree(store);
  const at = (edition: string): string => {
    const small = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 0, edition };
    return catalogueAt(`${folder}/${edition}.sqlite`, smallCatalogue(small));
  };
  database = at('old');
  await well(['build', ...common()]);
  base = await store.objects();
  before = await tree.state();
  database = at('new');
  await well(['build', ...common()]);
  after = await tree.state();
  expected = await releasedFiles();
  await tree.reset(base);
  await well(shardWords(1));
  begun = await store.objects();
  await well(shardWords(0));
  rendered = await store.objects();
}, 120_000);
afterAll(() => store.close());

async function requestsOf(from: Objects, words: readonly string[]): Promise<ChosenRequest[]> {
  await tree.reset(from);
  const mark = store.log.length;
  await well(words);
  return requestsIn(store.log.slice(mark));
}

/** Kills a run at each of its requests; `heal` does what is left to do. @returns how often */
async function killedAtEach(from: Objects, words: readonly string[], heal: () => Promise<void>): Promise<number> {
  const requests = await requestsOf(from, words);
  const cases = requests.flatMap((request) => momentsOf(request).map((moment) => [request, moment] as const));
  const tried = sample(cases, 7);
  for (const [request, moment] of tried) {
    const what = `${moment} ${request.name} #${request.occurrence}`;
    await tree.reset(from);
    const run = await killedAt(request, moment, words, command, store);
    expect(run, what).toMatchObject({ signal: 'SIGKILL' });
    await tree.judge(before, after);
    store.clock.advance(LEASE_OVER_MS);
    await heal();
    expectSameFiles(await releasedFiles(), expected, what);
  }
  return tried.length;
}

test('a shard, the last of two, killed before and after each request', async () => {
  const heal = async (): Promise<void> => {
    await well(shardWords(0));
    await well(finishWords());
  };
  const kills = await killedAtEach(begun, shardWords(0), heal);
  expect(kills).toBeGreaterThan(IS_SOAK ? 10 : 1);
  const situation = 'a shard killed at each request to a bucket';
  tellFault({ situation, sees: 'the old release', heals: 'the same shard again, and finish' }, 'SIGKILL', kills);
}, 600_000);

test('finish, killed before and after each request', async () => {
  const kills = await killedAtEach(rendered, finishWords(), () => well(finishWords()));
  expect(kills).toBeGreaterThan(IS_SOAK ? 20 : 2);
  const situation = 'finish killed at each request to a bucket';
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'finish again' }, 'SIGKILL', kills);
}, 600_000);
