// A build that would publish less than the current release, only because nothing says how much, is
// refused before anything is written; the hint can be typed.

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { outputOf } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestIn } from '../support/manifests.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const database = join(root, 'c.sqlite');
const LATER = '2026-05-01T09:10:00Z';

beforeAll(() => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' };
  catalogueAt(database, smallCatalogue(small));
});

/** A tree with a release that was built with these flags, and how to build into it. */
async function treeBuiltWith(...flags: readonly string[]) {
  const out = join(temporaryFolder(), 'out');
  const build = (now: string, ...words: readonly string[]) =>
    outputOf(['build', '--db', database, '--out', out, '--now', now, ...words]);
  expect(await build(NOW, ...flags)).toMatchObject({ code: 0 });
  return { out, build };
}

test.each([
  ['a shorter horizon', ['--horizon', '24h'], '--horizon 1d', '--horizon 6h'],
  ['no copies', ['--precompress', 'gzip,br'], '--precompress gzip,br', '--precompress none'],
  [
    'neither',
    ['--horizon', '36h', '--precompress', 'br'],
    '--horizon 1d12h --precompress br',
    '--horizon 6h --precompress none',
  ],
])('%s', async (_, flags, kept, meant) => {
  const { out, build } = await treeBuiltWith(...flags);
  const before = filesOf(out);
  for (const words of [[], ['--dry-run'], ['--front', 'alpha'], ['--force'], ['--shard', '0/2', '--run', 'one']]) {
    const { code, logged } = await build(LATER, ...words);
    expect([code, logged]).toEqual([
      2,
      `error settings-weaker: expected as much as the current release has, ${kept}, found only the defaults, ${meant}\n` +
        `  hint: type ${kept} to keep it, or ${meant} to mean it; once for all, in playbill.json`,
    ]);
    expect(filesOf(out)).toEqual(before);
  }
  // As the hint says.
  expect(await build(LATER, ...kept.split(' '))).toMatchObject({ code: 0 });
  expect(await build('2026-05-01T09:20:00Z', ...meant.split(' '))).toMatchObject({ code: 0 });
  expect(manifestIn(out)).toMatchObject({ precompress: [], horizonSeconds: 6 * 3600 });
  expect(await build('2026-05-01T09:30:00Z')).toMatchObject({ code: 0 });
});

describe('what says so', () => {
  test('may be the file', async () => {
    const { out, build } = await treeBuiltWith('--horizon', '24h', '--precompress', 'gzip');
    const folder = settingsFolder({ db: database, out, horizon: '1h', precompress: [] });
    expect(await inFolder(folder, ['build', '--now', LATER])).toMatchObject({ code: 0 });
    expect(manifestIn(out)).toMatchObject({ horizonSeconds: 3600, precompress: [] });
    expect(await build('2026-05-01T09:20:00Z', '--horizon', '24h')).toMatchObject({ code: 0 });
  });

  test('half of it is not enough, and the hint names the file', async () => {
    const { out } = await treeBuiltWith('--horizon', '24h', '--precompress', 'gzip');
    const folder = settingsFolder({ db: database, out, horizon: '24h' });
    const { code, logged } = await inFolder(folder, ['build', '--now', LATER]);
    expect(code).toBe(2);
    expect(logged).toContain(', --precompress gzip, found only the defaults, --precompress none\n');
    expect(logged).toContain(`once for all, in ${join(folder, 'playbill.json')}`);
  });
});

test('more, as much, and a first release are nothing to refuse', async () => {
  const { build } = await treeBuiltWith('--horizon', '1h');
  expect(await build(LATER)).toMatchObject({ code: 0 });
  expect(await build('2026-05-01T09:20:00Z')).toMatchObject({ code: 0 });
});

test('after a rollback, the release in force counts', async () => {
  const { out, build } = await treeBuiltWith('--horizon', '24h');
  expect(await build(LATER, '--horizon', '6h')).toMatchObject({ code: 0 });
  expect(await outputOf(['rollback', 'current~1', '--out', out])).toMatchObject({ code: 0 });
  expect((await build('2026-05-01T09:20:00Z')).logged).toContain('settings-weaker');
});
