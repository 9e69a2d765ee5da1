// What goes wrong in real catalogues is held back, and what is ordinary is not: every guard of a
// build, on fronts of 28 shows that a change of rows concerns. Visitors see what they saw before,
// until the operator lets the guard pass on one front.

import { copyFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { outputOf } from '../support/cli/run.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { stateOf } from '../support/fault/readers-check.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

/** A Friday, at noon in Moscow. */
const NOW = '2026-05-01T09:00:00Z';
const LATER = '2026-05-01T09:05:00Z';
const MIDNIGHT = '2026-05-01T21:00:00Z';
const [SUNDAY, MONDAY] = ['2026-05-02T21:00:00Z', '2026-05-03T21:00:00Z'];

const folder = temporaryFolderOfFile();
const database = join(folder, 'catalogue.sqlite');

/** Fronts alpha and bravo with 28 products each, trio with three; each has four venues. */
function rowsOfFronts(): CatalogueRow[] {
  const rows: CatalogueRow[] = [];
  const add = (table: string, row: CatalogueRow['row']): void => void rows.push({ table, row });
  const timezone = 'Europe/Moscow';
  for (const [i, code] of ['alpha', 'bravo', 'trio'].entries()) {
    const frontId = i + 1;
    add('fronts', { id: frontId, code, name: code, timezone, currency: 'RUB' });
    for (let venue = 0; venue < 4; venue++) add('venues', { id: 10 * frontId + venue, name: 'Stage', timezone });
    for (let number = 1; number <= (code === 'trio' ? 3 : 28); number++) {
      const id = 1000 * frontId + number;
      add('products', { id, slug: `show-${id}`, name: `Show ${id}`, age_rating: 12, sale_schema: 2 });
      add('front_products', { front_id: frontId, product_id: id });
      const tier = { product_id: id, currency: 'RUB' };
      add('price_tiers', { ...tier, id: 2 * id, kind: 'ticket', amount_minor: 50_000 + 5000 * number });
      add('price_tiers', { ...tier, id: 2 * id + 1, kind: 'addon', amount_minor: 5000 });
      for (const [j, starts_at] of ['2026-05-01T17:00:00Z', '2026-05-06T16:00:00Z'].entries())
        add('sessions', { id: 10 * id + j, product_id: id, venue_id: 10 * frontId + (number % 4), starts_at });
    }
  }
  return rows;
}

beforeAll(() => {
  catalogueAt(database, rowsOfFronts());
});

async function build({ out, database: db }: Place, now: string, ...flags: readonly string[]) {
  const words = ['build', '--db', db, '--out', out, '--now', now, '--horizon', '13h', '--json', ...flags];
  const { code, printed } = await outputOf(words);
  const { fronts, release } = buildResultSchema.parse(JSON.parse(printed));
  return { code, release, held: Object.fromEntries(fronts.map(({ front, held }) => [front, held])) };
}

interface Place {
  readonly database: string;
  readonly out: string;
}

/** Trees that were built before a change, by what the catalogue was before it. */
const published = new Map<string, Place>();

/** A copy of the tree that the catalogue gives with `before`, and of the catalogue. */
async function placeOf(before: string): Promise<Place> {
  let place = published.get(before);
  if (place === undefined) {
    place = { database: join(folder, `${published.size}.sqlite`), out: join(folder, `${published.size}`) };
    copyFileSync(database, place.database);
    changeDatabase(place.database, before);
    expect(await build(place, NOW)).toMatchObject({ code: 0 });
    published.set(before, place);
  }
  const root = temporaryFolder();
  const copy = { database: join(root, 'catalogue.sqlite'), out: join(root, 'out') };
  copyFileSync(place.database, copy.database);
  cpSync(place.out, copy.out, { recursive: true });
  return copy;
}

const HUNDREDTH = 'UPDATE price_tiers SET amount_minor = amount_minor / 100';

describe('held back, on the fronts concerned', () => {
  test.each([
    ['all prices are divided by a hundred', HUNDREDTH, ['price-jump']],
    ['24 of 28 are', `${HUNDREDTH} WHERE product_id % 1000 > 4`, ['price-jump']],
    ['the exponent of the currency changes', 'UPDATE fronts SET currency_exponent = 0', ['price-jump']],
    [
      'a join takes add-ons for tickets',
      "UPDATE price_tiers SET kind = CASE kind WHEN 'addon' THEN 'ticket' ELSE 'addon' END",
      ['price-jump'],
    ],
    ['the zone of a venue is mistyped', "UPDATE venues SET timezone = 'Europe/Moskow' WHERE id % 10 = 1", ['max-bad']],
    [
      'a column of prices is broken in 60 % of its rows',
      'UPDATE price_tiers SET amount_minor = -1 WHERE product_id % 5 < 3',
      ['max-bad', 'max-shrink'],
    ],
    [
      'a column of sessions is broken in 60 % of its rows',
      "UPDATE sessions SET starts_at = '01.05.2026' WHERE product_id % 5 < 3",
      ['max-bad', 'max-shrink'],
    ],
    ['every product is bad', 'UPDATE products SET age_rating = 99', ['max-bad', 'max-shrink']],
    [
      'prices are divided by a hundred from midnight on',
      `INSERT INTO price_tiers (id, product_id, kind, currency, amount_minor, valid_from)
         SELECT id + 100000, product_id, kind, currency, amount_minor / 100, '${MIDNIGHT}' FROM price_tiers`,
      ['price-jump'],
    ],
    ['most shows are gone', "UPDATE products SET status = 'archived' WHERE id % 1000 > 9", ['max-shrink']],
  ])('%s', async (_, sql, guards) => {
    const place = await placeOf('');
    const before = stateOf(place.out);
    changeDatabase(place.database, `${sql}; UPDATE products SET name = 'New' WHERE id = 3001`);
    const [guard] = guards;
    const result = await build(place, LATER);
    expect(result).toMatchObject({ code: 4, held: { alpha: guard, bravo: guard } });
    const after = stateOf(place.out);
    for (const front of ['alpha', 'bravo']) expect(after.pointers.get(front)).toBe(before.pointers.get(front));

    const allowed = await build(place, LATER, '--allow', ...guards, '--front', 'bravo');
    expect(allowed).toMatchObject({ held: { alpha: 'not-selected', bravo: null, trio: 'not-selected' } });
    // 7: rows are left out.
    expect(allowed.code).toBe(guards.includes('max-bad') ? 7 : 0);
    const last = stateOf(place.out);
    expect(last.pointers.get('alpha')).toBe(before.pointers.get('alpha'));
    expect(last.pointers.get('bravo')).not.toBe(before.pointers.get('bravo'));
    expect(last.pointers.get('trio')).toBe(after.pointers.get('trio'));
  });
});

test('a mistake that is planned for later is held back as soon as the horizon reaches it, and no sooner', async () => {
  const place = await placeOf('');
  changeDatabase(
    place.database,
    `INSERT INTO price_tiers (id, product_id, currency, amount_minor, valid_from)
       SELECT id + 100000, id, 'RUB', 500, '2026-05-02T06:00:00Z' FROM products`,
  );
  expect(await build(place, LATER)).toMatchObject({ code: 0 });
  const before = stateOf(place.out);
  const held = await build(place, '2026-05-01T18:00:00Z');
  expect(held).toMatchObject({ code: 4, held: { alpha: 'price-jump', bravo: 'price-jump', trio: null } });
  expect(stateOf(place.out).pointers.get('alpha')).toBe(before.pointers.get('alpha'));
});

describe('published', () => {
  const FREE = 'UPDATE price_tiers SET amount_minor = 0';
  const NO_TIERS = 'DELETE FROM price_tiers';
  const PRICED = `INSERT INTO price_tiers (id, product_id, currency, amount_minor) SELECT id, id, 'RUB', 90000 FROM products`;

  test.each([
    ['a sale at half price', '', 'UPDATE price_tiers SET amount_minor = amount_minor / 2'],
    [
      'new prices of a season, ten times as high on a fifth of the cards',
      '',
      'UPDATE price_tiers SET amount_minor = amount_minor * 10 WHERE product_id % 5 = 0',
    ],
    ['wild prices on a front of three cards', '', `${HUNDREDTH} WHERE product_id > 3000`],
    ['prices that go to 0', '', FREE],
    ['prices that come from 0', FREE, 'UPDATE price_tiers SET amount_minor = 50000'],
    ['prices that go', '', NO_TIERS],
    ['prices that come', NO_TIERS, PRICED],
  ])('%s', async (_, first, then) => {
    const place = await placeOf(first);
    const before = stateOf(place.out);
    changeDatabase(place.database, then);
    expect(await build(place, LATER)).toMatchObject({ code: 0, held: { alpha: null, bravo: null, trio: null } });
    expect(stateOf(place.out).pointers).not.toEqual(before.pointers);
  });

  test('4 % of a column broken: the rest, with exit 7', async () => {
    const place = await placeOf('');
    changeDatabase(place.database, 'UPDATE price_tiers SET amount_minor = -1 WHERE product_id % 25 = 0');
    expect(await build(place, LATER)).toMatchObject({ code: 7, held: { alpha: null, bravo: null, trio: null } });
  });

  test('a free Sunday, and the Monday after', async () => {
    const place = await placeOf('');
    changeDatabase(
      place.database,
      `INSERT INTO price_tiers (id, product_id, currency, amount_minor, valid_from, valid_until)
         SELECT id + 100000, id, 'RUB', 0, '${SUNDAY}', '${MONDAY}' FROM products`,
    );
    const releases = new Set<string | null>();
    for (const now of ['2026-05-02T09:00:00Z', SUNDAY, '2026-05-03T09:00:00Z', MONDAY, '2026-05-04T09:00:00Z']) {
      const { code, release } = await build(place, now);
      expect(code, now).toBe(0);
      releases.add(release);
    }
    expect(releases.size).toBe(5);
  });

  test('what the clock alone changes within the horizon, however much', async () => {
    const early = `INSERT INTO price_tiers (id, product_id, currency, amount_minor, valid_until)
      SELECT id + 100000, id, 'RUB', 5000, '2026-05-01T18:00:00Z' FROM products`;
    const place = await placeOf(early);
    for (const now of [LATER, '2026-05-01T12:00:00Z', '2026-05-01T18:00:00Z', MIDNIGHT, '2026-05-02T09:00:00Z'])
      expect(await build(place, now), now).toMatchObject({ code: 0 });
  });
});
