// The plain script's files, and laws that the plain documents keep on any catalogue: the oracle is
// checked before anything is compared with it. What each field says is in plain-documents.test.ts.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { productsDocumentSchema } from '../../src/contract/documents.ts';
import { plainBuild } from '../support/reference/plain-build.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { createCatalogue, createCatalogueFor, insertRows, type CatalogueRow } from '../support/catalogue.ts';
import { runs } from '../speeds.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbill-plain-'));
afterAll(() => rmSync(folder, { recursive: true }));

const distinctSorted = (slugs: string[]) => [...new Set(slugs)].toSorted();

function checkDocuments(documents: { products: string; categories: string }): number {
  const document = productsDocumentSchema.parse(JSON.parse(documents.products));
  // Written again in the order of the schema: the same text, so the keys stand in that order and
  // nothing is spare.
  expect(`${JSON.stringify(document)}\n`).toBe(documents.products);
  expect(`${JSON.stringify(document.categories)}\n`).toBe(documents.categories);
  const cards = document.productCards;
  const groupSlugs = cards.flatMap((each) => each.groups.map((group) => group.slug));
  expect(distinctSorted(document.groups.map((group) => group.slug))).toEqual(distinctSorted(groupSlugs));
  const badgeSlugs = cards.flatMap((each) => each.badges);
  expect(distinctSorted(document.badges.map((badge) => badge.slug))).toEqual(distinctSorted(badgeSlugs));
  for (const each of cards) {
    expect(each.todayMultiScheduleSlots === null).toBe(each.todaySlot === null);
    expect(each.tomorrowMultiScheduleSlots === null).toBe(each.tomorrowSlot === null);
    expect(each.weekendMultiScheduleSlots === null).toBe(each.weekendSlot === null);
    if (each.soldOut) expect(each.priceFrom).toBeNull();
    if (each.multiInventoryItems) expect(each.multiScheduleSlots).toBe(true);
    for (const other of [each.todaySlot, each.tomorrowSlot, each.weekendSlot]) {
      if (other === null) continue;
      expect(Date.parse(each.nextScheduleSlot)).toBeLessThanOrEqual(Date.parse(other));
      if (!each.multiScheduleSlots) expect(other).toBe(each.nextScheduleSlot);
    }
  }
  return cards.length;
}

test('any catalogue gives whole, closed, canonical documents, and every attached product a card or a reason', async () => {
  let cardsSeen = 0;
  await fc.assert(
    fc.asyncProperty(catalogueArbitrary(), async ({ rows, now }) => {
      const database = createCatalogueFor(':memory:', rows);
      insertRows(database, rows);
      const db = plainKysely(database);
      for (const front of rows.filter(({ table }) => table === 'fronts')) {
        const documents = await renderPlain(db, String(front.row['code']), now);
        const cards = checkDocuments(documents);
        cardsSeen += cards;
        const dropped = Object.values(documents.dropped).reduce((sum, count) => sum + count, 0);
        const attached = rows.filter(
          ({ table, row }) => table === 'front_products' && row['front_id'] === front.row['id'],
        );
        expect(cards + dropped).toBe(attached.length);
      }
      await db.destroy();
    }),
    { numRuns: runs(150) },
  );
  expect(cardsSeen).toBeGreaterThan(0);
});

const CATALOGUE: CatalogueRow[] = [
  { table: 'fronts', row: { id: 1, code: 'moscow', name: 'Moscow', timezone: 'Europe/Moscow', currency: 'RUB' } },
  { table: 'fronts', row: { id: 2, code: 'gone', name: 'G', timezone: 'UTC', currency: 'RUB', status: 'disabled' } },
  { table: 'venues', row: { id: 1, name: 'Зал', timezone: 'Europe/Moscow' } },
  { table: 'products', row: { id: 1, slug: 'show', name: 'Чайка 🎭', age_rating: 6, sale_schema: 2 } },
  { table: 'front_products', row: { front_id: 1, product_id: 1 } },
  { table: 'sessions', row: { id: 1, product_id: 1, venue_id: 1, starts_at: '2026-05-01T16:00:00Z' } },
];

const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);

test('the script writes both documents of each active front, named by their digests', async () => {
  const dbPath = join(folder, 'catalogue.sqlite');
  const database = createCatalogue(dbPath);
  insertRows(database, CATALOGUE);
  const db = plainKysely(database);
  const documents = await renderPlain(db, 'moscow', '2026-05-01T09:00:00Z');
  await db.destroy();

  const outDir = join(folder, 'out');
  const script = fileURLToPath(new URL('../support/reference/plain-build.ts', import.meta.url));
  const options = ['--db', dbPath, '--out', outDir, '--now', '2026-05-01T12:00:00.900+03:00'];
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, ...options]);

  expect(stdout).toBe('1 fronts\n');
  expect(readdirSync(join(outDir, 'public', 'fronts'))).toEqual(['moscow']);
  const files = readdirSync(join(outDir, 'public', 'fronts', 'moscow')).toSorted();
  expect(files).toEqual([
    `categories.${digest(documents.categories)}.json`,
    `products.${digest(documents.products)}.json`,
  ]);
  const written = files.map((file) => readFileSync(join(outDir, 'public', 'fronts', 'moscow', file), 'utf8'));
  expect(written).toEqual([documents.categories, documents.products]);

  const again = join(folder, 'again');
  expect(await plainBuild(dbPath, again, '2026-05-01T09:00:00Z')).toBe(1);
  expect(readdirSync(join(again, 'public', 'fronts', 'moscow')).toSorted()).toEqual(files);
});
