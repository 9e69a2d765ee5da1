// The guards of `npm run bench`: that a yardstick which makes something else is reported, and what
// its tables are made of.

import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentDifference } from '../../scripts/bench/same-content.ts';
import { besideOlder, median, tableText } from '../../scripts/bench/table.ts';

const PRODUCTS = 'public/fronts/moscow/products.00112233aabbccdd.json';
const CATEGORIES = 'public/fronts/moscow/categories.ddccbbaa33221100.json';

describe('contentDifference', () => {
  let a: string;
  let b: string;
  let folder: string;
  const write = (tree: string, path: string, text: string): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'playbill-bench-'));
    [a, b] = [join(folder, 'a'), join(folder, 'b')];
    for (const path of [PRODUCTS, CATEGORIES]) write(a, path, `{"path":"${path}"}\n`);
    write(a, 'public/fronts/moscow/pointer.json', '{"now":"2026-05-01T09:00:00Z"}\n');
    cpSync(a, b, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('finds none between a tree and its copy', () => {
    expect(contentDifference(a, b)).toBeNull();
  });

  test('does not look at what says when it was made', () => {
    write(b, 'public/fronts/moscow/pointer.json', '{"now":"2026-05-02T09:00:00Z"}\n');
    write(b, 'releases/20260502T090000Z-00112233aabbccdd.json', '{}\n');
    expect(contentDifference(a, b)).toBeNull();
  });

  test.each([
    ['a byte is another', () => write(b, PRODUCTS, `{"path":"${PRODUCTS.replace('moscow', 'Moscow')}"}\n`), PRODUCTS],
    ['a byte is missing', () => write(b, CATEGORIES, `{"path":"${CATEGORIES}"}`), CATEGORIES],
    ['a file is missing', () => rmSync(join(b, CATEGORIES)), CATEGORIES],
    ['there is one more', () => write(b, PRODUCTS.replace('dd.', 'de.'), '{}\n'), 'products.00112233aabbccde.json'],
    ['a file has another name', () => renameSync(join(b, PRODUCTS), join(b, PRODUCTS.replace('dd.', 'de.'))), PRODUCTS],
  ])('is reported where %s', (_, spoil, path) => {
    spoil();
    expect(contentDifference(a, b)).toContain(path);
    expect(contentDifference(b, a)).toContain('public/fronts/moscow/');
  });

  test('two trees without an edition agree about nothing', () => {
    for (const tree of [a, b]) rmSync(join(tree, 'public/fronts/moscow'), { recursive: true });
    expect(contentDifference(a, b)).toMatch(/^no edition/);
  });
});

test('median is the middle one, or the upper of two', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(3);
  expect(median([10, 9, 100])).toBe(10);
  expect(median([])).toBeNaN();
});

test('a table is a document', () => {
  expect(tableText('Size S', 'How.', [{ what: 'a', measured: '1', goal: '-' }])).toBe(
    '# Size S\n\nHow.\n\n| what | measured | goal |\n| --- | --- | --- |\n| a | 1 | - |\n',
  );
});

test('an older table of the same title stands beside the new one', () => {
  const table = (title: string, ...rows: readonly (readonly [what: string, measured: string])[]): string =>
    tableText(
      title,
      'How.',
      rows.map(([what, measured]) => ({ what, measured, goal: '≤ 2 ×' })),
    );
  const older = table('Size S', ['full build', '3 ×'], ['gone', '4 ×']);
  const both = besideOlder(table('Size S', ['full build', '1 ×'], ['new', '2 ×']), older);
  expect(both.split('\n').slice(4, -1)).toEqual([
    '| what | measured | goal | before |',
    '| --- | --- | --- | --- |',
    '| full build | 1 × | ≤ 2 × | 3 × |',
    '| new | 2 × | ≤ 2 × | - |',
  ]);
  const other = table('Size M', ['full build', '1 ×']);
  expect(besideOlder(other, older)).toBe(other);
});
