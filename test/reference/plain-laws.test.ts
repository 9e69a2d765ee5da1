// Laws that the plain documents keep on any catalogue: the oracle is checked before anything is
// compared with it. And the yardstick of the benchmarks makes what it makes. What each field says is in plain-documents.test.ts.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { seedCatalogue } from '../../scripts/seed.ts';
import { productsDocumentSchema } from '../../src/contract/documents.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { createCatalogueFor, insertRows } from '../support/catalogue.ts';
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

const NOW = '2026-05-01T09:00:00Z';

test.each([[[]], [['--once']]])(
  'the script that builds are measured against gives the same bytes %j',
  async (flags) => {
    const path = join(folder, `catalogue${flags.length}.sqlite`);
    seedCatalogue({ path, size: 'XS', now: NOW, seed: 1 });
    const out = join(folder, `out${flags.length}`);
    const script = fileURLToPath(new URL('../../scripts/bench/competent.ts', import.meta.url));
    const argv = ['--import', 'tsx', script, '--db', path, '--out', out, '--now', NOW, ...flags];
    await promisify(execFile)(process.execPath, argv);

    const db = plainKysely(new Database(path, { readonly: true }));
    const active = await db.selectFrom('fronts').select('code').where('status', '=', 'active').execute();
    expect(readdirSync(join(out, 'public/fronts')).toSorted()).toEqual(active.map(({ code }) => code).toSorted());
    for (const { code } of active) {
      const { products, categories } = await renderPlain(db, code, NOW);
      const texts = readdirSync(join(out, 'public/fronts', code))
        .toSorted()
        .map((name) => readFileSync(join(out, 'public/fronts', code, name), 'utf8'));
      expect(texts).toEqual([categories, products]);
    }
    await db.destroy();
  },
);
