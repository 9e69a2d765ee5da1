// `diff` on real trees: a tree differs from itself in nothing; of two builds of the same data all
// differences are the clock's, and of a build after one changed row exactly that row's are the
// data's, on the fronts it concerns.

import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf, type Instant } from '../../src/catalogue/instant.ts';
import type { ProductsDocument } from '../../src/contract/documents.ts';
import type { DocumentChange, FrontDifference, PlannedDiffJson } from '../../src/contract/results/diff.ts';
import { plannedDiffLines } from '../../src/cli/output/diff.ts';
import { changeText, countChanges, diffDocuments } from '../../src/release/diff/document-diff.ts';
import { forecast } from '../../src/release/status/forecast.ts';
import { PlannedDiffs } from '../../src/release/diff/planned-diff.ts';
import { PublishedTree } from '../../src/release/tree/published.ts';
import { diffReleases, type FrontDiff } from '../../src/release/diff/release-diff.ts';
import { openRelease } from '../../src/release/tree/release-view.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { dryRunStore } from '../../src/storage/dry-run.ts';
import { smallCatalogue, NOW } from '../support/fault/small-catalogue.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import {
  buildTree,
  catalogueAt,
  documentAt,
  filesOf,
  instant,
  pointerOf,
  temporaryFolder,
  temporaryFolderOfFile,
} from '../support/trees.ts';

async function diffTrees(before: string, after: string): Promise<FrontDiff[]> {
  const releases = [before, after].map((tree) => openRelease('current', DirectoryReader.open(tree)));
  const [old, now] = await Promise.all(releases);
  if (old === undefined || now === undefined) throw new Error('two trees');
  const diffs: FrontDiff[] = [];
  for await (const diff of diffReleases(old, now, null)) diffs.push(diff);
  return diffs;
}

const productsAt = (files: ReadonlyMap<string, string>, front: string, at: string): ProductsDocument =>
  JSON.parse(documentAt(files, front, 'products', at)) as ProductsDocument;

const NO_DIFF: Omit<FrontDifference, 'front' | 'timezone' | 'cardsBefore' | 'cardsAfter'> = {
  clock: [],
  data: [],
  ambiguous: [],
  comparableUntil: null,
  horizonNeededSeconds: null,
  upcoming: [],
};

test('with the same data at two instants, all that the documents differ in is the clock’s', async () => {
  const root = temporaryFolder();
  let serial = 0;
  const seen = { clock: 0, ambiguous: 0, back: 0 };
  await fc.assert(
    fc.asyncProperty(catalogueArbitrary(), fc.nat(20 * 3600), async ({ rows, now }, offset) => {
      const name = join(root, String(++serial));
      // Every other time beyond the horizon, and the day that may follow it.
      const seconds = offset + (serial % 2 === 0 ? 54 * 3600 : 0);
      const database = catalogueAt(`${name}.sqlite`, rows);
      const [first, second] = [instant(now), instantOf(instant(now) + seconds)];
      const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: true };
      await buildTree(database, `${name}-a`, first, { horizonSeconds: 30 * 3600, guards });
      await buildTree(database, `${name}-b`, second, { horizonSeconds: 3600, guards });
      expect((await diffTrees(`${name}-a`, `${name}-a`)).filter(({ state }) => state !== 'same')).toEqual([]);
      const files = [filesOf(`${name}-a`), filesOf(`${name}-b`)] as const;
      const documentsOf = (front: string) =>
        [
          productsAt(files[0], front, formatInstant(first)),
          productsAt(files[1], front, formatInstant(second)),
        ] as const;
      for (const one of await diffTrees(`${name}-a`, `${name}-b`)) {
        const [before, after] = documentsOf(one.front);
        const changes = diffDocuments(before, after);
        expect(one.state, one.front).toBe(changes.length === 0 ? 'same' : 'changed');
        if (one.state !== 'changed') continue;
        const { validUntil } = pointerOf(files[0], one.front);
        const isReached = formatInstant(second) < validUntil;
        const expected = isReached
          ? { clock: changes }
          : { ambiguous: changes, comparableUntil: validUntil, horizonNeededSeconds: seconds };
        expect(one.diff).toMatchObject({ ...NO_DIFF, ...expected });
        if (isReached) seen.clock += 1;
        else seen.ambiguous += 1;
      }
      // Backwards it is the older snapshot, the second one named, that is asked what it shows at
      // the newer one's now.
      for (const one of await diffTrees(`${name}-b`, `${name}-a`)) {
        const [before, after] = documentsOf(one.front);
        if (one.state !== 'changed' || one.diff.comparableUntil !== null) continue;
        expect(one.diff).toMatchObject({ ...NO_DIFF, clock: diffDocuments(after, before) });
        seen.back += 1;
      }
    }),
    { numRuns: 20 },
  );
  expect(Math.min(seen.clock, seen.ambiguous, seen.back)).toBeGreaterThan(0);
});

