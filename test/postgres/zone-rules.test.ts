// Two sets of zone rules: those of the server, by which views convert times, and those of the
// runtime, by which documents print them. The rules of the two are of different versions only on
// some machines, but for a few names they always differ: for PostgreSQL, CET is winter time all
// year round; for the runtime, it is the clocks of Brussels.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputOf, playbill } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
const path = join(folder, 'small.sqlite');
let schema: OwnSchema;
beforeAll(async () => {
  schema = await newSchema();
  const rows = [
    ...smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' }),
    { table: 'venues', row: { id: 900, name: 'A', timezone: 'CET' } },
    { table: 'venues', row: { id: 800, name: 'B', timezone: 'CET' } },
    { table: 'venues', row: { id: 700, name: 'C', timezone: 'Asia/Tokyo' } },
  ] as const;
  await copyCatalogue(catalogueAt(path, rows), schema, 'contract');
});
afterAll(() => schema.drop());

const checkedAt = (db: string, now: string) => outputOf(['check-db', '--all', '--db', db], { now: () => instant(now) });

test('check-db warns once for each zone, of the first instant at which the two differ', async () => {
  const { code, printed } = await checkedAt(schema.url, '2026-01-15T09:00:00Z');
  const lines = printed.split('\n').filter((line) => line.includes('zone-rules-differ'));
  expect(lines).toEqual([
    expect.stringMatching(
      /^warning zone-rules-differ venues 800: timezone: at 2026-03-29T01:00:00Z clocks in CET show 2026-03-29T02:00:00 by the rules of the server, and 2026-03-29T03:00:00 by those of tzdata \S+$/,
    ),
  ]);
  expect(code).toBe(0);
});

test('in summer the two differ at once', async () => {
  const { printed } = await checkedAt(schema.url, '2026-07-15T09:00:00Z');
  expect(printed).toContain('at 2026-07-15T09:00:00Z clocks in CET show 2026-07-15T10:00:00 by');
});

test('a build warns as well, and publishes', async () => {
  const out = join(temporaryFolder(), 'out');
  const { status, stdout, stderr } = await playbill(['build', '--db', schema.url, '--out', out, '--now', NOW]);
  expect(stdout + stderr).toMatch(/warning zone-rules-differ venues 800: .* CET /);
  expect(status).toBe(0);
});

test('the hint names the column that needs no rules of the server', async () => {
  const { printed } = await outputOf(['check-db', '--db', schema.url]);
  expect(printed).toContain('in starts_local, with NULL in starts_at');
});

test('SQLite has no rules of its own', async () => {
  expect((await checkedAt(path, '2026-01-15T09:00:00Z')).printed).not.toContain('zone-rules-differ');
});
