// `verify` has nothing to say against what `build` makes, whatever the catalogue: a checker that
// cries wolf is switched off.

import * as fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instantOf } from '../../src/catalogue/instant.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';
import { findingsOf, nothingLooked } from '../support/verify-tree.ts';

test.each([
  ['its zone skipped', 'Europe/Moscow', 'Pacific/Apia'],
  ['the front’s zone skipped, and its own, of the same offset, had', 'Pacific/Apia', 'Pacific/Kiritimati'],
  ['its zone skipped, and the front’s, of the same offset, had', 'Pacific/Kiritimati', 'Pacific/Apia'],
])('a session before the day has begun, after a date that %s, is of the date before', async (_, zone, ofVenue) => {
  const root = temporaryFolder();
  const front = { id: 1, code: 'front', name: 'Front', timezone: zone, currency: 'RUB' };
  const database = catalogueAt(join(root, 'catalogue.sqlite'), [
    { table: 'fronts', row: { ...front, day_starts_at: '05:00' } },
    { table: 'venues', row: { id: 1, name: 'Venue', timezone: ofVenue } },
    { table: 'products', row: { id: 1, slug: 'show', name: 'Show' } },
    { table: 'front_products', row: { front_id: 1, product_id: 1 } },
    { table: 'sessions', row: { id: 1, product_id: 1, venue_id: 1, starts_at: '2011-12-30T10:30:00Z' } },
  ]);
  const out = join(root, 'out');
  await buildTree(database, out, instant('2011-12-30T10:00:00Z'), { horizonSeconds: 3600 });
  expect(await findingsOf(out)).toEqual([]);
});

let serial = 0;

test('nothing is found in two releases, one after the other, of any catalogue', async () => {
  const root = temporaryFolder();
  const looked = nothingLooked();
  await fc.assert(
    fc.asyncProperty(
      catalogueArbitrary(),
      fc.integer({ min: 0, max: 40 * 3600 }),
      fc.integer({ min: 0, max: 40 * 3600 }),
      async ({ rows, now }, horizonSeconds, laterSeconds) => {
        serial += 1;
        const database = catalogueAt(join(root, `${serial}.sqlite`), rows);
        const out = join(root, `out-${serial}`);
        await buildTree(database, out, instant(now), { horizonSeconds });
        expect(await findingsOf(out, looked)).toEqual([]);
        const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
        await buildTree(database, out, instantOf(instant(now) + laterSeconds), { horizonSeconds, guards });
        expect(await findingsOf(out, looked)).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
  // Catalogues without a card would prove nothing.
  expect(looked.editions).toBeGreaterThan(200);
});
