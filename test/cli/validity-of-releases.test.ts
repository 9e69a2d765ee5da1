// Going back to a release that is not right any more: `releases` says until when each is, and `rollback` says so before it acts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { releasesResultSchema } from '../../src/contract/release-results.ts';
import { testContext } from '../support/cli/parser.ts';
import { outputOf } from '../support/cli/in-process.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const tree = join(root, 'tree');
const validUntils: string[] = [];
/** After the end of the first release, before that of the second. */
const now = instant('2026-05-02T00:00:00Z');

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'one' });
  const database = catalogueAt(join(root, 'small.sqlite'), rows);
  for (const at of ['2026-05-01T09:00:00Z', '2026-05-01T23:00:00Z']) {
    await buildTree(database, tree, instant(at));
    validUntils.push(pointerOf(filesOf(tree), 'alpha').validUntil);
  }
  const [first = '', second = ''] = validUntils;
  expect(first < '2026-05-02T00:00:00Z' && '2026-05-02T00:00:00Z' < second).toBe(true);
});

test('releases says until when each release is right', async () => {
  const [first, second] = validUntils;
  const json = await outputOf(['releases', '--out', tree, '--json']);
  const { releases } = releasesResultSchema.parse(JSON.parse(json.printed));
  expect(releases.map(({ validUntil }) => validUntil)).toEqual([second, first]);
  const { printed } = await outputOf(['releases', '--out', tree], { now: () => now });
  expect(printed.split('\n').slice(1)).toEqual([
    expect.stringContaining('current'),
    `  right until ${second}`,
    expect.stringContaining(releases[1]?.id ?? ''),
    `  right until ${first}`,
  ]);
});

test('rollback to a release that is over says so before it changes anything', async () => {
  const current = (): string => readFileSync(join(tree, 'releases/current'), 'utf8');
  const before = current();
  const notes: (readonly [text: string, current: string])[] = [];
  const context = { ...testContext(), now: () => now };
  const log = (text: string): void => void notes.push([text, current()]);
  const terminal = { ...context.terminal, log };
  expect(await runProgram(['rollback', 'current~1', '--out', tree], { ...context, terminal })).toBe(0);
  const right = `a front of release ${current().trim()} was right until ${validUntils[0]}`;
  const note = `note: ${right}: edges serve its last edition, marked as stale`;
  expect(notes).toEqual([[note, before]]);
  expect(current()).not.toBe(before);
  // Forward again: that one is still right.
  expect((await outputOf(['rollback', before.trim(), '--out', tree], { now: () => now })).logged).toBe('');
});
