// Relative times as a person types them behind flags: the zone is that of the front that is named,
// and what they come to is said.

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { outputOf } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestIn } from '../support/manifests.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

// 12:00 in Moscow, where both fronts are.
const root = temporaryFolderOfFile();
const db = join(root, 'c.sqlite');
const out = join(root, 'out');
const now = () => instant(NOW);
const EIGHTEEN = 'note: --at 18:00 is 2026-05-01T18:00:00+03:00, in Europe/Moscow, the zone of alpha';

beforeAll(async () => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(db, smallCatalogue(small));
  await buildTree(db, out, instant(NOW), { horizonSeconds: 86_400 });
});

describe('show', () => {
  const show = (...words: readonly string[]) => outputOf(['show', '--front', 'alpha', '--out', out, ...words], { now });

  test('shows the document of that instant', async () => {
    const { code, printed, logged } = await show('--at', '18:00');
    expect([code, logged]).toEqual([0, EIGHTEEN]);
    expect(printed).toBe((await show('--at', '2026-05-01T15:00:00Z')).printed);
    expect((await show('--at', '+6h')).printed).toBe(printed);
    expect((await show('--at', '-1d')).logged).toContain('note: --at -1d is 2026-04-30T09:00:00Z\nwarning: ');
  });

  test('says nothing more where it is quiet', async () => {
    expect(await show('--at', '18:00', '--quiet')).toMatchObject({ code: 0, logged: '' });
  });

  test('of a front that there is not names those that there are', async () => {
    const { code, logged } = await outputOf(['show', '--front', 'paris', '--out', out, '--at', '18:00'], { now });
    expect([code, logged]).toEqual([2, expect.stringMatching(/^error nothing-published: .*"paris"/)]);
  });
});

test('explain takes the zone from the catalogue', async () => {
  const words = ['explain', '--front', 'alpha', '--product', 'show-1001', '--db', db, '--at', '18:00'];
  const { code, printed, logged } = await outputOf(words, { now });
  expect([code, logged]).toEqual([0, EIGHTEEN]);
  expect(printed).toContain('2026-05-01 18:00');
});

describe('build', () => {
  const build = (tree: string, ...words: readonly string[]) =>
    outputOf(['build', '--db', db, '--out', tree, ...words], { now });

  test('for one front is for a time of that front', async () => {
    const tree = join(temporaryFolder(), 'out');
    const { code, logged } = await build(tree, '--front', 'alpha', '--now', 'tomorrow 00:00');
    expect([code, logged]).toEqual([
      0,
      "note: --now 'tomorrow 00:00' is 2026-05-02T00:00:00+03:00, in Europe/Moscow, the zone of alpha",
    ]);
    expect(manifestIn(tree).now).toBe('2026-05-01T21:00:00Z');
  });

  test.each([
    ['of all fronts', []],
    ['of several', ['--front', 'alpha', 'bravo']],
  ])('%s is for a time in UTC', async (_, fronts) => {
    const tree = join(temporaryFolder(), 'out');
    const { logged } = await build(tree, ...fronts, '--now', '18:00');
    expect(logged).toBe('note: --now 18:00 is 2026-05-01T18:00:00Z, in UTC');
    expect(manifestIn(tree).now).toBe('2026-05-01T18:00:00Z');
  });

  test('that no clock shows is refused before anything is written', async () => {
    const tree = join(temporaryFolder(), 'out');
    const shard = await build(tree, '--now', '+1h', '--shard', '0/2', '--run', 'may');
    expect(shard).toMatchObject({
      code: 2,
      logged: expect.stringMatching(/^error usage: --now: expected one instant/) as string,
    });
    for (const text of ['yesterday 25:00', '+2', 'soon']) {
      const { code, logged } = await build(tree, '--now', text);
      expect([code, logged]).toEqual([
        2,
        expect.stringMatching(/^error instant-invalid: --now: [^]*\n {2}hint: for example --now /),
      ]);
    }
  });
});

test('other flags take them as well', async () => {
  const diff = await outputOf(['diff', '--out', out, '--until', '+2h', '--front', 'alpha'], { now });
  expect(diff).toMatchObject({ code: 0, logged: 'note: --until +2h is 2026-05-01T11:00:00Z' });
  const next = await outputOf(['next', '--out', out, '--at', 'now', '--json'], { now });
  expect(next).toMatchObject({ code: 0, logged: '' });
  const issued = await outputOf(
    ['keys', 'issue', '--front', 'alpha', '--db', db, '--out', out, '--json', '--not-after', 'tomorrow 00:00'],
    { now },
  );
  expect(issued.logged).toContain("--not-after 'tomorrow 00:00' is 2026-05-02T00:00:00+03:00");
  const listed = await outputOf(['keys', 'list', '--db', db, '--json'], { now });
  expect(JSON.parse(listed.printed)).toMatchObject({
    keys: expect.arrayContaining([expect.objectContaining({ notAfter: '2026-05-01T21:00:00Z' })]) as unknown,
  });
});

test('what a command lacks is asked for at once', async () => {
  const { code, logged } = await outputOf(['explain', '--db', db]);
  expect([code, logged]).toEqual([
    2,
    'error usage: expected --front <code> and --product <slug>, found neither\n  hint: see playbill explain --help',
  ]);
});
