// How a release is named on the command line: by its name, by its id or the beginning of it, by
// `current`, and by `current~1` for the one before.

import { cpSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { diffResultSchema, forecastResultSchema } from '../../src/contract/results/diff.ts';
import { releasesResultSchema, rollbackResultSchema } from '../../src/contract/results/history.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { resolveRelease } from '../../src/release/tree/releases.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { outputOf } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestPathOf } from '../support/manifests.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const tree = join(root, 'tree');
/** The releases as `releases` lists them: newest first, the first is current. */
let ids: readonly string[] = [];

beforeAll(async () => {
  const fronts = ['alpha'];
  const rows = smallCatalogue({ fronts, productsPerFront: 1, sessionsPerProduct: 2, edition: 'one' });
  const database = catalogueAt(join(root, 'small.sqlite'), rows);
  for (const now of ['09:00', '09:10', '09:25']) await buildTree(database, tree, instant(`2026-05-01T${now}:00Z`));
  const { printed } = await outputOf(['releases', '--out', tree, '--json']);
  ids = releasesResultSchema.parse(JSON.parse(printed)).releases.map(({ id }) => id);
  expect(ids).toHaveLength(3);
});

const nth = (position: number): string => ids[position] ?? '';
const refusal = ({ printed }: { readonly printed: string }) => errorResultSchema.parse(JSON.parse(printed)).error;
const comparedBy = async (...argv: readonly string[]): Promise<readonly string[]> => {
  const { printed } = await outputOf(['diff', ...argv, '--out', tree, '--json']);
  const { before, after } = diffResultSchema.parse(JSON.parse(printed));
  return [before.release, after.release];
};

test('diff takes names, beginnings of ids, current and current~1', async () => {
  expect(await comparedBy(`20260501T090000Z-${nth(2)}`, nth(1))).toEqual([nth(2), nth(1)]);
  expect(await comparedBy(nth(2).slice(0, 4), nth(1).slice(0, 15))).toEqual([nth(2), nth(1)]);
  expect(await comparedBy('current~2', 'current')).toEqual([nth(2), nth(0)]);
  expect(await comparedBy('current~1', 'current~0')).toEqual([nth(1), nth(0)]);
});

test('diff without names compares the release before the current one with it', async () => {
  expect(await comparedBy()).toEqual([nth(1), nth(0)]);
});

test('diff --until takes the beginning of an id', async () => {
  const argv = ['--from', '2026-05-01T09:30:00Z', '--until', '2026-05-01T10:00:00Z', '--out', tree, '--json'];
  const { printed } = await outputOf(['diff', nth(1).slice(0, 6), ...argv]);
  expect(forecastResultSchema.parse(JSON.parse(printed)).release).toBe(nth(1));
});

test('rollback takes the beginning of an id and current~1, and names the whole id', async () => {
  const out = join(root, 'rolled-back');
  cpSync(tree, out, { recursive: true });
  const releaseAfter = async (name: string): Promise<string | null> => {
    const { printed } = await outputOf(['rollback', name, '--out', out, '--json']);
    const { release, hold } = rollbackResultSchema.parse(JSON.parse(printed));
    expect(hold?.release).toBe(release);
    return release;
  };
  expect(await releaseAfter('current~1')).toBe(nth(1));
  // The current one is now the second of the list.
  expect(await releaseAfter('current~1')).toBe(nth(2));
  expect(await releaseAfter(nth(0).slice(0, 5))).toBe(nth(0));
});

test.each([
  ['the beginning of no id', 'fade', 'fade'],
  ['too much of an id', '0123456789abcdef0', '0123456789abcdef0'],
  ['a release before the first', 'current~3', 'current~3'],
])('%s is refused as a release, and not looked for as a folder', async (_, name, found) => {
  for (const argv of [
    ['diff', name, 'current'],
    ['rollback', name],
  ]) {
    const output = await outputOf([...argv, '--out', tree, '--json']);
    expect(output.code).toBe(2);
    expect(refusal(output)).toMatchObject({
      code: 'release-unknown',
      message: `expected a release that ${tree} keeps, found "${found}"`,
      hint: expect.stringContaining(nth(0)),
    });
  }
});

test('a hint lists releases newest first, with their instants, and says how many digits to type', async () => {
  const [newest, middle, oldest] = ids;
  const kept = `kept releases: ${newest} (2026-05-01T09:25:00Z), ${middle} (2026-05-01T09:10:00Z), ${oldest} (2026-05-01T09:00:00Z)`;
  const hintOf = async (name: string) => refusal(await outputOf(['rollback', name, '--out', tree, '--json'])).hint;
  expect(await hintOf('fade')).toBe(kept);
  expect(await hintOf('cf')).toBe(`type at least four digits of an id; ${kept}`);
});

