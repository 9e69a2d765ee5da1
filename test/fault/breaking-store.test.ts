// The store breaks at every write, in every way; the readers see the old or the new, and a retry
// ends in the same tree as a run that nothing disturbed.

import Database from 'better-sqlite3';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import type { Compression } from '../../src/release/tree/files.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { precompressingStore } from '../../src/storage/precompress.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { BreakingStore, Breakage } from '../support/fault/breaking-store.ts';
import { buildWith, HORIZON_SECONDS } from '../support/fault/build-with.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf, type Sight } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { changedEditions, copyTree, rewrittenInVain, stampsOf } from '../support/fault/tree-copy.ts';

const LATER = instant('2026-05-01T10:00:00Z');
const HORIZON = { horizonSeconds: HORIZON_SECONDS };

const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
let firstDatabase = '';
let oldDatabase = '';
let newDatabase = '';
let goneDatabase = '';

beforeAll(() => {
  const size = { productsPerFront: 1, sessionsPerProduct: 4 };
  const first = { ...size, fronts: ['alpha', 'bravo', 'charlie'], edition: 'first' };
  firstDatabase = catalogueAt(join(folder, 'first.sqlite'), smallCatalogue(first));
  const fronts = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
  oldDatabase = catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...size, fronts, edition: 'old' }));
  const all = [...fronts, 'foxtrot'];
  newDatabase = catalogueAt(join(folder, 'new.sqlite'), smallCatalogue({ ...size, fronts: all, edition: 'young' }));
  // One front is disabled, one held by a guard, one by its data, and one is new.
  change(
    newDatabase,
    `UPDATE fronts SET status = 'disabled' WHERE code = 'bravo';
     UPDATE fronts SET min_cards = 99 WHERE code = 'charlie';
     UPDATE fronts SET timezone = 'Mars/Olympus' WHERE code = 'delta'`,
  );
  goneDatabase = catalogueAt(join(folder, 'gone.sqlite'), smallCatalogue({ ...size, fronts, edition: 'gone' }));
  change(
    goneDatabase,
    `UPDATE fronts SET min_cards = 99; UPDATE fronts SET status = 'disabled' WHERE code IN ('alpha', 'echo')`,
  );
});

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

async function buildBreaking(
  databasePath: string,
  root: string,
  breakAt: number,
  precompress: readonly Compression[],
): Promise<void> {
  await using reader = await openCatalogue(databasePath);
  const store = new BreakingStore(new DirectoryStore(root), new DirectoryStore(root), breakAt);
  await buildWith(reader, precompressingStore(store, precompress), LATER, precompress);
}

/**
 * Breaks a build over a tree at its first, second, … way to break until there is none left, and
 * judges each.
 */
async function breakEverywhere(
  name: string,
  databasePath: string,
  base: string,
  precompress: readonly Compression[] = [],
): Promise<Sight[]> {
  const undisturbed = copyTree(base, join(folder, `${name}-undisturbed`));
  const options = { ...HORIZON, precompress };
  await buildTree(databasePath, undisturbed, LATER, options);
  const before = stateOf(base);
  const after = stateOf(undisturbed);
  const expected = filesOf(undisturbed);
  // An edition that is there already gets no siblings: a stop may leave one without, for good.
  const withoutSiblings = plainFilesOf(undisturbed);
  checkAsReader(undisturbed, before, after);

  const sights: Sight[] = [];
  for (let breakAt = 1; ; breakAt += 1) {
    const root = copyTree(base, join(folder, `${name}-${breakAt}`));
    const untouched = stampsOf(root);
    const thrown = await buildBreaking(databasePath, root, breakAt, precompress).catch((error: unknown) => error);
    sights.push(checkAsReader(root, before, after));
    const broken = stampsOf(root);
    expect(rewrittenInVain(untouched, broken), `${name} ${breakAt}`).toEqual([]);
    expect(changedEditions(untouched, broken), `${name} ${breakAt}`).toEqual([]);
    if (thrown === undefined) {
      const situation = `the store breaks in a write, before or after its effect: ${name.replaceAll('-', ' ')}`;
      const sees = 'each front old or new, whole';
      tellFault({ situation, sees, heals: 'the next build' }, null, sights.length - 1);
      expect(filesOf(root)).toEqual(expected);
      return sights;
    }
    expect(thrown, `${name} ${breakAt}`).toBeInstanceOf(Breakage);

    await buildTree(databasePath, root, LATER, options);
    checkAsReader(root, before, after);
    expect(plainFilesOf(root), `the retry after ${name} ${breakAt}`).toEqual(withoutSiblings);
    const retried = stampsOf(root);
    expect(rewrittenInVain(broken, retried), `the retry after ${name} ${breakAt}`).toEqual([]);
    expect(changedEditions(broken, retried), `the retry after ${name} ${breakAt}`).toEqual([]);
    rmSync(root, { recursive: true });
  }
}

