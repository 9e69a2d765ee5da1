// Cells that are too large for any column, in every form that tables of SQLite have: found by their
// size, whoever reads them, and neither read nor sorted. test/fault/large-cells.test.ts has cells
// that would not fit into memory.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { findingLine } from '../../src/findings.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { tablesBounds } from '../../src/database/sqlite/cell-bounds.ts';
import { openWriter } from '../../src/database/sqlite/write.ts';
import { anyTable } from '../../src/database/contract/query-builders.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { listKeys } from '../../src/database/write/front-keys.ts';
import { ENCODINGS, findingsOf, goodCatalogue, SCHEMA } from '../support/database-rows.ts';
import { buildTree, instant, temporaryFolder } from '../support/trees.ts';

const NOW = instant('2026-05-01T09:00:00Z');
const SIZE = 400_000;
const LARGE = `replace(hex(zeroblob(${SIZE / 2})), '0', 'x')`;

/** Makes a copy of a table, and puts it in its place. */
const copied = (table: TableName, options = '', types: (declared: string) => string = () => '') => {
  const columns = Object.entries(TABLES[table]).map(([name, { declared }]) => `"${name}" ${types(declared)}`);
  return `CREATE TABLE own (${columns.join(', ')}) ${options}; INSERT INTO own SELECT ${Object.keys(TABLES[table]).join(', ')} FROM ${table};
    DROP TABLE ${table}; ALTER TABLE own RENAME TO ${table};`;
};

const forAll = (sqlOf: (table: TableName) => string): string => TABLE_NAMES.map(sqlOf).join('\n');

const behindView = (expression: (name: string) => string) =>
  forAll((table) => {
    const columns = Object.keys(TABLES[table]).map((name) => `${expression(name)} AS "${name}"`);
    return `ALTER TABLE ${table} RENAME TO their_${table}; CREATE VIEW ${table} AS SELECT ${columns.join(', ')} FROM their_${table};`;
  });

/**
 * SQL that makes each form of the tables, and the prefix of the names of the tables that hold the
 * rows.
 */
const FORMS: readonly [form: string, make: string, prefix: string][] = [
  ['strict tables', forAll((table) => copied(table, 'STRICT', (declared) => declared)), ''],
  ['tables without types', forAll((table) => copied(table)), ''],
  ['tables with an index', `${forAll((table) => copied(table))} CREATE INDEX theirs ON sessions (product_id)`, ''],
  ['views', `${forAll((table) => copied(table))} ${behindView((name) => `"${name}"`)}`, 'their_'],
  [
    'views of expressions',
    `${forAll((table) => copied(table))} ${behindView((name) => `coalesce("${name}", NULL)`)}`,
    'their_',
  ],
  [
    'views that sort',
    `${forAll((table) => copied(table))} ${behindView((name) => `"${name}"`).replaceAll('AS SELECT', 'AS SELECT DISTINCT')}`,
    'their_',
  ],
];

/** A catalogue in a form, with `change` applied to the tables that hold its rows. */
function catalogueOf(make: string, change: string, encoding: (typeof ENCODINGS)[number] = 'UTF-8'): string {
  const path = join(temporaryFolder(), 'large.sqlite');
  const database = goodCatalogue(path, false, encoding);
  database.pragma('foreign_keys = OFF');
  database.pragma('legacy_alter_table = ON');
  database.exec(make);
  database.exec(change);
  database.close();
  return path;
}

async function foundByBuild(path: string): Promise<readonly string[]> {
  const { findings } = await buildTree(path, join(temporaryFolder(), 'out'), NOW);
  return findings.map(({ message }) => message);
}

test('the tables of data/schema.sql are known by their text, and only cells that nothing limits are bounded', () => {
  const database = new Database(':memory:');
  database.exec(SCHEMA);
  const tables = tablesBounds(database);
  expect([...tables.keys()]).toEqual(TABLE_NAMES);
  expect([...tables.values()].every(({ hasOurChecks }) => hasOurChecks)).toBe(true);
  expect([...(tables.get('products')?.large ?? [])]).toEqual(['name']);
  expect([...(tables.get('sessions')?.large ?? [])]).toEqual([]);
  database.close();
});