test('three digits of an id name a folder for diff and no release for rollback', async () => {
  const name = nth(0).slice(0, 3);
  expect(refusal(await outputOf(['diff', name, 'current', '--out', tree, '--json'])).code).toBe('tree-missing');
  expect(refusal(await outputOf(['rollback', name, '--out', tree, '--json'])).code).toBe('release-unknown');
});

test('a beginning of two ids is refused, and both are named; a whole id is never ambiguous', async () => {
  const out = join(root, 'ambiguous');
  cpSync(tree, out, { recursive: true });
  const [first, second] = ['abcd000000000000', 'abcd111111111111'];
  for (const id of [first, second]) writeFileSync(join(out, `releases/20260501T080000Z-${id}.json`), '');
  const output = await outputOf(['rollback', 'abcd', '--out', out, '--json']);
  expect(output.code).toBe(2);
  expect(refusal(output)).toMatchObject({
    code: 'release-unknown',
    message: `expected one release that ${out} keeps, found "abcd"`,
    hint: `it matches: ${second} (2026-05-01T08:00:00Z), ${first} (2026-05-01T08:00:00Z)`,
  });
  expect(await resolveRelease(first, DirectoryReader.open(out))).toMatchObject({ id: first });
});

test('a current release whose manifest is missing has others before it all the same', async () => {
  const out = join(root, 'without-manifest');
  cpSync(tree, out, { recursive: true });
  writeFileSync(join(out, 'releases/current'), '20260501T092000Z-abcd000000000000\n');
  expect(await resolveRelease('current~1', DirectoryReader.open(out))).toMatchObject({ id: nth(1) });
});

test('a manifest that cannot be read is counted, and refused', async () => {
  const out = join(root, 'damaged');
  cpSync(tree, out, { recursive: true });
  writeFileSync(manifestPathOf(out, nth(1)), 'broken');
  const output = await outputOf(['rollback', 'current~1', '--out', out, '--json']);
  expect([output.code, refusal(output).code]).toEqual([2, 'release-damaged']);
  expect(refusal(output).message).toContain(nth(1));
});

test('of releases of one instant it is not known which came first: current~1 is refused, and they are named', async () => {
  const out = join(root, 'one-instant');
  const releases: string[] = [];
  for (const edition of ['one', 'two', 'three']) {
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition });
    const database = catalogueAt(join(root, `${edition}.sqlite`), rows);
    const { releaseId } = await buildTree(database, out, instant('2026-05-01T09:00:00Z'));
    releases.push(releaseId ?? '');
  }
  const [first = '', second = '', last] = releases;
  expect(await resolveRelease('current~0', DirectoryReader.open(out))).toMatchObject({ id: last });
  const error = refusal(await outputOf(['rollback', 'current~1', '--out', out, '--json']));
  expect(error).toMatchObject({
    code: 'release-unknown',
    hint: `it matches: ${[first, second]
      .toSorted()
      .toReversed()
      .map((id) => `${id} (2026-05-01T09:00:00Z)`)
      .join(', ')}`,
  });
  // With one other there is no doubt, whatever the order of the ids.
  rmSync(manifestPathOf(out, first));
  expect(await resolveRelease('current~1', DirectoryReader.open(out))).toMatchObject({ id: second });
});

test.each([[['diff']], [['rollback', 'current~1']]])('a tree with one release says so to %j', async (argv) => {
  const out = join(root, `one-release-${argv[0]}`);
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' });
  await buildTree(catalogueAt(`${out}.sqlite`, rows), out, instant('2026-05-01T09:00:00Z'));
  const error = refusal(await outputOf([...argv, '--out', out, '--json']));
  expect(error).toMatchObject({
    code: 'release-unknown',
    message: `expected a release before the current one in ${out}, found that it keeps only one release`,
    hint: 'publish another when something has changed: playbill build',
  });
});

test('a word that may be a folder or the beginning of an id is refused by diff', async () => {
  const name = nth(0).slice(0, 8);
  mkdirSync(name);
  try {
    expect(refusal(await outputOf(['diff', name, 'current', '--out', tree, '--json']))).toMatchObject({
      code: 'usage',
      hint: `type ./${name} for the folder, or all digits of the id`,
    });
  } finally {
    rmdirSync(name);
  }
});
