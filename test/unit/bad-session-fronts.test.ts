// A bad session that could change a card leaves out the product, on the fronts that may sell the
// session: not where the front excludes it, nor where it is known not to be on the front's channel.

import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const GUARDS = { maxShrink: 1, maxBad: 1, allow: [], force: false };
const starts_at = '2026-05-05T16:00:00Z';

/** Two fronts and a product of which both have a sold-out session alone: they exclude the good one. */
function soldOut(): CatalogueRow[] {
  const rows = smallCatalogue({ fronts: ['one', 'two'], productsPerFront: 0, sessionsPerProduct: 0, edition: 'x' });
  rows.push(
    { table: 'sessions', row: { id: 102, product_id: 1, venue_id: 0, starts_at, available: 0 } },
    { table: 'front_session_exclusions', row: { front_id: 1, session_id: 101 } },
    { table: 'front_session_exclusions', row: { front_id: 2, session_id: 101 } },
  );
  return rows;
}

/** Codes of the fronts that have the card of the product. `spoil`: SQL that no CHECK looks at. */
async function frontsWithCard(rows: readonly CatalogueRow[], spoil = ''): Promise<string[]> {
  const root = temporaryFolder();
  const out = join(root, 'out');
  const catalogue = catalogueAt(join(root, 'x.sqlite'), rows);
  const database = new Database(catalogue);
  database.pragma('ignore_check_constraints = ON');
  database.exec(spoil);
  database.close();
  await buildTree(catalogue, out, instant(NOW), { horizonSeconds: 3600, guards: GUARDS });
  const files = filesOf(out);
  return ['one', 'two'].filter((front) => documentAt(files, front, 'products', NOW)?.includes('"productId":1,'));
}

test('a front that excludes the session has the card', async () => {
  const rows = soldOut();
  expect(await frontsWithCard(rows)).toEqual(['one', 'two']);
  rows.push(
    { table: 'sessions', row: { id: 103, product_id: 1, venue_id: 0, starts_at, timezone: 'Nowhere' } },
    { table: 'front_session_exclusions', row: { front_id: 2, session_id: 103 } },
  );
  expect(await frontsWithCard(rows)).toEqual(['two']);
});

test('a front whose channel the session is not on has the card, unless an error hides where it is sold', async () => {
  const rows = soldOut();
  const tier = { product_id: 1, amount_minor: 90_000, currency: 'RUB' };
  rows.push(
    { table: 'venues', row: { id: 9, name: 'Nowhere', timezone: 'Nowhere' } },
    { table: 'sessions', row: { id: 103, product_id: 1, venue_id: 9, starts_at } },
    { table: 'price_tiers', row: { ...tier, id: 8, session_id: 103, channels: 'city' } },
  );
  const one = rows.find(({ table, row }) => table === 'fronts' && row['code'] === 'one');
  Object.assign(one?.row ?? {}, { channel: 'city' });
  // The default tier is sold everywhere: it would be what the other front sells of the session.
  expect(await frontsWithCard(rows)).toEqual([]);
  const defaultTier = rows.find(({ table, row }) => table === 'price_tiers' && row['id'] === 1);
  Object.assign(defaultTier?.row ?? {}, { channels: 'city' });
  rows.push({ table: 'price_tiers', row: { ...tier, id: 9, session_id: 102 } });
  expect(await frontsWithCard(rows)).toEqual(['two']);
  expect(await frontsWithCard(rows, 'UPDATE price_tiers SET amount_minor = -1 WHERE id = 8')).toEqual([]);
});
