// How a run that writes a folder ends if it fails midway: exit code 2 only while nothing of the
// tree has been written.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { writingTree } from '../../src/operations/writing-tree.ts';
import type { ReleaseStore } from '../../src/release/tree/store.ts';
import { temporaryFolder } from '../support/trees.ts';

let out = '';
const bytes = new TextEncoder().encode('{}\n');
const EDITION = 'public/fronts/alpha/products.0123456789abcdef.json';

beforeEach(() => {
  out = join(temporaryFolder(), 'out');
  mkdirSync(join(out, 'releases'), { recursive: true });
  writeFileSync(join(out, 'releases/grace'), '\n');
});

const put = (path: string) => (store: ReleaseStore) => store.replace([{ path, bytes }]);
const CASES: readonly (readonly [string, (store: ReleaseStore) => Promise<unknown>, number])[] = [
  ['nothing', async () => undefined, 2],
  ['what has no name yet', (store) => store.create({ path: EDITION, bytes }), 2],
  ['the result of a shard', put('runs/one/shard-0.json'), 2],
  ['an edition', async (store) => [await store.create({ path: EDITION, bytes }), await store.settle()], 6],
  ['a pointer', put('public/fronts/alpha/pointer.json'), 6],
  ['the key ring', put('edge/keyring.json'), 6],
  ['a manifest', put('releases/20260501T090000Z-0123456789abcdef.json'), 6],
  ['a removal', (store) => store.remove(['releases/grace']), 6],
];

test.each(CASES)('%s is written, then an error that exits 2', async (_, write, exit) => {
  const cause = new AppError('tree-unreadable', 'expected one thing, found another', 'do this', null, ['a detail']);
  const failing = writingTree(out, async (_published, { store }) => {
    await write(store);
    throw cause;
  });
  const thrown: unknown = await failing.catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: 'tree-unreadable', hint: 'do this', details: ['a detail'], exitCode: exit });
  expect((thrown as AppError).message).toMatch(/^expected one thing, found another/);
});

test('an error with another exit code keeps it, and what is no AppError passes', async () => {
  for (const error of [
    new AppError('tree-locked', 'a', 'b'),
    new AppError('database-busy', 'a', 'b'),
    new Error('x'),
  ]) {
    const failing = writingTree(out, async (_published, { store }) => {
      await put('edge/keyring.json')(store);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
  }
});
