// An expression of an operator's view throws for some rows, such as json_extract on text that is no
// JSON: these are bad rows like others, and nothing else is touched. The same in PostgreSQL is in
// test/postgres/throwing-views.test.ts.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { wholeTable } from '../../src/database/contract/query-builders.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { currentKeys } from '../../src/database/write/front-keys.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import { findingsOf } from '../support/database-rows.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import {
  badFile,
  BEYOND,
  CASES,
  nameOf,
  placesOf,
  publishedFrom,
  throwingFile,
  TOGETHER,
} from '../support/throwing-views.ts';
import { filesOf, instant, temporaryFolder } from '../support/trees.ts';

const named = CASES.map((one) => [nameOf(one), one] as const);

test.for(named)('%s: left out as bad values are', async ([, throwing]) => {
  const folder = temporaryFolder();
  const found = await publishedFrom(throwingFile(folder, [throwing]), join(folder, 'out'));
  const expected = await publishedFrom(badFile(folder, [throwing]), join(folder, 'expected'));
  expect(found).toEqual({ ...expected, failed: placesOf(throwing) });
});

test('several tables at once', async () => {
  const folder = temporaryFolder();
  const found = await publishedFrom(throwingFile(folder, TOGETHER), join(folder, 'out'));
  const expected = await publishedFrom(badFile(folder, TOGETHER), join(folder, 'expected'));
  expect(found).toEqual({ ...expected, failed: TOGETHER.flatMap(placesOf).sort() });
});

test('a view of two SELECTs, which SQLite does not flatten', async () => {
  const folder = temporaryFolder();
  const throwing = { table: 'products', columns: ['name'], rows: [2, 9] } as const;
  const found = await publishedFrom(throwingFile(folder, [throwing], 'union'), join(folder, 'out'));
  const expected = await publishedFrom(badFile(folder, [throwing]), join(folder, 'expected'));
  expect(found).toEqual({ ...expected, failed: placesOf(throwing) });
});

describe('what cannot be told apart', () => {
  const all = [
    ...BEYOND.map((one) => [nameOf(one), one, 'plain'] as const),
    // SQLite computes all columns to compare them, the key alone is not to be had.
    ['a row of SELECT DISTINCT', { table: 'products', columns: ['name'], rows: [2] }, 'distinct'] as const,
  ];
  test.for(all)('%s', async ([, throwing, form]) => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    await publishedFrom(badFile(folder, []), out);
    const before = filesOf(out);
    const failing = publishedFrom(throwingFile(folder, [throwing], form), out);
    await expect(failing).rejects.toMatchObject({
      code: 'view-failed',
      exitCode: 2,
      message: expect.stringContaining(`rows of ${throwing.table} from`),
    });
    await expect(failing).rejects.toThrow(/an expression of it that throws.*: malformed JSON/);
    expect(filesOf(out)).toEqual(before);
  });
});

test('check-db reports the same rows', async () => {
  const path = throwingFile(temporaryFolder(), TOGETHER);
  const findings = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
  expect(findings.map(({ code, place }) => `${code} ${place}`).sort()).toEqual(
    TOGETHER.flatMap(placesOf)
      .map((place) => `expression-failed ${place}`)
      .sort(),
  );
});

test('explain says of a session and of a product what throws', async () => {
  const path = throwingFile(temporaryFolder(), TOGETHER);
  const reasonsOf = async (slug: string) => {
    const options = { databasePath: path, frontCode: 'bravo', slug, tzdata: '2026a' };
    const { reason, leftOut } = await explainProduct(options, instant(NOW));
    return [reason, ...leftOut.map(({ code, place }) => `${code} ${place}`)];
  };
  expect(await reasonsOf('p-2010')).toEqual(['bad-data', 'expression-failed products 2010']);
});

test('an export refuses a row that throws, rather than printing something in its place', async () => {
  const path = throwingFile(temporaryFolder(), [{ table: 'venues', columns: ['city'], rows: [1] }]);
  await using reader = await openCatalogue(path);
  const exporting = async (): Promise<void> => {
    for await (const text of exportRows(reader, ['venues'], () => undefined)) expect(text).toContain('1001');
  };
  await expect(exporting()).rejects.toMatchObject({
    code: 'export-value-unprintable',
    message: expect.stringMatching(/^venues 2001: city: .*found an expression that throws$/),
  });
});

test('a key whose revocation throws is not revoked, nor is it in the key ring by its row', async () => {
  const path = throwingFile(temporaryFolder(), [{ table: 'front_keys', columns: ['revoked_at'], rows: [1] }]);
  await using reader = await openCatalogue(path);
  const { rows } = await currentKeys(reader, instant(NOW));
  expect(rows.get('bravo-1')).toMatchObject({ entry: null, revokedAt: null });
});

test('what throws is looked for once: later queries know it', async () => {
  const path = throwingFile(temporaryFolder(), [{ table: 'products', columns: ['name'], rows: [0, 7, -1] }]);
  await using reader = await openCatalogue(path);
  const query = wholeTable('products').query;
  const rows = await reader.rows(query);
  expect(rows).toHaveLength(16);
  const inBatches: unknown[][] = [];
  for await (const batch of reader.batches(query, 5)) inBatches.push(...batch);
  expect(inBatches).toEqual(rows);
  expect([...reader.failedRows.keys()]).toEqual(['products 1010', 'products 4020', 'products 8020']);
});
