// The same catalogue from SQLite and from PostgreSQL, in each shape that it can have there, is the
// same tree, byte for byte, and the same release: the demo and random catalogues, at several
// instants and horizons.

import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { findingLine } from '../../src/findings.ts';
import { IS_SOAK, LENGTH } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { createShape, refillCatalogue, SHAPES, TEXT_SHAPES, withoutNul, type Shape } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { isOurs } from '../support/catalogue.ts';
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
