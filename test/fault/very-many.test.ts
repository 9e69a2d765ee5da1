// Very many of one thing: sessions of a product, badges and groups and tags and categories, fronts
// that show one product.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { expectRight, frontProductsOf } from '../support/fault/one-front.ts';
import { NOW } from '../support/fault/small-catalogue.ts';

const tellFault = matrixOf(import.meta.url);

describe('very many of one thing', () => {
  const MANY = {
    situation: 'very many sessions, badges, fronts',
    sees: 'the new release',
    heals: 'nothing: the output is right',
  } as const;

  test('100,000 sessions of one product', async () => {
    const rows = frontProductsOf([{}]);
    for (let i = 0; i < 100_000; i++) {
      const starts_at = formatInstant(instantOf(instant(NOW) + 600 + i * 307));
      rows.push({ table: 'sessions', row: { id: 10 + i, product_id: 1, venue_id: 1, starts_at, available: i % 3 } });
    }
    const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), rows);
    await expectRight(database, NOW, { horizonSeconds: 700 });
    tellFault(MANY, null);
  });

  test('3,000 badges, groups, tags and categories of one product', async () => {
    const rows = frontProductsOf([{}]);
    for (let id = 1; id <= 3000; id++) {
      rows.push(
        { table: 'badges', row: { id, slug: `b-${id}`, name: 'B', color: '#000000', sort_weight: id % 7 } },
        {
          table: 'product_badges',
          row: { product_id: 1, badge_id: id, valid_until: id % 2 === 0 ? '2026-05-01T09:05:00Z' : null },
        },
        { table: 'tags', row: { id, slug: `t-${id}`, name: 'T', sort_weight: -id } },
        { table: 'product_tags', row: { product_id: 1, tag_id: id } },
        { table: 'groups', row: { id, slug: `g-${id}`, name: 'G', card_type: 1 } },
        { table: 'front_groups', row: { front_id: 1, group_id: id, sort_weight: id % 5 } },
        { table: 'product_groups', row: { product_id: 1, group_id: id, sort_weight: -id } },
        { table: 'categories', row: { id, slug: `c-${id}`, name_singular: 'C', name_plural: 'C' } },
        { table: 'front_categories', row: { front_id: 1, category_id: id, sort_weight: id % 3 } },
        { table: 'product_categories', row: { product_id: 1, category_id: id } },
      );
    }
    const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), rows);
    await expectRight(database, NOW, { horizonSeconds: 600 });
    tellFault(MANY, null);
  });

  test('one product on 2,000 fronts; and a bad row of its holds back all of them', async () => {
    const rows = frontProductsOf([{}]);
    for (let id = 2; id <= 2000; id++) {
      const front = { id, code: `f-${id}`, name: '', timezone: id % 2 === 0 ? 'UTC' : 'Asia/Tokyo', currency: 'RUB' };
      rows.push({ table: 'fronts', row: front }, { table: 'front_products', row: { front_id: id, product_id: 1 } });
    }
    const root = temporaryFolder();
    const database = catalogueAt(join(root, 'c.sqlite'), rows);
    await expectRight(database, NOW, { horizonSeconds: 0 }, ['alpha', 'f-2', 'f-3', 'f-2000']);
    changeDatabase(database, 'UPDATE products SET age_rating = 99');
    const options = { horizonSeconds: 0, isDryRun: true };
    const { outcomes, findingsTotal } = await buildTree(database, join(root, 'out'), instant(NOW), options);
    expect(outcomes.filter(({ held }) => held === 'max-bad')).toHaveLength(2000);
    expect(findingsTotal).toBe(1);
    tellFault(MANY, null, 2);
  });
});
