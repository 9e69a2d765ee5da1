// `playbill diff` as a person runs it: two releases, two trees, a forecast; for a terminal, a
// machine and a ticket.

import { cpSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import stringWidth from 'fast-string-width';
import { beforeAll, describe, expect, test } from 'vitest';
import { diffResultSchema, forecastResultSchema } from '../../src/contract/results/diff.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { smallCatalogue, NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';

const root = temporaryFolderOfFile();
const tree = join(root, 'tree');
const LATER = '2026-05-01T10:00:00Z';
const NASTY = '</code>\u001B[31m`` @team ``|](javascript:1)\n\n# \u202Egpj "勧進帳"';
let first = '';
let second = '';

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 5, edition: 'x' });
  const database = catalogueAt(join(root, 'small.sqlite'), rows);
  first = (await buildTree(database, tree, instant(NOW))).releaseId ?? '';
  const handle = new Database(database);
  handle.prepare('UPDATE products SET name = ? WHERE id = 1001').run(NASTY);
  handle.exec("UPDATE products SET status = 'draft' WHERE id = 2001");
  handle.close();
  second = (await buildTree(database, tree, instant(LATER))).releaseId ?? '';
});

const diff = (...argv: readonly string[]) => playbill(['diff', '--out', tree, ...argv]);

