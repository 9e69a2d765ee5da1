// Real shards and their end, killed for real: before every call that changes a file. What they
// leave is the old release or the new one for each front; begun again, they end in the tree that a
// build of its own gives.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { twoAtATime } from '../support/fault/build-with.ts';
import { Command, type Run } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';
import { releasedFilesOf } from '../support/shards.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);

const FRONTS = ['alpha', 'bravo', 'charlie'];
let database: string;
/**
 * A tree with an older release; the same with the result of the second shard of two; and of both.
 */
let base: string;
let begun: string;
let rendered: string;
let before: TreeState;
let after: TreeState;
/** What a build of its own makes of the base. */
let expected: ReadonlyMap<string, string>;

const common = (out: string): string[] => ['--db', database, '--out', out, '--now', NOW, '--horizon', '1h', '--json'];
const shardWords = (out: string, index: number): string[] => [
  'build',
  '--shard',
  `${index}/2`,
  '--run',
  'r',
  ...common(out),
];
const finishWords = (out: string): string[] => ['finish', '--run', 'r', '--shards', '2', '--out', out, '--json'];

async function well(words: readonly string[]): Promise<Run> {
  const run = await command.run(words);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  return run;
}

/**
 * Some of the calls that change a file in an undisturbed run, but for fsync: nothing that anybody
 * could see happens there.
 */
async function stepsOf(from: string, wordsFor: (tree: string) => string[]): Promise<readonly number[]> {
  const tree = copyTree(from, join(folder, 'traced'));
  const trace = join(folder, 'trace');
  const run = await command.run(wordsFor(tree), { steps: { tree, trace } });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  const steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
  rmSync(tree, { recursive: true });
  rmSync(trace);
  const visible = steps.flatMap((step, i) => (step.startsWith('fsync') ? [] : [i + 1]));
  expect(visible.length).toBeGreaterThan(10);
  // Between the renames of two pointers a reader sees some fronts of each release.
  const ofPointers = visible.filter((number) => /^rename .*pointer\.json/.test(steps[number - 1] ?? ''));
  return [...new Set([...sample(visible, 7), ...ofPointers])];
}

beforeAll(async () => {
  const at = (edition: string): string =>
    catalogueAt(
      join(folder, `${edition}.sqlite`),
      smallCatalogue({ fronts: FRONTS, productsPerFront: 1, sessionsPerProduct: 0, edition }),
    );
  base = join(folder, 'base');
  database = at('old');
  await well(['build', ...common(base)]);
  database = at('new');
  const single = copyTree(base, join(folder, 'single'));
  await well(['build', ...common(single)]);
  [before, after, expected] = [stateOf(base), stateOf(single), releasedFilesOf(single)];
  begun = copyTree(base, join(folder, 'begun'));
  await well(shardWords(begun, 1));
  rendered = copyTree(begun, join(folder, 'rendered'));
  await well(shardWords(rendered, 0));
});

function expectWhole(tree: string): void {
  const files = releasedFilesOf(tree);
  expect([...files.keys()]).toEqual([...expected.keys()]);
  expect([...files].filter(([path, text]) => text !== expected.get(path)).map(([path]) => path)).toEqual([]);
  rmSync(tree, { recursive: true });
}

test('a shard, the first to begin or the last, killed before each call that changes a file, and begun again', async () => {
  let kills = 0;
  for (const [from, rest] of [
    [base, [0, 1]],
    [begun, [0]],
  ] as const) {
    const numbers = await stepsOf(from, (tree) => shardWords(tree, 0));
    kills += numbers.length;
    await twoAtATime(
      numbers.map((number) => async () => {
        const tree = copyTree(from, join(folder, `shard-${rest.length}-${number}`));
        const run = await command.run(shardWords(tree, 0), { steps: { tree, signal: `SIGKILL ${number}` } });
        expect(run, run.stderr).toMatchObject({ signal: 'SIGKILL', stdout: '' });
        expect([...checkAsReader(tree, before, after).fronts.values()]).not.toContain('new');
        for (const index of rest) await well(shardWords(tree, index));
        await well(finishWords(tree));
        expectWhole(tree);
      }),
    );
  }
  const situation = 'a shard killed before each call that changes a file';
  tellFault({ situation, sees: 'the old release', heals: 'the same shard again, and finish' }, 'SIGKILL', kills);
});

test('finish, killed before each call that changes a file, and begun again', async () => {
  const numbers = await stepsOf(rendered, finishWords);
  const sights: string[] = [];
  await twoAtATime(
    numbers.map((number) => async () => {
      const tree = copyTree(rendered, join(folder, `finish-${number}`));
      const run = await command.run(finishWords(tree), { steps: { tree, signal: `SIGKILL ${number}` } });
      expect(run, run.stderr).toMatchObject({ signal: 'SIGKILL', stdout: '' });
      sights.push(new Set(checkAsReader(tree, before, after).fronts.values()).size > 1 ? 'mixed' : 'one');
      await well(finishWords(tree));
      expectWhole(tree);
    }),
  );
  expect(sights).toContain('mixed');
  const situation = 'finish killed before each call that changes a file';
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'finish again' }, 'SIGKILL', numbers.length);
});

test('eight processes at once: each of four shards twice, while others build, prune and finish', async () => {
  const tree = copyTree(base, join(folder, 'crowd'));
  const words = (index: number): string[] => ['build', '--shard', `${index}/4`, '--run', 'crowd', ...common(tree)];
  const shards = [0, 1, 2, 3, 0, 1, 2, 3].map((index) => command.run(words(index)));
  const finish = command.run(['finish', '--run', 'crowd', '--shards', '4', '--out', tree, '--wait', '1h', '--json']);
  const others = [command.run(['prune', '--out', tree, '--json']), command.run(['verify', '--out', tree, '--json'])];
  for (const run of await Promise.all(shards)) expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  // One that writes the tree at the same moment exits 5.
  for (const run of await Promise.all(others)) expect([0, 5], run.stderr).toContain(run.code);
  const finished = await finish;
  if (finished.code === 5) await well(['finish', '--run', 'crowd', '--shards', '4', '--out', tree, '--json']);
  else expect(finished, finished.stderr).toMatchObject({ code: 0, stderr: '' });
  expect([...checkAsReader(tree, before, after).fronts.values()]).not.toContain('old');
  expectWhole(tree);
}, 300_000);
