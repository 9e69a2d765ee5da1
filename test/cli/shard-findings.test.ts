// What is wrong with the rows of a catalogue is found by the shards as by one build: each tells of
// the products that its fronts show, and what concerns two shards is seen by both.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeDatabase } from '../support/fault/build-with.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestIn } from '../support/manifests.ts';
import { buildOneShard, finishShards, releasedFilesOf } from '../support/shards.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

const SHARDS = 3;
/** Each in a shard of its own: they share one product of many. */
const FRONTS = ['alpha', 'bravo', 'charlie'];
const now = instant(NOW);

function catalogue(sql = ''): string {
  const small = { fronts: FRONTS, productsPerFront: 3, sessionsPerProduct: 1, edition: 'one' };
  const path = catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), smallCatalogue(small));
  if (sql !== '') changeDatabase(path, `pragma foreign_keys = off; pragma ignore_check_constraints = on; ${sql}`);
  return path;
}

/** The shards that are there, and their end. */
async function shardsOf(databasePath: string, outPath: string, indexes: readonly number[] = [0, 1, 2]) {
  const run = { databasePath, outPath, run: 'r', total: SHARDS };
  for (const index of indexes) await buildOneShard({ ...run, index }, now);
  return finishShards(run);
}

const placesOf = ({ findings }: { readonly findings: readonly { readonly place: string }[] }): string[] =>
  findings.map(({ place }) => place).sort();

/** A view in place of the table, in which a column may say anything. */
const viewOf = (table: string, columns: string): string =>
  `alter table ${table} rename to own_${table}; create view ${table} as select ${columns} from own_${table};`;

const PRODUCT = 'id, name, age_rating, sale_schema, pushka, paused, paused_until, image_id, status';
const TIER = 'id, kind, is_public, in_price_from, amount_minor, currency, available, valid_from, valid_until';

test.each([
  ['a product of one front', 'update products set age_rating = -5 where id = 2001', ['products 2001']],
  ['the product of all', 'update price_tiers set amount_minor = -5 where id = 1', ['price_tiers 1']],
  [
    'a slug of two shards',
    viewOf('products', `${PRODUCT}, case when id in (1001, 3001) then 'twice' else slug end as slug`),
    ['products 3001'],
  ],
  ['a row of no product', 'update sessions set product_id = 777 where id = 200101', ['sessions 200101']],
  [
    "a mistyped id, which may be another shard's",
    viewOf(
      'price_tiers',
      `${TIER}, null as session_id, case product_id when 2001 then '2001' else product_id end as product_id`,
    ),
    ['price_tiers 2001'],
  ],
  [
    'a list with a product that does not exist',
    'insert into front_products (front_id, product_id) values (3, 888)',
    ['front_products 3,888'],
  ],
  [
    'a row of a front',
    'update front_products set featured = 7 where front_id = 2 and product_id = 2002',
    ['front_products 2,2002'],
  ],
])('%s', async (_, sql, places) => {
  const root = temporaryFolder();
  const db = catalogue(sql);
  const single = await buildTree(db, join(root, 'single'), now);
  const finished = await shardsOf(db, join(root, 'shards'));
  expect(placesOf(single)).toEqual(expect.arrayContaining(places));
  expect(placesOf(finished)).toEqual(placesOf(single));
  expect(finished.findingsTotal).toBe(single.findingsTotal);
  expect(releasedFilesOf(join(root, 'shards'))).toEqual(releasedFilesOf(join(root, 'single')));
});

test.each([0, 1, 2])('without shard %i what the others have read is known', async (missing) => {
  const root = temporaryFolder();
  const ids = [1001, 2001, 3001];
  const db = catalogue(`update products set age_rating = -5 where id in (${ids.join(', ')})`);
  const finished = await shardsOf(
    db,
    root,
    [0, 1, 2].filter((index) => index !== missing),
  );
  const gone = finished.outcomes.filter(({ held }) => held === 'shard-missing').map(({ code }) => FRONTS.indexOf(code));
  expect(gone).toHaveLength(1);
  const known = ids.filter((_, i) => !gone.includes(i)).map((id) => `products ${id}`);
  expect(placesOf(finished)).toEqual([...known, `runs/r/shard-${missing}.json`]);
});

test('what the fronts of a missing shard have used stays known until it is there', async () => {
  const root = temporaryFolder();
  const db = catalogue('insert into front_allocations (front_id, session_id, available) values (2, 200101, 5)');
  await buildTree(db, root, instant('2026-05-01T08:00:00Z'));
  expect(manifestIn(root).uses).toEqual(['front_allocations']);
  changeDatabase(db, 'delete from front_allocations');
  await shardsOf(db, root, [0, 1]);
  expect(manifestIn(root).uses).toEqual(['front_allocations']);
  await shardsOf(db, root, [2]);
  expect(manifestIn(root).uses).toBe(undefined);
});

test('what one shard alone has read is used', async () => {
  const root = temporaryFolder();
  const db = catalogue('insert into front_allocations (front_id, session_id, available) values (2, 200101, 5)');
  await shardsOf(db, root);
  expect(manifestIn(root).uses).toEqual(['front_allocations']);
});
