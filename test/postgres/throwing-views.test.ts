// An expression of an operator's view throws for some rows in PostgreSQL, which ends a transaction
// unless it goes back to a savepoint: the rows are found, and everything is of one state still.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { wholeTable } from '../../src/database/contract/query-builders.ts';
import { findingsOf } from '../support/database-rows.ts';
import {
  badFile,
  BEYOND,
  CASES,
  nameOf,
  placesOf,
  publishedFrom,
  ThrowingSchema,
  TOGETHER,
} from '../support/throwing-views.ts';
import { filesOf, temporaryFolder } from '../support/trees.ts';
import { sample } from '../speeds.ts';

let schema: ThrowingSchema;
beforeAll(async () => {
  schema = await ThrowingSchema.create();
});
afterAll(async () => {
  await schema[Symbol.asyncDispose]();
});

const named = CASES.map((one) => [nameOf(one), one] as const);

test.for(sample(named, 5))('%s: left out as bad values are in SQLite', async ([, throwing]) => {
  const folder = temporaryFolder();
  await schema.replace([throwing]);
  const found = await publishedFrom(schema.url, join(folder, 'out'));
  const expected = await publishedFrom(badFile(folder, [throwing]), join(folder, 'expected'));
  expect(found).toEqual({ ...expected, failed: placesOf(throwing) });
});

test('several tables at once, whose cursors end with one another', async () => {
  const folder = temporaryFolder();
  await schema.replace(TOGETHER);
  const found = await publishedFrom(schema.url, join(folder, 'out'));
  const expected = await publishedFrom(badFile(folder, TOGETHER), join(folder, 'expected'));
  expect(found).toEqual({ ...expected, failed: TOGETHER.flatMap(placesOf).sort() });
});

describe('what cannot be told apart', () => {
  test.for(BEYOND.map((one) => [nameOf(one), one] as const))('%s', async ([, throwing]) => {
    const out = join(temporaryFolder(), 'out');
    await schema.replace([]);
    await publishedFrom(schema.url, out);
    const before = filesOf(out);
    await schema.replace([throwing]);
    await expect(publishedFrom(schema.url, out)).rejects.toMatchObject({
      code: 'view-failed',
      exitCode: 2,
      message: expect.stringMatching(
        new RegExp(`rows of ${throwing.table} from .*an expression of it that throws.*: .* \\(22`),
      ),
    });
    expect(filesOf(out)).toEqual(before);
  });
});

test('check-db reports the same rows', async () => {
  await schema.replace(TOGETHER);
  const findings = (await findingsOf(schema.url)).filter(({ severity }) => severity === 'error');
  expect(findings.map(({ code, place }) => `${code} ${place}`).sort()).toEqual(
    TOGETHER.flatMap(placesOf)
      .map((place) => `expression-failed ${place}`)
      .sort(),
  );
});

test('batches that were begun before another table throws go on where they were', async () => {
  await schema.replace([{ table: 'sessions', columns: ['available'], rows: [30] }]);
  await using reader = await openCatalogue(schema.url);
  const tables = (['products', 'price_tiers', 'front_products'] as const).map((table) => ({
    table,
    batches: reader.batches(wholeTable(table).query, 3),
    rows: [] as unknown[][],
  }));
  for (const { batches, rows } of tables) rows.push(...((await batches.next()).value ?? []));
  expect(await reader.rows(wholeTable('sessions').query)).toHaveLength(48);
  expect([...reader.failedRows.keys()]).toEqual(placesOf({ table: 'sessions', columns: [], rows: [30] }));
  for (const { table, batches, rows } of tables) {
    for await (const batch of batches) rows.push(...batch);
    expect(rows, table).toEqual(await reader.rows(wholeTable(table).query));
  }
});
