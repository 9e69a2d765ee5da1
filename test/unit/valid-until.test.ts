// Until when a snapshot is known to be right: the first boundary after the horizon (snapshot.md,
// Pointer). Offers only end, so what lies behind the end of an offer is no boundary.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolder, type Rows } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
/** The horizon ends at 10:00; the front's day at 21:00 (Moscow). */
const HORIZON_SECONDS = 3600;
const MIDNIGHT = '21:00';

const ROWS: Rows = [
  { table: 'fronts', row: { id: 1, code: 'alpha', name: 'A', timezone: 'Europe/Moscow', currency: 'RUB' } },
  { table: 'venues', row: { id: 1, name: 'Stage', timezone: 'Europe/Moscow', city: null } },
  { table: 'products', row: { id: 1, slug: 'one', name: 'One', age_rating: 0, sale_schema: 2 } },
  { table: 'front_products', row: { front_id: 1, product_id: 1 } },
  { table: 'badges', row: { id: 1, slug: 'new', name: 'New', color: '#000000' } },
];

/** An instant of the day, as SQL. */
const at = (time: string): string => `'2026-05-01T${time}:00Z'`;
const session = (id: number, starts: string, salesEnd = 'NULL', salesStart = 'NULL'): string =>
  `INSERT INTO sessions (id, product_id, venue_id, starts_at, sales_end_at, sales_start_at)
   VALUES (${id}, 1, 1, ${at(starts)}, ${salesEnd}, ${salesStart});`;
const tier = (id: number, from: string, until: string, sessionId = 'NULL'): string =>
  `INSERT INTO price_tiers (id, product_id, session_id, amount_minor, currency, valid_from, valid_until)
   VALUES (${id}, 1, ${sessionId}, 100, 'RUB', ${from}, ${until});`;
const badge = (from: string, until: string): string => `INSERT INTO product_badges VALUES (1, 1, ${from}, ${until});`;
const pause = (until: string): string => `UPDATE products SET paused = 1, paused_until = ${until};`;
const visible = (from: string, until: string): string =>
  `UPDATE front_products SET visible_from = ${from}, visible_until = ${until};`;
const excluded = (sessionId: number): string => `INSERT INTO front_session_exclusions VALUES (1, ${sessionId});`;

test.each([
  // Every kind of boundary of an offer that outlasts the horizon counts.
  ['an offer that ends', session(1, '12:00'), '12:00'],
  ['an earlier end of sales', session(1, '12:00', at('11:00')), '11:00'],
  ['a start of sales', session(1, '12:00', 'NULL', at('11:00')), '11:00'],
  ['a tier that begins', session(1, '12:00') + tier(1, at('11:00'), 'NULL'), '11:00'],
  ['a tier that ends', session(1, '12:00') + tier(1, 'NULL', at('11:00')) + tier(2, 'NULL', 'NULL'), '11:00'],
  ['the last tier, which ends before the session', session(1, '12:00') + tier(1, 'NULL', at('11:00')), '11:00'],
  ['a badge that begins', session(1, '12:00') + badge(at('11:00'), 'NULL'), '11:00'],
  ['a badge that ends', session(1, '12:00') + badge('NULL', at('11:00')), '11:00'],
  ['the end of a pause', session(1, '12:00') + pause(at('11:00')), '11:00'],
  ['a beginning of visibility', session(1, '12:00') + visible(at('11:00'), 'NULL'), '11:00'],
  ['an end of visibility', session(1, '12:00') + visible('NULL', at('11:00')), '11:00'],
  [
    'a session without a public tier here, beside prices of other channels',
    session(1, '12:00') +
      session(2, '09:30') +
      tier(1, 'NULL', at('09:30')) +
      tier(2, 'NULL', 'NULL', '1') +
      tier(3, 'NULL', 'NULL', '2') +
      "UPDATE price_tiers SET is_public = 0 WHERE id = 2; UPDATE price_tiers SET channels = 'city' WHERE id = 3;",
    '12:00',
  ],
  // What lies behind the end of the offer, be the end within the horizon, or just at its end.
  ['a tier that ends later than the session', session(1, '09:30') + tier(1, 'NULL', at('11:00')), MIDNIGHT],
  ['a tier that begins later', session(1, '09:30') + tier(1, at('11:00'), 'NULL'), MIDNIGHT],
  ['a start of sales later than their end', session(1, '12:00', at('09:30'), at('11:00')), MIDNIGHT],
  ['a session whose tiers have all ended', session(1, '11:00') + tier(1, 'NULL', at('09:30')), MIDNIGHT],
  ['the same, at the very end of the horizon', session(1, '11:00') + tier(1, 'NULL', at('10:00')), MIDNIGHT],
  ['a session that ends at the very end of the horizon', session(1, '10:00') + badge('NULL', at('11:00')), MIDNIGHT],
  ['a badge', session(1, '09:30') + badge(at('11:00'), at('12:00')), MIDNIGHT],
  ['a pause', session(1, '09:30') + pause(at('11:00')), MIDNIGHT],
  ['visibility', session(1, '09:30') + visible('NULL', at('11:00')), MIDNIGHT],
  ['visibility that begins', session(1, '09:30') + visible(at('11:00'), at('12:00')), MIDNIGHT],
  ['visibility of a product without sessions', visible(at('11:00'), at('12:00')), MIDNIGHT],
  ['a session that the front does not sell', session(1, '12:00') + excluded(1) + badge('NULL', at('11:00')), MIDNIGHT],
  // What is not visible any more, or not before.
  ['an end of visibility before it', session(1, '12:00') + visible('NULL', at('09:30')), MIDNIGHT],
  ['a beginning of visibility behind it', session(1, '12:00', at('11:00')) + visible(at('11:30'), 'NULL'), '11:30'],
  // One session that is over does not hide another's boundaries, whichever comes first and whether
  // they share their tiers or not.
  ['a tier of two sessions', session(1, '09:30') + session(2, '12:00') + tier(1, at('11:00'), 'NULL'), '11:00'],
  [
    'a tier of a session that is over, beside one that is not',
    session(1, '09:30') + session(2, '12:00') + tier(1, 'NULL', at('11:00'), '1') + tier(2, 'NULL', 'NULL', '2'),
    '12:00',
  ],
  [
    'three sessions of which the middle one is over',
    session(1, '11:30') + session(2, '11:40', at('09:30')) + session(3, '12:00') + tier(1, at('11:00'), 'NULL'),
    '11:00',
  ],
])('%s', async (_, sql, time) => {
  const folder = temporaryFolder();
  const path = catalogueAt(join(folder, 'catalogue.sqlite'), ROWS);
  const database = new Database(path);
  database.exec(sql);
  database.close();
  const out = join(folder, 'out');
  const { outcomes } = await buildTree(path, out, instant(NOW), { horizonSeconds: HORIZON_SECONDS });
  expect(outcomes.map(({ held }) => held)).toEqual([null]);
  expect(pointerOf(filesOf(out), 'alpha').validUntil).toBe(`2026-05-01T${time}:00Z`);
});
