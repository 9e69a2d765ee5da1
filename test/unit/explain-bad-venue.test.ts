// `explain` counts the sessions of a product as a build does, those included whose venue cannot be
// read.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explainProduct } from '../../src/operations/explain.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

test('a product whose only session is past, at a venue with a bad row, is over to both', async () => {
  const rows = smallCatalogue({ fronts: ['all'], productsPerFront: 0, sessionsPerProduct: 0, edition: 'x' });
  rows.push({ table: 'venues', row: { id: 9, name: 'Closed', timezone: 'Nowhere/At all' } });
  rows.push({
    table: 'products',
    row: { id: 9, slug: 'past', name: 'Past', age_rating: 0, sale_schema: 1, status: 'published' },
  });
  rows.push({ table: 'front_products', row: { front_id: 1, product_id: 9 } });
  rows.push({ table: 'sessions', row: { id: 9, product_id: 9, venue_id: 9, starts_at: '2026-01-01T16:00:00Z' } });
  const root = temporaryFolder();
  const databasePath = catalogueAt(join(root, 'x.sqlite'), rows);
  const { outcomes } = await buildTree(databasePath, join(root, 'out'), instant(NOW));
  expect(outcomes.map(({ held, listing }) => [held, listing?.dropped])).toEqual([[null, { over: 1 }]]);
  const options = { databasePath, frontCode: 'all', slug: 'past', tzdata: 'test' };
  expect((await explainProduct(options, instant(NOW))).reason).toBe('over');
});
