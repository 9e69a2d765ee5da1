// A front that excludes sessions of a product has a timeline of its own for it, and moves where all
// other fronts stand still.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';

const IN_AN_HOUR = '2026-05-01T10:00:00Z';

test('what ends for the one session that a front has left ends on that front alone', async () => {
  const rows = smallCatalogue({ fronts: ['all', 'few'], productsPerFront: 0, sessionsPerProduct: 0, edition: 'x' });
  // Three sessions, days ahead; the price of the last is good for an hour, and the second front has
  // only that one.
  for (const [id, day] of [
    [102, 5],
    [103, 6],
  ] as const) {
    rows.push({ table: 'sessions', row: { id, product_id: 1, venue_id: 0, starts_at: `2026-05-0${day}T16:00:00Z` } });
  }
  const tier = {
    id: 9,
    product_id: 1,
    session_id: 103,
    amount_minor: 99_000,
    currency: 'RUB',
    valid_until: IN_AN_HOUR,
  };
  rows.push({ table: 'price_tiers', row: tier });
  for (const session_id of [101, 102]) {
    rows.push({ table: 'front_session_exclusions', row: { front_id: 2, session_id } });
  }
  const root = temporaryFolder();
  const out = join(root, 'out');
  await buildTree(catalogueAt(join(root, 'x.sqlite'), rows), out, instant(NOW), { horizonSeconds: 2 * 3600 });
  const files = filesOf(out);
  expect(pointerOf(files, 'all').products).toHaveLength(1);
  expect(pointerOf(files, 'few').products.map((entry) => entry.slice(0, 20))).toEqual([NOW, IN_AN_HOUR]);
  expect(documentAt(files, 'few', 'products', NOW)).toContain('"productId":1,');
  expect(documentAt(files, 'few', 'products', IN_AN_HOUR)).not.toContain('"productId":1,');
});
