// Recipes: an edition is kept without being assembled where everything that it is made of is what
// it was, and never otherwise.

import { mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BuildOptions } from '../../src/operations/build.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import {
  buildTree,
  catalogueAt,
  documentAt,
  filesOf,
  instant,
  temporaryFolder,
  temporaryFolderOfFile,
} from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const FRONT = 'moscow';
const ONE_EDITION = {
  horizonSeconds: 0,
  guards: { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false },
};

/** Products whose cards the front shows, in its order. */
const SHOWN = `SELECT product_id FROM front_products AS f JOIN products AS p ON p.id = f.product_id
  WHERE f.front_id = (SELECT id FROM fronts WHERE code = '${FRONT}') AND p.status = 'published' AND f.visible_from IS NULL AND f.visible_until IS NULL
  AND EXISTS (SELECT 1 FROM sessions AS s WHERE s.product_id = p.id AND s.status = 'scheduled' AND s.starts_at > '2026-05-02' AND s.sales_end_at IS NULL)`;
const OF_FRONT = `front_id = (SELECT id FROM fronts WHERE code = '${FRONT}')`;

/** Each changes one thing that the front's products document is made of. */
const CHANGES = {
  'a flag that the front adds': `UPDATE front_products SET banner = 1 - banner WHERE ${OF_FRONT} AND product_id = (${SHOWN} LIMIT 1)`,
  'the order of cards': `UPDATE front_products SET sort_weight = 1000000 WHERE ${OF_FRONT} AND product_id = (${SHOWN} ORDER BY f.sort_weight LIMIT 1)`,
  'a card less': `DELETE FROM front_products WHERE ${OF_FRONT} AND product_id = (${SHOWN} LIMIT 1)`,
  'a name': `UPDATE products SET name = name || ' *' WHERE id = (${SHOWN} LIMIT 1)`,
  'a price': `UPDATE price_tiers SET amount_minor = 1 WHERE product_id IN (${SHOWN}) AND kind = 'ticket'`,
  'the badges of a product': `DELETE FROM product_badges WHERE product_id IN (${SHOWN})`,
  'the name of a badge': "UPDATE badges SET name = name || ' *'",
  'the name of a tag': "UPDATE tags SET name = name || ' *'",
  'the name of a category': "UPDATE categories SET name_plural = name_plural || ' *'",
  'the weight of a group in a product': `UPDATE product_groups SET sort_weight = sort_weight + 1 WHERE product_id IN (${SHOWN})`,
  'a group less': `DELETE FROM front_groups WHERE ${OF_FRONT} AND group_id = (SELECT group_id FROM product_groups WHERE product_id IN (${SHOWN}) AND group_id IN (SELECT group_id FROM front_groups WHERE ${OF_FRONT}) LIMIT 1)`,
  'the order of groups': `UPDATE front_groups SET sort_weight = -sort_weight WHERE ${OF_FRONT}`,
};

/** What the catalogue's demo gives after `sql`, from an empty tree. */
async function rendered(root: string, sql: string, toolVersion = 'test') {
  mkdirSync(root, { recursive: true });
  const database = demoCatalogueAt(join(root, 'demo.sqlite'), NOW);
  const handle = new Database(database);
  handle.exec(sql);
  handle.close();
  const built = await buildTree(database, join(root, 'out'), instant(NOW), { ...ONE_EDITION, toolVersion });
  const file = built.outcomes.find(({ code }) => code === FRONT)?.files.find(({ path }) => path.includes('/products.'));
  expect(file?.recipe).toMatch(/^[0-9a-f]{32}$/);
  return { database, out: join(root, 'out'), recipe: file?.recipe, sha256: file?.sha256, path: file?.path ?? '' };
}

describe('another document has another recipe', () => {
  let base: Awaited<ReturnType<typeof rendered>>;
  const root = temporaryFolderOfFile();
  beforeAll(async () => {
    base = await rendered(join(root, 'base'), '');
  });

  test.each(Object.entries(CHANGES))('%s', async (name, sql) => {
    const changed = await rendered(join(root, name.replaceAll(' ', '-')), sql);
    expect(changed.sha256).not.toBe(base.sha256);
    expect(changed.recipe).not.toBe(base.recipe);
  });

  test('the version of the tool, which may write the same cards otherwise', async () => {
    const changed = await rendered(join(root, 'version'), '', 'later');
    expect(changed.sha256).toBe(base.sha256);
    expect(changed.recipe).not.toBe(base.recipe);
  });
});

describe('a document whose recipe is published', () => {
  async function builtTwice(between: (path: string) => void, options: Partial<BuildOptions> = {}) {
    const first = await rendered(temporaryFolder(), '');
    const before = filesOf(first.out);
    between(join(first.out, first.path));
    const { outcomes } = await buildTree(first.database, first.out, instant(NOW), { ...ONE_EDITION, ...options });
    const front = outcomes.find(({ code }) => code === FRONT);
    const reason = front?.plan.find(({ path }) => path === first.path)?.reason;
    return { held: front?.held, reason, isSame: filesOf(first.out).get(first.path) === before.get(first.path) };
  }

  test('is kept unseen', async () => {
    expect(await builtTwice(() => undefined)).toEqual({ held: null, reason: 'same-recipe', isSame: true });
  });

  test('is assembled where its file is missing', async () => {
    expect(await builtTwice((path) => rmSync(path))).toEqual({ held: null, reason: 'new-content', isSame: true });
  });

  test('holds the front where its file has another size', async () => {
    const built = await builtTwice((path) => truncateSync(path, 100));
    expect(built).toEqual({ held: 'file-size-wrong', reason: undefined, isSame: false });
  });

  test('is assembled under --force', async () => {
    const guards = { ...ONE_EDITION.guards, force: true };
    expect(await builtTwice(() => undefined, { guards })).toMatchObject({ held: null, reason: 'same-content' });
  });

  test('is assembled by another version of the tool', async () => {
    expect(await builtTwice(() => undefined, { toolVersion: 'later' })).toMatchObject({ reason: 'same-content' });
  });

  test('is a file of its own on another front', async () => {
    const root = temporaryFolder();
    const out = join(root, 'out');
    const fronts = ['alpha', 'bravo'];
    const rows = smallCatalogue({ fronts, productsPerFront: 0, sessionsPerProduct: 0, edition: 'x' });
    const rowsAlike = rows.filter(({ table }) => !table.endsWith('categories'));
    const database = catalogueAt(join(root, 'x.sqlite'), rowsAlike);
    await buildTree(database, out, instant(NOW), { frontCodes: ['alpha'] });
    await buildTree(database, out, instant(NOW));
    const files = filesOf(out);
    expect(documentAt(files, 'bravo', 'products', NOW)).toBe(documentAt(files, 'alpha', 'products', NOW));
  });
});
