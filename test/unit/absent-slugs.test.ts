// A product without a slug has its id for one, as text (catalogue.md, `products`): in documents, to
// `explain`, in an export, and where slugs have to be unique.

import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { TABLES } from '../../src/database/contract/tables.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { importRows } from '../../src/database/write/import-rows.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import { findingsOf } from '../support/database-rows.ts';
import { richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const ROWS = richCatalogue(['alpha', 'bravo']);
const COLUMNS = Object.keys(TABLES.products);

function views(change: (database: Database.Database) => void): string {
  const path = join(temporaryFolder(), 'theirs.sqlite');
  const database = viewsAt(path, ROWS);
  change(database);
  database.close();
  return path;
}

const WITHOUT = `DROP VIEW products; CREATE VIEW products AS
  SELECT ${COLUMNS.filter((column) => column !== 'slug').join(', ')} FROM theirs_products`;

async function built(path: string) {
  const out = join(temporaryFolder(), 'out');
  const { findings } = await buildTree(path, out, instant(NOW), {
    guards: { maxShrink: 1, maxBad: 1, allow: [], force: false },
  });
  const served = new Map([...filesOf(out)].filter(([name]) => name.startsWith('public/')));
  return { served, found: findings.map(({ code, place }) => `${code} ${place}`).sort() };
}

test('explain finds a product by it', async () => {
  const path = views((database) => database.exec(WITHOUT));
  const options = { databasePath: path, frontCode: 'alpha', slug: '1010', tzdata: '2026a' };
  expect(await explainProduct(options, instant(NOW))).toMatchObject({ product: { id: 1010, slug: '1010' } });
});

test('an id that an expression has made a REAL is the slug without its point', async () => {
  const path = views((database) => database.exec(`UPDATE theirs_products SET id = CAST(id AS REAL); ${WITHOUT}`));
  const { served, found } = await built(path);
  expect(found).toEqual([]);
  expect([...served.values()].join('')).toContain('"slug":"1010"');
});

test('a slug of another product that is the id is not unique', async () => {
  const path = views((database) =>
    database.exec(`UPDATE theirs_products SET slug = NULL;
      UPDATE theirs_products SET slug = '1010' WHERE id = 2020`),
  );
  const { found, served } = await built(path);
  expect(found).toEqual(['duplicate-key products 2020']);
  const texts = [...served.values()].join('');
  for (const id of [1010, 2020]) expect(texts).not.toContain(`"productId":${id},`);
  for (const id of [1020, 2010]) expect(texts).toContain(`"productId":${id},"slug":"${id}"`);
  const errors = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, place }) => `${code} ${place}`)).toEqual(found);
});

test('where another expression of the row throws, the others keep theirs', async () => {
  const others = COLUMNS.filter((column) => !['slug', 'name'].includes(column)).join(', ');
  const path = views((database) =>
    database.exec(`DROP VIEW products; CREATE VIEW products AS
      SELECT ${others}, iif(id = 1010, json_extract('x', '$'), name) AS name FROM theirs_products`),
  );
  const { found, served } = await built(path);
  expect(found).toEqual(['expression-failed products 1010']);
  const texts = [...served.values()].join('');
  for (const id of [1020, 2010, 2020]) expect(texts).toContain(`"productId":${id},"slug":"${id}"`);
});

test('a feed may leave it out, and an export has it', async () => {
  const feed = ROWS.map(({ table, row }) => {
    const { slug: _, ...others } = row;
    return { table, row: table === 'products' ? others : row };
  });
  const lines = (rows: readonly object[]) => rows.map((one) => `${JSON.stringify(one)}\n`).join('');
  const source = {
    name: 'feed',
    open: async function* () {
      yield Buffer.from(lines(feed));
    },
  };
  const path = join(temporaryFolder(), 'new.sqlite');
  await importRows([source], { databasePath: path, isReplacing: false });
  await using reader = await openCatalogue(path);
  let text = '';
  for await (const piece of exportRows(reader, ['products'], () => undefined)) text += piece;
  const slugs = [...text.matchAll(/"id":(\d+),"slug":"(\d+)"/g)].map(([, id, slug]) => [id, slug]);
  expect(slugs).toHaveLength(4);
  for (const [id, slug] of slugs) expect(slug).toBe(id);
  const whole = ROWS.map(({ table, row }) =>
    table === 'products' ? { table, row: { ...row, slug: String(row['id']) } } : { table, row },
  );
  expect((await built(path)).served).toEqual(
    (await built(catalogueAt(join(temporaryFolder(), 'whole.sqlite'), whole))).served,
  );
});
