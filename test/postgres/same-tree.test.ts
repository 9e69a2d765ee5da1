// The same catalogue from SQLite and from PostgreSQL, in each shape that it can have there, is the
// same tree, byte for byte, and the same release: the demo and random catalogues, at several
// instants and horizons.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import type { ProductsDocument } from '../../src/contract/documents.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { findingLine } from '../../src/findings.ts';
import { IS_SOAK, LENGTH } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { createShape, refillCatalogue, SHAPES, TEXT_SHAPES, withoutNul, type Shape } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { catalogueOf, noon, session, tier } from '../support/reference/hand-case.ts';
import { isOurs, type CatalogueRow } from '../support/catalogue.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

const HOUR = 3600;
const schemas: [Shape, OwnSchema][] = [];
beforeAll(async () => {
  for (const shape of [...SHAPES, ...TEXT_SHAPES]) {
    const schema = await newSchema();
    await createShape(schema, shape);
    schemas.push([shape, schema]);
  }
});
afterAll(async () => {
  for (const [, schema] of schemas) await schema.drop();
});

type Moment = readonly [now: Instant, horizonSeconds: number];

/** What is built of a catalogue at each of some moments. */
async function builtAt(address: string, moments: readonly Moment[]) {
  const trees = [];
  for (const [now, horizonSeconds] of moments) {
    await using reader = await openCatalogue(address);
    const { findings, ...tree } = await builtInMemory(reader, now, { horizonSeconds });
    // Those of one product come as its rows do, which have no order; which zone rules a server has
    // depends on the machine.
    const compared = findings.filter(({ code }) => code !== 'zone-rules-differ');
    trees.push({ ...tree, findings: compared.map(findingLine).sort() });
  }
  return trees;
}

/** Compares, and returns how many files there were. */
async function expectSame(
  path: string,
  moments: readonly Moment[],
  shapes: readonly Shape[] = SHAPES,
): Promise<number> {
  const expected = await builtAt(path, moments);
  for (const [shape, schema] of schemas) {
    if (!shapes.includes(shape)) continue;
    await refillCatalogue(path, schema, shape);
    const trees = await builtAt(schema.url, moments);
    for (const [i, one] of expected.entries()) expect(trees[i], `${shape} at moment ${i}`).toEqual(one);
  }
  return expected.reduce((sum, { files }) => sum + files.size, 0);
}

test('the demo', async () => {
  const now = '2026-05-01T09:00:00Z';
  const path = demoCatalogueAt(join(temporaryFolder(), 'demo.sqlite'), now);
  const [noon, week, later] = [instant(now), 7 * 24 * HOUR, instant('2026-10-25T00:30:00Z')];
  const moments: Moment[] = [
    [noon, week],
    [later, 30 * HOUR],
    [noon, 0],
  ];
  expect(await expectSame(path, moments)).toBeGreaterThan(60);
});

test('random catalogues', async () => {
  const folder = temporaryFolder();
  let count = 0;
  let filesTotal = 0;
  const seen = { ours: 0, text: 0 };
  const options = {
    shift: fc.integer({ min: -48 * HOUR, max: 48 * HOUR }),
    catalogue: catalogueArbitrary({ forms: 'ours-or-text' }),
  };
  const property = fc.asyncProperty(fc.record(options), async ({ catalogue, shift }) => {
    const rows = withoutNul(catalogue.rows);
    const path = catalogueAt(join(folder, `${count++}.sqlite`), rows);
    const now = instant(catalogue.now);
    const areOurs = rows.every(isOurs);
    seen[areOurs ? 'ours' : 'text'] += 1;
    const moments: Moment[] = [
      [now, 30 * HOUR],
      [instantOf(now + shift), 0],
      [instantOf(now - HOUR), 2 * HOUR],
    ];
    filesTotal += await expectSame(path, moments, areOurs ? SHAPES : TEXT_SHAPES);
  });
  const numRuns = LENGTH * (IS_SOAK ? 25 : 10);
  await fc.assert(property, { numRuns });
  expect(filesTotal).toBeGreaterThan(numRuns * 10);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});

test('tiers of sessions that are not their product’s: joined where there are tables, found on the way through views', async () => {
  const path = join(temporaryFolder(), 'strays.sqlite');
  const others = [2, 3].flatMap((id): CatalogueRow[] => [
    { table: 'products', row: { id, slug: `p-${id}`, name: `P ${id}`, age_rating: 6, sale_schema: 2 } },
    { table: 'front_products', row: { front_id: 1, product_id: id } },
  ]);
  const sessions = [1, 2, 3].flatMap((product_id) => [
    session(10 * product_id + 1, '2026-05-02T16:00:00Z', { product_id }),
    session(10 * product_id + 2, '2026-05-03T16:00:00Z', { product_id }),
    tier(product_id, 1000, { product_id }),
  ]);
  catalogueAt(path, catalogueOf({ name: 'strays', now: noon, rows: [...others, ...sessions] }));
  const moments: Moment[] = [[instant(noon), HOUR]];
  const cardsWith = async (...strays: readonly CatalogueRow[]) => {
    const database = new Database(path);
    database.pragma('foreign_keys = OFF');
    database.exec('DELETE FROM price_tiers WHERE id > 3');
    for (const { row } of strays)
      database
        .prepare(
          `INSERT INTO price_tiers (${Object.keys(row).join()}) VALUES (${Object.keys(row)
            .map(() => '?')
            .join()})`,
        )
        .run(...Object.values(row));
    database.close();
    const trees = new Map<Shape, Awaited<ReturnType<typeof builtAt>>>();
    for (const [shape, schema] of schemas) {
      if (shape !== 'native' && shape !== 'views') continue;
      await refillCatalogue(path, schema, shape);
      trees.set(shape, await builtAt(schema.url, moments));
    }
    expect(trees.get('views')).toEqual(trees.get('native'));
    const [tree] = trees.get('views') ?? [];
    const bytes = [...(tree?.files ?? [])].find(([name]) => /\/here\/products\./.test(name))?.[1];
    const { productCards } = JSON.parse(Buffer.from(bytes ?? '').toString()) as ProductsDocument;
    return { starts: productCards.map((card) => card.nextScheduleSlot.slice(0, 10)), findings: tree?.findings ?? [] };
  };
  const [first, second] = ['2026-05-02', '2026-05-03'];
  expect(await cardsWith()).toEqual({ starts: [first, first, first], findings: [] });
  // Of a product before and one after, by a ticket and an add-on; and of a session that there is not.
  const { starts, findings } = await cardsWith(
    tier(7, 10, { product_id: 2, session_id: 11 }),
    tier(8, 10, { product_id: 2, session_id: 31, kind: 'addon' }),
    tier(9, 10, { product_id: 2, session_id: 99 }),
  );
  expect(starts).toEqual([second, first, second]);
  expect(
    findings.filter((line) => line.includes('session_id: expected the id of a row of sessions of the product')),
  ).toHaveLength(3);
});