describe.each(FORMS)('in %s', (_, make, prefix) => {
  test('names and words are findings of a build and of check-db, and refused by an export', async () => {
    const path = catalogueOf(make, `UPDATE ${prefix}products SET name = ${LARGE}`);
    const name = 'name: expected text of at most 65536 characters, found text of 400000 bytes';
    expect(await foundByBuild(path)).toContain(name);
    expect((await findingsOf(path)).map(({ message }) => message)).toContain(name);
    const words = catalogueOf(make, `UPDATE ${prefix}sessions SET status = ${LARGE}`);
    const status = expect.stringMatching(/^status: expected one of .*, found ("x{70,}…|text of 400000 bytes)$/);
    expect(await foundByBuild(words)).toContainEqual(status);
    expect((await findingsOf(words)).map(({ message }) => message)).toContainEqual(status);
    await using reader = await openCatalogue(path);
    const exporting = exportRows(reader, ['products'], () => undefined).next();
    await expect(exporting).rejects.toMatchObject({
      code: 'export-value-unprintable',
      message: expect.stringContaining(
        'name: expected text or a number that JSON holds exactly, found text of 400000 bytes',
      ),
    });
  });

  test('keys are findings, and listed', async () => {
    const path = catalogueOf(make, `UPDATE ${prefix}front_keys SET secret_ref = ${LARGE}, public_key = NULL`);
    expect(await foundByBuild(path)).toContainEqual(expect.stringContaining('found text of 400000 bytes'));
    await using reader = await openCatalogue(path);
    expect(await listKeys(reader)).toEqual([expect.objectContaining({ secretRef: 'text of 400000 bytes' })]);
  });
});

describe.each(FORMS.filter(([form]) => form !== 'strict tables'))('ids and BLOBs in %s', (_, make, prefix) => {
  test.each(['sessions', 'price_tiers'] as const)('of %s', async (table) => {
    const change = `INSERT INTO ${prefix}${table} SELECT * FROM ${prefix}${table}; INSERT INTO ${prefix}${table} SELECT * FROM ${prefix}${table};
      UPDATE ${prefix}${table} SET product_id = ${LARGE} WHERE rowid = 1; UPDATE ${prefix}${table} SET id = ${LARGE} WHERE rowid = 2;
      UPDATE ${prefix}${table} SET product_id = zeroblob(${SIZE}) WHERE rowid = 3;`;
    const path = catalogueOf(make, change);
    const checked = (await findingsOf(path)).map(findingLine).join('\n');
    expect(checked).toContain('product_id: expected an integer, found text of 400000 bytes');
    expect(checked).toMatch(new RegExp(`${table} text of 400000 bytes: id: expected .*, found text of 400000 bytes`));
    expect(checked).toContain('product_id: expected an integer, found a BLOB of 400000 bytes');
    const built = (await foundByBuild(path)).join('\n');
    expect(built).toContain('product_id: expected the id of a row of products, found text of 400000 bytes');
    expect(built).toContain('product_id: expected the id of a row of products, found a BLOB of 400000 bytes');
  });
});

test('rows that a mirror stages still hide those of the table', async () => {
  const [, make = ''] = FORMS.find(([form]) => form === 'tables without types') ?? [];
  const writer = await openWriter(catalogueOf(make, ''), { isRequired: true });
  const sorted = anyTable.selectFrom('tags').select('slug').groupBy('slug').orderBy('slug');
  expect(await writer.rows(sorted)).toHaveLength(1);
  await writer.stage(['tags']);
  expect(await writer.rows(sorted)).toEqual([]);
  await writer.unstage(['tags']);
  expect(await writer.rows(sorted)).toHaveLength(1);
  await writer.discard();
});

test.each(ENCODINGS)('in %s', async (encoding) => {
  const path = catalogueOf('', `UPDATE products SET name = ${LARGE}`, encoding);
  const bytes = encoding === 'UTF-8' ? SIZE : 2 * SIZE;
  expect(await foundByBuild(path)).toContain(
    `name: expected text of at most 65536 characters, found text of ${bytes} bytes`,
  );
});

test('the longest text that is allowed is read, whatever its characters take', async () => {
  const path = catalogueOf('', `UPDATE products SET name = replace(hex(zeroblob(32768)), '0', '戏')`);
  expect(await foundByBuild(path)).toEqual([]);
});
