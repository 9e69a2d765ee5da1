// A catalogue that is copied into PostgreSQL says the same there, in each shape: what other tests
// compare builds of are the same rows.

import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as explanationWords from '../../src/cli/output/explain.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { previewCatalogue } from '../../src/operations/preview/preview-catalogue.ts';
import { IS_THOROUGH, runs } from '../speeds.ts';
import { GOOD_ROWS, rowsIn } from '../support/database-rows.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { copyCatalogue, createShape, refillCatalogue, SHAPES, withoutNul } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

/** Every row of every table or view, each value as SQLite has it. */
async function rowsOf({ client }: OwnSchema): Promise<Readonly<Record<string, unknown[]>>> {
  return client.session(async (session) => {
    const tables: [string, unknown[]][] = [];
    for (const table of TABLE_NAMES) {
      const columns: Readonly<Record<string, { readonly declared: string }>> = TABLES[table];
      const isText = (column: string): boolean => columns[column]?.declared === 'TEXT';
      const keys = TABLE_RULES[table].key.map((column) => `${column}${isText(column) ? ' COLLATE "C"' : ''}`);
      const order = `ORDER BY ${keys.join(', ')}`;
      const { rows } = await session.query<Record<string, unknown>>(`SELECT * FROM ${table} ${order}`);
      tables.push([
        table,
        rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(table, name, value)])),
        ),
      ]);
    }
    return Object.fromEntries(tables);
  });
}

function plain(table: TableName, column: string, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().replace('.000Z', column.endsWith('_local') ? '' : 'Z');
  if (typeof value === 'boolean') return value ? 1 : 0;
  const rules: Readonly<Record<string, { readonly declared: string }>> = TABLES[table];
  return rules[column]?.declared === 'INTEGER' && value !== null ? Number(value) : value;
}

describe.each(SHAPES)('as %s', (shape) => {
  test('one row of each table', async () => {
    await using schema = await newSchema();
    const rows = TABLE_NAMES.map((table) => ({
      table,
      row: GOOD_ROWS[table] as Record<string, string | number | null>,
    }));
    const path = catalogueAt(join(temporaryFolder(), 'good.sqlite'), rows);
    await copyCatalogue(path, schema, shape);
    expect(await rowsOf(schema)).toEqual(rowsIn(path));
  });

  test('the sessions of a day, in the demo', async () => {
    await using schema = await newSchema();
    const path = demoCatalogueAt(join(temporaryFolder(), 'demo.sqlite'), '2026-05-01T09:00:00Z');
    await copyCatalogue(path, schema, shape);
    const noon = instant('2026-05-01T12:00:00Z');
    const { signal } = new AbortController();
    const dayIn = (database: string) =>
      previewCatalogue(database, 'tzdata', explanationWords).day('minuit-passe', noon, signal);
    const day = await dayIn(path);
    expect(day.products.length).toBeGreaterThan(0);
    expect(await dayIn(schema.url)).toEqual(day);
  });

  test('random catalogues, one after the other', async () => {
    await using schema = await newSchema();
    await createShape(schema, shape);
    const folder = temporaryFolder();
    let count = 0;
    const property = fc.asyncProperty(catalogueArbitrary({ forms: 'ours' }), async ({ rows }) => {
      const path = catalogueAt(join(folder, `${count++}.sqlite`), withoutNul(rows));
      await refillCatalogue(path, schema, shape);
      expect(await rowsOf(schema)).toEqual(rowsIn(path));
    });
    await fc.assert(property, { numRuns: runs(40) });
  });
});

test('the server at hand is a cluster of version 15 for the thorough, and PGlite for the quick', async () => {
  await using schema = await newSchema();
  const [row] = await schema.client.query('SELECT version()');
  expect(String(row?.['version'])).toMatch(IS_THOROUGH ? /^PostgreSQL 15\.\d+ \(Debian/ : /\(PGlite/);
});

test('schemas know nothing of each other, and are gone when they are dropped', async () => {
  const [one, other] = [await newSchema(), await newSchema()];
  await one.client.query('CREATE TABLE things AS SELECT 1 AS x');
  await expect(other.client.query('SELECT * FROM things')).rejects.toMatchObject({ code: '42P01' });
  await one.drop();
  await one.drop();
  const [left] = await other.client.query('SELECT to_regnamespace($1) AS one', [one.name]);
  expect(left).toEqual({ one: null });
  await other.drop();
});
