// Sessions that have only a wall time, as a build and `explain` see them: until the second of their
// start, wherever the venue is, and in the order in which they start.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

/** One front with one product, whose sessions are given by wall time and zone; ids count from 1. */
function catalogueOf(...starts: readonly (readonly [string, string])[]): string {
  const rows: CatalogueRow[] = [];
  const add = (table: string, row: CatalogueRow['row']): void => void rows.push({ table, row });
  add('fronts', { id: 1, code: 'all', name: 'All', timezone: 'UTC', currency: 'EUR' });
  add('products', { id: 9, slug: 'local', name: 'Local', age_rating: 0, sale_schema: 1 });
  add('front_products', { front_id: 1, product_id: 9 });
  for (const [i, [starts_local, timezone]] of starts.entries()) {
    add('venues', { id: 10 + i, name: timezone, timezone });
    add('sessions', { id: 1 + i, product_id: 9, venue_id: 10 + i, starts_local });
  }
  return catalogueAt(join(temporaryFolder(), 'local.sqlite'), rows);
}

async function explainAt(databasePath: string, at: string) {
  const options = { databasePath, frontCode: 'all', slug: 'local', tzdata: 'test' };
  return await explainProduct(options, instant(at));
}

test.each([
  ['Pacific/Kiritimati', '2026-05-06T19:00:00', '2026-05-06T05:00:00Z'],
  ['Pacific/Pago_Pago', '2026-05-06T19:00:00', '2026-05-07T06:00:00Z'],
  ['Europe/Moscow', '2026-05-06T19:00:00', '2026-05-06T16:00:00Z'],
  // When it was furthest behind UTC, and Juneau furthest ahead: their clocks read another date.
  ['Asia/Manila', '1840-05-06T19:00:00', '1840-05-07T10:56:00Z'],
  ['America/Juneau', '1860-05-06T19:00:00', '1860-05-06T03:58:00Z'],
  // Clocks go back at 03:00, and 02:30 comes again an hour later.
  ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
])('in %s, %s is offered until %s', async (zone, wallTime, start) => {
  const database = catalogueOf([wallTime, zone]);
  const before = formatInstant(instantOf(instant(start) - 1));
  expect((await explainAt(database, before)).rules).toMatchObject({
    reason: null,
    card: { nextScheduleSlot: expect.stringContaining(wallTime) },
    nextChange: { at: start, reason: 'over' },
  });
  expect((await explainAt(database, start)).rules).toMatchObject({ reason: 'over', sessions: [{ refusal: 'over' }] });
  for (const [at, dropped] of [
    [before, {}],
    [start, { over: 1 }],
  ] as const) {
    const out = join(temporaryFolder(), 'out');
    const { outcomes } = await buildTree(database, out, instant(at), { horizonSeconds: 0 });
    expect(outcomes.map(({ held, listing }) => [held, listing?.dropped])).toMatchObject([[null, dropped]]);
  }
});

test('sessions come in the order of their starts, not of their wall times or ids', async () => {
  const database = catalogueOf(
    ['2026-05-06T19:00:00', 'America/New_York'],
    ['2026-05-07T01:00:00', 'Asia/Tokyo'],
    ['2026-05-06T20:00:00', 'Europe/Moscow'],
  );
  const { rules } = await explainAt(database, '2026-05-01T09:00:00Z');
  expect(rules?.card?.nextScheduleSlot).toBe('2026-05-07T01:00:00+09:00');
  expect(rules?.sessions.map(({ start }) => start)).toEqual([
    '2026-05-07T01:00:00+09:00',
    '2026-05-06T20:00:00+03:00',
    '2026-05-06T19:00:00-04:00',
  ]);
});

test('explain says which wall time leaves a session out, and says so no more when it is long over', async () => {
  const database = catalogueOf(['2026-03-29T02:30:00', 'Europe/Berlin'], ['2026-05-06T20:00:00', 'Europe/Moscow']);
  const early = await explainAt(database, '2026-03-01T09:00:00Z');
  expect(early).toMatchObject({ isHeldBack: false, reason: null });
  expect(early.leftOut).toMatchObject([{ code: 'wall-time-skipped', place: 'sessions 1' }]);
  const before = catalogueOf(['2026-03-29T02:30:00', 'Europe/Berlin']);
  expect(await explainAt(before, '2026-03-01T09:00:00Z')).toMatchObject({ reason: 'bad-data' });
  const late = await explainAt(database, '2026-05-01T09:00:00Z');
  expect(late).toMatchObject({ isHeldBack: false, leftOut: [], reason: null });
  expect(late.rules?.sessions.map(({ session }) => session)).toEqual([2]);
});