describe('two releases', () => {
  test('are compared by front, clock and data apart, in at most eighty columns; exit 1', async () => {
    const { status, stdout, stderr } = await diff(first, 'current');
    expect(stderr).toBe('');
    expect(status).toBe(1);
    for (const line of stdout.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(stdout).toContain(`after: release ${second} as of ${LATER}`);
    expect(stdout).toContain('alpha: 3 cards\n  by the clock: 3 products changed (nextScheduleSlot 3, todaySlot 3');
    expect(stdout).toContain('by the data: 1 product changed (name 1)\n    ~ product "</code>\\u001b[31m`` @team');
    expect(stdout).toContain('bravo: 3 → 2 cards');
    expect(stdout).toContain('by the data: 1 product gone\n    - product "Show 2001 "x"" (show-2001)\n');
    expect(stdout).toMatch(/2 of 2 fronts differ\n$/);
  });

  test('--brief prints the counts alone, --front one front alone', async () => {
    const { stdout } = await diff(first, second, '--brief', '--front', 'bravo');
    expect(stdout).not.toContain('alpha');
    expect(stdout).not.toContain('Show');
    expect(stdout).toContain('\nbravo: 3 → 2 cards\n  by the clock: ');
    expect(stdout).toMatch(/\n {2}by the data: 1 product gone\n1 of 1 front differs\n$/);
  });

  test('--json prints the result as its schema has it', async () => {
    const { status, stdout } = await diff(first, second, '--json');
    const json = diffResultSchema.parse(JSON.parse(stdout));
    expect(status).toBe(1);
    expect(json).toMatchObject({
      before: { release: first, now: NOW, horizonSeconds: 6 * 3600 },
      after: { release: second, now: LATER, horizonSeconds: 6 * 3600 },
      isDifferent: true,
      same: [],
      added: [],
      gone: [],
    });
    expect(json.changed.map(({ front }) => front)).toEqual(['alpha', 'bravo']);
    expect(json.changed[0]?.data).toEqual([
      {
        list: 'productCards',
        id: 1001,
        slug: 'show-1001',
        name: NASTY,
        change: 'changed',
        fields: [{ path: 'name', before: 'Show 1001 "x"', after: NASTY }],
      },
    ]);
  });

  test('--markdown puts whatever comes from the catalogue in code spans', async () => {
    const { status, stdout } = await diff(first, second, '--markdown');
    expect(status).toBe(1);
    expect(stdout).toContain('\n## `alpha`\n\n3 cards\n\n### by the clock\n');
    const outside = stdout.replaceAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, '');
    expect(outside).not.toMatch(/[<>@`|[\]"勧]|team|javascript|Show/);
    expect(outside).toContain('- **gone** \n');
    for (const line of stdout.split('\n')) expect(line).toMatch(/^($|## `|### by |- \*\*|\d|before: |after: )/);
  });

  test('that are the same have no differences; exit 0', async () => {
    const { status, stdout } = await diff('current', second);
    expect(stdout).toContain('No differences in 2 fronts');
    expect(status).toBe(0);
  });

  test('exit 0 although they differ, under --exit-zero; not where there is an error', async () => {
    const plain = await diff(first, second);
    expect(await diff(first, second, '--exit-zero')).toEqual({ ...plain, status: 0 });
    expect((await diff(first, second, '--exit-zero', '--json')).status).toBe(0);
    expect((await diff(first, '0000000000000000', '--exit-zero')).status).toBe(2);
  });

  test('may be in two trees, each named by its folder', async () => {
    const other = join(root, 'other');
    cpSync(tree, other, { recursive: true });
    const { status, stdout } = await diff('current', other);
    expect(stdout).toContain('No differences');
    expect(status).toBe(0);
  });
});

describe('where the older release does not reach the newer one’s now', () => {
  const far = join(root, 'far');
  beforeAll(async () => {
    const database = join(root, 'small.sqlite');
    await buildTree(database, far, instant('2026-05-02T11:30:00Z'), { horizonSeconds: 60 });
  });

  test.each([
    ['forward', [tree, far], 'before', 'after'],
    ['backwards', [far, tree], 'after', 'before'],
  ])('a note names the horizon that would have: %s', async (_, argv, older, newer) => {
    const note = `note: ${older} was built with --horizon 6h; --horizon 1d1h30m would have reached ${newer}'s now, and separated clock and data`;
    const { status, stdout } = await diff(...argv);
    expect(status).toBe(1);
    expect(stdout.replaceAll('\n  ', ' ').split('\n').at(-3)).toBe(note);
    for (const line of stdout.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
    expect((await diff(...argv, '--markdown', '--brief')).stdout).toContain(`\n\n${note}\n`);
    const { changed } = diffResultSchema.parse(JSON.parse((await diff(...argv, '--json')).stdout));
    expect(changed.map(({ horizonNeededSeconds }) => horizonNeededSeconds)).toEqual([91_800, 91_800]);
  });

  test('there is no note where they can be told apart, or no --horizon is that long', async () => {
    expect((await diff(first, second)).stdout).not.toContain('note:');
    const years = join(root, 'years');
    await buildTree(join(root, 'small.sqlite'), years, instant('2028-05-01T09:00:00Z'));
    const { stdout } = await diff(tree, years);
    expect(stdout).toContain('by clock or data');
    expect(stdout).not.toContain('note:');
  });
});

describe('a forecast', () => {
  const argv = ['--from', LATER, '--until', '2026-05-01T15:00:00+03:00', '--front', 'alpha'];

  test('lists edition by edition, by the wall clock of the front; exit 0', async () => {
    const { status, stdout, stderr } = await diff(...argv);
    expect([status, stderr]).toEqual([0, '']);
    const editions = pointerOf(filesOf(tree), 'alpha').products.filter((entry) => entry.slice(0, 20) > LATER);
    expect(editions.length).toBeGreaterThan(2);
    expect(stdout).toContain(`alpha: 3 cards, ${editions.length} editions to come (times in Europe/Moscow)`);
    expect(stdout).toContain('\n  Fri 2026-05-01 13:20: 1 product changed (nextScheduleSlot 1, ');
    for (const line of stdout.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
  });

  test('--json has the wall time of each edition', async () => {
    const { stdout } = await diff(...argv, '--json');
    const json = forecastResultSchema.parse(JSON.parse(stdout));
    expect(json).toMatchObject({ release: second, from: LATER, until: '2026-05-01T12:00:00Z' });
    expect(json.fronts[0]?.steps[0]).toMatchObject({
      at: '2026-05-01T10:01:00Z',
      wallTime: '2026-05-01T13:01:00+03:00',
    });
  });

  test('says how far the editions are known, and which horizon reaches', async () => {
    const { stdout } = await diff(first, '--from', LATER, '--until', '2026-05-03T00:00:00Z', '--brief');
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(
      '; known only until Sat 2026-05-02 00:00: build with --horizon 1d15h or more',
    );
  });
});

test('a folder inside a tree is refused with the tree that it is in', async () => {
  const { status, stderr } = await diff(first, join(tree, 'public'));
  expect(stderr).toContain(`hint: did you mean ${tree}?`);
  expect(status).toBe(2);
});

test('a damaged edition is named with its tree, not compared', async () => {
  const damaged = join(root, 'damaged');
  cpSync(tree, damaged, { recursive: true });
  const digest = pointerOf(filesOf(tree), 'bravo').products[0]?.slice(21);
  const path = `public/fronts/bravo/products.${digest}.json`;
  truncateSync(join(damaged, path), readFileSync(join(damaged, path)).length - 5);
  const { status, stderr } = await diff(first, damaged);
  expect(stderr).toContain(`error tree-unreadable: ${damaged}/${path}: expected a SHA-256 that begins with `);
  expect(stderr).toContain(`playbill verify --out ${damaged}; move it away, then run: playbill build --out ${damaged}`);
  expect(status).toBe(2);
});

test.each<readonly [string, readonly string[], string, string]>([
  ['an unknown release', ['current', '0123456789abcdef'], 'release-unknown', 'kept releases: '],
  [
    'a front that neither has',
    ['current', 'current', '--front', 'paris'],
    'nothing-published',
    'published fronts: alpha, bravo',
  ],
  ['one release', ['current'], 'usage', 'see playbill diff --help'],
  ['--until before --from', ['--until', NOW, '--from', LATER], 'usage', 'see playbill diff --help'],
])('%s: exit 2 with a hint', async (_, argv, code, hint) => {
  const { status, stdout } = await diff(...argv, '--json');
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  expect(error.code).toBe(code);
  expect(error.hint).toContain(hint);
  expect(status).toBe(2);
});