const root = temporaryFolderOfFile();
const LATER = '2026-05-01T10:00:00Z';
const fronts = ['alpha', 'bravo'];
let serial = 0;

/** A published tree as of NOW, and its database. */
async function published(): Promise<{ database: string; tree: string }> {
  const tree = join(root, `tree-${++serial}`);
  const rows = smallCatalogue({ fronts, productsPerFront: 2, sessionsPerProduct: 5, edition: 'x' });
  const database = catalogueAt(`${tree}.sqlite`, rows);
  await buildTree(database, tree, instant(NOW));
  return { database, tree };
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

const textsOf = (changes: readonly DocumentChange[]): string[] => changes.map(changeText);

describe('one changed row, an hour later', () => {
  const hit =
    "INSERT INTO badges (id, slug, name, color) VALUES (5, 'hit', 'Hit', '#abcdef');" +
    'INSERT INTO product_badges (product_id, badge_id, valid_from) VALUES';
  test.each<readonly [string, string, Record<string, readonly string[]>, Record<string, readonly string[]>]>([
    ['nothing', '', {}, {}],
    [
      'a price',
      'UPDATE price_tiers SET amount_minor = 100 WHERE product_id = 1001',
      { alpha: ['product "Show 1001 "x"" (show-1001): priceFrom 510.02 → 1'] },
      {},
    ],
    [
      'a name that two fronts show',
      "UPDATE products SET name = 'New' WHERE id = 1",
      {
        alpha: ['product "New" (show-1): name "Show 1 "x"" → "New"'],
        bravo: ['product "New" (show-1): name "Show 1 "x"" → "New"'],
      },
      {},
    ],
    [
      'a product gone',
      "UPDATE products SET status = 'draft' WHERE id = 2001",
      { bravo: ['product "Show 2001 "x"" (show-2001) gone'] },
      {},
    ],
    [
      'another order',
      'UPDATE front_products SET sort_weight = 9 WHERE front_id = 1 AND product_id = 1',
      { alpha: ['product "Show 1 "x"" (show-1) moved from place 1 to 3'] },
      {},
    ],
    [
      'a category no longer attached',
      'DELETE FROM front_categories WHERE front_id = 2',
      { bravo: ['category "пьесы" (about-bravo) gone'] },
      {},
    ],
    [
      'the name of a category',
      "UPDATE categories SET name_plural = 'драмы' WHERE id = 1",
      { alpha: ['category "драмы" (about-alpha): namePlural "пьесы" → "драмы"'] },
      {},
    ],
    [
      'the last seats',
      'UPDATE sessions SET available = 0 WHERE product_id = 1002',
      { alpha: ['product "Show 1002 "x"" (show-1002): soldOut false → true; priceFrom 510.03 → none'] },
      {},
    ],
    [
      'a badge',
      `${hit} (2002, 5, NULL)`,
      { bravo: ['product "Show 2002 "x"" (show-2002): badges + hit', 'badge "Hit" (hit) added'] },
      {},
    ],
    [
      'a badge that begins later',
      `${hit} (2002, 5, '2026-05-01T12:30:00Z')`,
      {},
      {
        bravo: [
          '2026-05-01T12:30:00Z product "Show 2002 "x"" (show-2002): badges + hit',
          '2026-05-01T12:30:00Z badge "Hit" (hit) added',
        ],
      },
    ],
  ])('%s: named with its fronts, and nothing else; a dry run has the same', async (_, sql, data, later) => {
    const { database, tree } = await published();
    const undisturbed = `${tree}-undisturbed`;
    await buildTree(database, undisturbed, instant(LATER));
    const changed = `${tree}-changed`;
    copyFileSync(database, `${changed}.sqlite`);
    change(`${changed}.sqlite`, sql);
    await buildTree(`${changed}.sqlite`, changed, instant(LATER));
    const clockOf = new Map(
      (await diffTrees(tree, undisturbed)).map((one) => [one.front, one.state === 'changed' ? one.diff.clock : []]),
    );
    const dry = await buildTree(`${changed}.sqlite`, tree, instant(LATER), { isDryRun: true });
    const diffs = await diffTrees(tree, changed);
    expect(diffs).toHaveLength(2);
    for (const one of diffs) {
      if (one.state !== 'changed') throw new Error(`${one.front}: an hour changes its sessions`);
      expect(one.diff.clock.length).toBeGreaterThan(0);
      expect(one.diff.clock).toEqual(clockOf.get(one.front));
      expect(textsOf(one.diff.data)).toEqual(data[one.front] ?? []);
      const upcoming = one.diff.upcoming.flatMap(({ from, changes }) =>
        textsOf(changes).map((text) => `${from} ${text}`),
      );
      expect(upcoming).toEqual(later[one.front] ?? []);
      expect(one.diff).toMatchObject({ ambiguous: [], comparableUntil: null });
      const planned = dry.differences?.changed.find(({ front }) => front === one.front);
      const { counts, ...difference } = planned ?? {};
      const isData = one.diff.data.length > 0;
      expect(difference).toEqual({ ...one.diff, upcoming: isData ? null : one.diff.upcoming });
      expect(counts?.data).toEqual(countChanges(one.diff.data));
    }
  });

  test('a front added, one gone, and one that is held back and so changes by the clock alone', async () => {
    const { database, tree } = await published();
    const changed = `${tree}-changed`;
    await buildTree(database, changed, instant(NOW));
    change(
      database,
      "UPDATE fronts SET status = 'disabled' WHERE id = 1; UPDATE fronts SET min_cards = 99 WHERE id = 2;" +
        "INSERT INTO fronts (id, code, name, timezone, currency) VALUES (3, 'new', 'New', 'UTC', 'RUB')",
    );
    await buildTree(database, changed, instant(LATER));
    const [alpha, bravo, added] = await diffTrees(tree, changed);
    expect(alpha).toEqual({ front: 'alpha', state: 'gone', cards: 3 });
    expect(added).toEqual({ front: 'new', state: 'added', cards: 0 });
    expect(bravo).toMatchObject({ state: 'changed', diff: { data: [], ambiguous: [], upcoming: [] } });
  });
});

test('where the older snapshot does not reach, clock and data are ambiguous; a second earlier they are not', async () => {
  const { database, tree } = await published();
  change(database, "UPDATE products SET name = 'New' WHERE id = 1");
  const until = instant(pointerOf(filesOf(tree), 'alpha').validUntil);
  const stateAt = async (now: Instant) => {
    const out = `${tree}-${now}`;
    await buildTree(database, out, now);
    const [alpha] = await diffTrees(tree, out);
    if (alpha?.state !== 'changed') throw new Error('a name has changed');
    return alpha.diff;
  };
  const reached = await stateAt(instantOf(until - 1));
  expect([reached.ambiguous, textsOf(reached.data)]).toEqual([
    [],
    ['product "New" (show-1): name "Show 1 "x"" → "New"'],
  ]);
  const unreached = await stateAt(until);
  expect(unreached).toMatchObject({ clock: [], data: [], upcoming: [], comparableUntil: formatInstant(until) });
  expect(textsOf(unreached.ambiguous).join('\n')).toContain('name "Show 1 "x"" → "New"');
  // An older snapshot with the horizon that is named reaches.
  const horizonSeconds = unreached.horizonNeededSeconds ?? 0;
  expect(horizonSeconds).toBe(until - instant(NOW));
  const further = `${tree}-further`;
  change(database, `UPDATE products SET name = 'Show 1 "x"' WHERE id = 1`);
  await buildTree(database, further, instant(NOW), { horizonSeconds });
  const [alpha] = await diffTrees(further, `${tree}-${until}`);
  if (alpha?.state !== 'changed') throw new Error('a name has changed');
  expect(alpha.diff).toMatchObject({ ambiguous: [], comparableUntil: null, horizonNeededSeconds: null });
  expect(textsOf(alpha.diff.data)).toEqual(textsOf(reached.data));
});

test('a forecast has every edition after `from` up to `until`, each with what it changes', async () => {
  const { tree } = await published();
  const release = await openRelease('current', DirectoryReader.open(tree));
  const files = filesOf(tree);
  for (const [from, until] of [
    [NOW, '2026-05-09T00:00:00Z'],
    ['2026-05-01T09:40:00Z', '2026-05-01T10:20:00Z'],
    ['2026-04-01T00:00:00Z', '2026-05-01T09:40:00Z'],
  ] as const) {
    for await (const { front, steps, cards } of forecast(release, null, from, until)) {
      const starts = pointerOf(files, front).products.map((entry) => entry.slice(0, 20));
      const expected = starts.filter((start) => start > from && start <= until && start !== NOW);
      expect(expected.length).toBeGreaterThan(1);
      expect(steps.map(({ at }) => at)).toEqual(expected);
      let before = productsAt(files, front, from < NOW ? NOW : from);
      expect(cards).toBe(before.productCards.length);
      for (const step of steps) {
        const after = productsAt(files, front, step.at);
        expect(step.changes).toEqual(diffDocuments(before, after));
        expect(step.changes.length).toBeGreaterThan(0);
        expect(step.cards).toBe(after.productCards.length);
        before = after;
      }
    }
  }
});

const NO_PLANNED: PlannedDiffJson = { isDifferent: false, same: [], added: [], gone: [], changed: [], unknown: [] };

describe('a dry run', () => {
  test('lists at most twenty changes of one kind on a front, and counts all', async () => {
    const tree = join(root, `many-${++serial}`);
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 30, sessionsPerProduct: 1, edition: 'x' });
    const database = catalogueAt(`${tree}.sqlite`, rows);
    await buildTree(database, tree, instant(NOW));
    change(database, 'UPDATE products SET age_rating = 18');
    const { differences } = await buildTree(database, tree, instant(NOW), { isDryRun: true });
    const [alpha] = differences?.changed ?? [];
    expect(alpha?.counts.data).toEqual({ productCards: { added: 0, gone: 0, changed: 31, moved: 0 } });
    expect(alpha?.data).toHaveLength(20);
    const text = plannedDiffLines(differences ?? NO_PLANNED).join('\n');
    expect(text).toContain('\n  by the data: 31 products changed\n');
    expect(text).toContain('\n    … 11 more\n');
    const again = await buildTree(database, tree, instant(NOW));
    expect(again.differences).toBeUndefined();
    const after = await buildTree(database, tree, instant(NOW), { isDryRun: true });
    expect(after.differences).toEqual({ ...NO_PLANNED, same: ['alpha'] });
  });

  test('drops each front’s documents when its turn ends', async () => {
    const tree = join(root, `memory-${++serial}`);
    const inner = dryRunStore(new DirectoryStore(tree));
    const diffs = new PlannedDiffs(await PublishedTree.read(inner), inner, instant(NOW));
    const { store } = diffs;
    const bytes = new Uint8Array(1_000_000);
    setFlagsFromString('--expose-gc');
    const bytesInUse = (): number => {
      runInNewContext('gc()');
      return process.memoryUsage().arrayBuffers;
    };
    const before = bytesInUse();
    const outcome = { held: 'findings', guards: [], listing: null, files: [], plan: [], findings: [] } as const;
    for (let i = 0; i < 300; i++) {
      for (const digest of ['0123456789abcdef', '123456789abcdef0'])
        await store.create({ path: `public/fronts/f${i}/products.${digest}.json`, bytes });
      await diffs.add({ code: `f${i}`, ...outcome });
    }
    const kept = (): number => bytesInUse() - before;
    // Six hundred megabytes would stay if they were kept. What is collected is freed some time
    // later, by a thread of the engine's own.
    await expect.poll(kept).toBeLessThan(50_000_000);
  });

  test('reports a front that is removed, and one whose published edition is damaged, and goes on', async () => {
    const { database, tree } = await published();
    change(database, "UPDATE fronts SET status = 'disabled' WHERE id = 1");
    const digest = pointerOf(filesOf(tree), 'bravo').products[0]?.slice(21);
    const path = join(tree, `public/fronts/bravo/products.${digest}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('Show', 'show'));
    const { differences } = await buildTree(database, tree, instant(LATER), { isDryRun: true });
    expect(differences).toEqual({
      ...NO_PLANNED,
      isDifferent: true,
      gone: [{ front: 'alpha', cards: 3 }],
      unknown: ['bravo'],
    });
  });

  test('reports a front that is removed, where the manifest that listed it is lost', async () => {
    const { database, tree } = await published();
    change(database, "UPDATE fronts SET status = 'disabled' WHERE id = 1");
    writeFileSync(join(tree, 'releases/current'), 'torn');
    const { differences } = await buildTree(database, tree, instant(LATER), { isDryRun: true });
    expect(differences?.gone).toEqual([{ front: 'alpha', cards: 3 }]);
    expect(differences?.unknown).toEqual([]);
  });
});