/** All files of a tree but precompressed siblings. */
function plainFilesOf(root: string): Map<string, string> {
  return new Map([...filesOf(root)].filter(([path]) => !/\.(?:gz|br)$/.test(path)));
}

/** In how many of the stopped trees some fronts showed the old release and some the new one. */
function mixedTotal(sights: readonly Sight[]): number {
  return sights.filter(({ fronts }) => [...fronts.values()].includes('old') && [...fronts.values()].includes('new'))
    .length;
}

test('a store that breaks while publishing into an empty tree', async () => {
  const base = join(folder, 'empty');
  mkdirSync(base);
  const sights = await breakEverywhere('into-empty', firstDatabase, base);
  expect(sights.length).toBeGreaterThan(60);
  expect(sights.filter(({ newEditions }) => newEditions > 0).length).toBeGreaterThan(10);
});

test('a store that breaks while publishing over an older release', async () => {
  const base = join(folder, 'older');
  await buildTree(oldDatabase, base, instant(NOW), HORIZON);
  const sights = await breakEverywhere('over-older', newDatabase, base);
  expect(sights.length).toBeGreaterThan(40);
  // After the first of three pointers, the second, the third, and the removal that was not done.
  expect(mixedTotal(sights)).toBe(4);
  expect(sights.at(-1)?.fronts).toEqual(
    new Map([
      ['alpha', 'new'],
      ['bravo', 'new'],
      ['charlie', 'same'],
      ['delta', 'same'],
      ['echo', 'new'],
      ['foxtrot', 'new'],
    ]),
  );
});

test('a store that breaks while editions get precompressed siblings', async () => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 0 };
  const old = catalogueAt(join(folder, 'small-old.sqlite'), smallCatalogue({ ...size, edition: 'old' }));
  const young = catalogueAt(join(folder, 'small-new.sqlite'), smallCatalogue({ ...size, edition: 'young' }));
  const base = join(folder, 'precompressed');
  const precompress = ['gzip', 'br'] as const;
  await buildTree(old, base, instant(NOW), { ...HORIZON, precompress });
  const sights = await breakEverywhere('precompressed-over-older', young, base, precompress);
  expect(mixedTotal(sights)).toBe(1);
  // Between the names of the contents there is every number of siblings.
  const [first, last] = [sights[0]?.siblings ?? 0, sights.at(-1)?.siblings ?? 0];
  expect(first).toBeGreaterThan(0);
  expect(last).toBe(2 * first);
  expect(new Set(sights.map(({ siblings }) => siblings)).size).toBe(last - first + 1);
});

test('a store that breaks while fronts that are gone lose their pointers and all others are held', async () => {
  const base = join(folder, 'going');
  await buildTree(oldDatabase, base, instant(NOW), HORIZON);
  const sights = await breakEverywhere('fronts-go', goneDatabase, base);
  // No contents to settle 1 way, no pointers to swap 1; key ring, two parts, manifest and current 2
  // each, two removals 3; and the run that nothing breaks.
  expect(sights.length).toBe(16);
  expect(mixedTotal(sights)).toBeGreaterThan(0);
});
