// Law 6 while tables are replaced, altered or emptied: a snapshot of PostgreSQL keeps rows, not
// names and definitions, so that a build could read some tables of one state and some of another.
// One that meets such a change ends, and publishes nothing; the next one is good.

import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { holdSnapshot, openCatalogue } from '../../src/database/open.ts';
import { wholeTable } from '../../src/database/contract/query-builders.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { IS_SOAK, longRuns, sample } from '../speeds.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { readerWith } from '../support/fault/watched-reader.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { ThrowingSchema } from '../support/throwing-views.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

let schema: OwnSchema;
/** Searched before the schema with the tables. */
let first: string;
let url: string;
beforeEach(async () => {
  schema = await preparedSchema();
  first = `${schema.name}_first`;
  url = schema.url.replace(schema.name, `${first}%2C${schema.name}`);
  return async () => {
    const leftovers = `SELECT format('DROP SCHEMA %I CASCADE', nspname) AS drop FROM pg_namespace WHERE nspname LIKE '${schema.name}%'`;
    for (const row of await schema.client.query(leftovers)) await schema.client.query(String(row['drop']));
  };
});

async function preparedSchema(): Promise<OwnSchema> {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 3, sessionsPerProduct: 1, edition: 'x' });
  const prepared = await newSchema();
  await copyCatalogue(catalogueAt(join(temporaryFolder(), 'small.sqlite'), rows), prepared, 'contract');
  return prepared;
}

async function builtFrom(address: string, beforeRead: (read: number) => Promise<void>): Promise<string | null> {
  await using reader = await openCatalogue(address);
  return (await builtInMemory(readerWith(reader, beforeRead), instant(NOW))).releaseId;
}

/**
 * Builds, with changes committed before the second read: the taxonomy is read first, then venues
 * and fronts, and last the price tiers.
 */
function builtAround(changes: string): Promise<string | null> {
  return builtFrom(url, async (read) => {
    if (read === 2) await schema.client.query(changes);
  });
}

const TIERS = `CREATE TABLE cheap (LIKE price_tiers INCLUDING ALL); INSERT INTO cheap SELECT * FROM price_tiers;
  UPDATE cheap SET amount_minor = 1`;
const NAMES = `UPDATE venues SET name = 'Other'; UPDATE products SET name = 'Other'; UPDATE groups SET name = 'Other'`;

/**
 * SQL before the build; then what one transaction does besides NAMES, for other prices; what a
 * refusal names.
 */
const SWITCHES: Readonly<Record<string, readonly [before: string, change: string, named: string]>> = {
  'a table is truncated and filled again': [
    TIERS,
    'TRUNCATE price_tiers; INSERT INTO price_tiers SELECT * FROM cheap',
    'price_tiers',
  ],
  'a table is rewritten': ['', 'ALTER TABLE price_tiers ALTER amount_minor TYPE bigint USING 1', 'price_tiers'],
  'a table is replaced by name': [
    TIERS,
    'ALTER TABLE price_tiers RENAME TO old; ALTER TABLE cheap RENAME TO price_tiers',
    'price_tiers',
  ],
  'a table is dropped and made': [
    TIERS,
    'DROP TABLE price_tiers; CREATE TABLE price_tiers AS SELECT * FROM cheap',
    'price_tiers',
  ],
  'a table is moved from another schema': [
    `${TIERS}; CREATE SCHEMA SELF_loaded; ALTER TABLE cheap SET SCHEMA SELF_loaded; ALTER TABLE SELF_loaded.cheap RENAME TO price_tiers`,
    'ALTER TABLE price_tiers SET SCHEMA SELF_first_not; ALTER TABLE SELF_loaded.price_tiers SET SCHEMA SELF',
    'price_tiers',
  ],
  'a table comes before another on the search_path': [
    TIERS,
    'ALTER TABLE cheap RENAME TO price_tiers_; ALTER TABLE price_tiers_ SET SCHEMA SELF_first; ALTER TABLE SELF_first.price_tiers_ RENAME TO price_tiers',
    'price_tiers',
  ],
  'a table no longer comes before another': [
    'CREATE VIEW SELF_first.price_tiers AS SELECT * FROM price_tiers; UPDATE price_tiers SET amount_minor = amount_minor + 1',
    'DROP VIEW SELF_first.price_tiers',
    'price_tiers',
  ],
  'schemas are renamed': [
    `CREATE SCHEMA SELF_new; CREATE TABLE SELF_new.price_tiers AS SELECT * FROM price_tiers; UPDATE SELF_new.price_tiers SET amount_minor = 1;
     ALTER TABLE price_tiers SET SCHEMA SELF_first`,
    'ALTER SCHEMA SELF_first RENAME TO SELF_old; ALTER SCHEMA SELF_new RENAME TO SELF_first',
    'price_tiers',
  ],
  'columns are renamed': [
    'ALTER TABLE price_tiers ADD planned bigint; UPDATE price_tiers SET planned = 1',
    'ALTER TABLE price_tiers RENAME amount_minor TO old; ALTER TABLE price_tiers RENAME planned TO amount_minor',
    'price_tiers',
  ],
  'a column is dropped, and another renamed': [
    'ALTER TABLE price_tiers ADD planned bigint; UPDATE price_tiers SET planned = 1',
    'ALTER TABLE price_tiers DROP amount_minor; ALTER TABLE price_tiers RENAME planned TO amount_minor',
    'price_tiers',
  ],
  'a column is dropped': ['', 'ALTER TABLE price_tiers DROP amount_minor', 'price_tiers'],
  'a table is dropped': ['', 'DROP TABLE price_tiers', 'price_tiers'],
  'a view is replaced': [
    `${TIERS}; ALTER TABLE price_tiers RENAME TO dear; CREATE VIEW price_tiers AS SELECT * FROM dear`,
    'CREATE OR REPLACE VIEW price_tiers AS SELECT * FROM cheap',
    'price_tiers',
  ],
  'a view below a view is replaced': [
    `${TIERS}; ALTER TABLE price_tiers RENAME TO dear; CREATE VIEW inner_tiers AS SELECT * FROM dear;
     CREATE VIEW middle_tiers AS SELECT * FROM inner_tiers; CREATE VIEW price_tiers AS SELECT * FROM middle_tiers`,
    'CREATE OR REPLACE VIEW inner_tiers AS SELECT * FROM cheap',
    'inner_tiers',
  ],
  'a table below a view is truncated and filled again': [
    `${TIERS}; ALTER TABLE price_tiers RENAME TO dear; CREATE VIEW price_tiers AS SELECT * FROM dear`,
    'TRUNCATE dear; INSERT INTO dear SELECT * FROM cheap',
    'dear',
  ],
  'a materialized view is refreshed': [
    `ALTER TABLE price_tiers RENAME TO dear; CREATE MATERIALIZED VIEW price_tiers AS SELECT * FROM dear`,
    'UPDATE dear SET amount_minor = 1; REFRESH MATERIALIZED VIEW price_tiers',
    'price_tiers',
  ],
  'a materialized view below a view is refreshed': [
    `ALTER TABLE price_tiers RENAME TO dear; CREATE MATERIALIZED VIEW stored AS SELECT * FROM dear;
     CREATE VIEW price_tiers AS SELECT * FROM stored`,
    'UPDATE dear SET amount_minor = 1; REFRESH MATERIALIZED VIEW stored',
    'stored',
  ],
  'a partition is swapped': [
    `${TIERS}; ALTER TABLE price_tiers RENAME TO dear; CREATE TABLE price_tiers (LIKE dear) PARTITION BY LIST (currency);
     ALTER TABLE price_tiers ATTACH PARTITION dear DEFAULT`,
    'ALTER TABLE price_tiers DETACH PARTITION dear; ALTER TABLE price_tiers ATTACH PARTITION cheap DEFAULT',
    'price_tiers',
  ],
  'a partition is detached': [
    `ALTER TABLE price_tiers RENAME TO dear; CREATE TABLE price_tiers (LIKE dear) PARTITION BY LIST (currency);
     ALTER TABLE price_tiers ATTACH PARTITION dear DEFAULT`,
    'ALTER TABLE price_tiers DETACH PARTITION dear',
    'price_tiers',
  ],
  'a partition is attached': [
    `${TIERS}; ALTER TABLE cheap ADD batch int NOT NULL DEFAULT 2; UPDATE cheap SET id = id + 100000;
     ALTER TABLE price_tiers RENAME TO dear; ALTER TABLE dear ADD batch int NOT NULL DEFAULT 1;
     CREATE TABLE price_tiers (LIKE dear) PARTITION BY LIST (batch); ALTER TABLE price_tiers ATTACH PARTITION dear FOR VALUES IN (1)`,
    'ALTER TABLE price_tiers ATTACH PARTITION cheap FOR VALUES IN (2)',
    'cheap',
  ],
  'a partition below a view is truncated': [
    `ALTER TABLE price_tiers RENAME TO dear; CREATE TABLE tariffs (LIKE dear) PARTITION BY LIST (currency);
     CREATE TABLE tariffs_all PARTITION OF tariffs DEFAULT; INSERT INTO tariffs SELECT * FROM dear;
     CREATE VIEW price_tiers AS SELECT * FROM tariffs`,
    'TRUNCATE tariffs_all; INSERT INTO tariffs SELECT * FROM dear; UPDATE tariffs SET amount_minor = 1',
    'tariffs_all',
  ],
  'a partition below a view is swapped': [
    `${TIERS}; ALTER TABLE price_tiers RENAME TO dear; CREATE TABLE tariffs (LIKE dear) PARTITION BY LIST (currency);
     ALTER TABLE tariffs ATTACH PARTITION dear DEFAULT; CREATE VIEW price_tiers AS SELECT * FROM tariffs`,
    'ALTER TABLE tariffs DETACH PARTITION dear; ALTER TABLE tariffs ATTACH PARTITION cheap DEFAULT',
    'tariffs',
  ],
  'a table no longer inherits': [
    `CREATE TABLE of_base (LIKE price_tiers INCLUDING ALL); INSERT INTO of_base SELECT * FROM price_tiers; DELETE FROM price_tiers;
     ALTER TABLE of_base INHERIT price_tiers`,
    'ALTER TABLE of_base NO INHERIT price_tiers',
    'price_tiers',
  ],
  'a function of a view is replaced': [
    `ALTER TABLE price_tiers RENAME amount_minor TO dear; ALTER TABLE price_tiers RENAME TO tariffs;
     CREATE FUNCTION sum_of(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1';
     CREATE VIEW price_tiers AS SELECT *, sum_of(dear) AS amount_minor FROM tariffs`,
    "CREATE OR REPLACE FUNCTION sum_of(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    'sum_of',
  ],
  'a function that a function of a view calls is replaced': [
    `ALTER TABLE price_tiers RENAME amount_minor TO dear; ALTER TABLE price_tiers RENAME TO tariffs;
     CREATE FUNCTION inner_sum(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1';
     CREATE FUNCTION sum_of(bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN inner_sum($1); END';
     CREATE VIEW price_tiers AS SELECT *, sum_of(dear) AS amount_minor FROM tariffs`,
    "CREATE OR REPLACE FUNCTION inner_sum(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    'inner_sum',
  ],
  'a table that a function of a view reads is truncated': [
    `ALTER TABLE price_tiers RENAME amount_minor TO dear; ALTER TABLE price_tiers RENAME TO tariffs;
     CREATE TABLE sums AS SELECT 5::bigint AS one;
     CREATE FUNCTION sum_of(bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS 'BEGIN RETURN coalesce((SELECT one FROM sums), 7); END';
     CREATE VIEW price_tiers AS SELECT *, sum_of(dear) AS amount_minor FROM tariffs`,
    'TRUNCATE sums; INSERT INTO sums VALUES (1)',
    'sums',
  ],
  'values of an enumeration are renamed': [
    `CREATE TYPE kinds AS ENUM ('ticket', 'addon', 'other'); ALTER TABLE price_tiers RENAME TO tariffs;
     ALTER TABLE tariffs DROP CONSTRAINT IF EXISTS price_tiers_kind_check; ALTER TABLE tariffs ADD sort kinds NOT NULL DEFAULT 'ticket';
     ALTER TABLE tariffs DROP kind; CREATE VIEW price_tiers AS SELECT *, sort AS kind FROM tariffs`,
    "ALTER TYPE kinds RENAME VALUE 'addon' TO 'none'; ALTER TYPE kinds RENAME VALUE 'ticket' TO 'addon'",
    'kinds',
  ],
};

/** Names of schemas in the SQL: that of the tables, SELF, and others that begin so. */
const named = (text: string): string => text.replaceAll('SELF_first_not', first).replaceAll('SELF', schema.name);

describe('a build while others see one change:', () => {
  test.each(sample(Object.entries(SWITCHES), 2))('%s', async (_what, [before, change, name]) => {
    await schema.client.query(`CREATE SCHEMA ${first}`);
    await schema.client.query(named(before));
    const releaseId = await builtAround('');
    const refused = {
      code: 'database-busy',
      message: expect.stringMatching(
        new RegExp(`found (.*, )?${name}(, .*)? replaced, altered, truncated or rewritten after the read began$`),
      ) as string,
      hint: expect.stringContaining('DELETE rather than TRUNCATE') as string,
    };
    await expect(builtAround(named(`BEGIN; ${NAMES}; ${change}; COMMIT`))).rejects.toMatchObject(refused);
    const next = await builtAround('').catch((error: unknown) => error);
    // Where the table is gone, the next build says so.
    if (typeof next === 'string') expect(next).not.toBe(releaseId);
    else expect(next).toMatchObject({ code: expect.stringMatching(/^contract-.*-missing$/) as string });
  });
});

test('at whichever read one transaction replaces everything, a build shows the state before, or ends', async () => {
  const expected = await builtAround('');
  let isOver = false;
  for (let atRead = 1; !isOver; atRead += IS_SOAK ? 1 : 3) {
    await using other = await preparedSchema();
    const [own, next] = [other.name, `${schema.name}_next`];
    const copies = TABLE_NAMES.map((table) => `CREATE TABLE ${next}.${table} AS SELECT * FROM ${own}.${table}`);
    await other.client.query(`DROP SCHEMA IF EXISTS ${next} CASCADE; CREATE SCHEMA ${next}; ${copies.join('; ')}`);
    await other.client.query(
      `UPDATE ${next}.venues SET name = 'Other'; UPDATE ${next}.price_tiers SET amount_minor = 1`,
    );
    let isChanged = false;
    const built = await builtFrom(other.url, async (read) => {
      if (read !== atRead) return;
      isChanged = true;
      const renamed = `ALTER SCHEMA ${own} RENAME TO ${own}_old; ALTER SCHEMA ${next} RENAME TO ${own}`;
      await schema.client.query(`BEGIN; ${renamed}; COMMIT`);
    }).catch((error: unknown) => error);
    if (built instanceof Error) expect(built).toMatchObject({ code: 'database-busy' });
    else expect(built).toBe(expected);
    await schema.client.query(`DROP SCHEMA IF EXISTS ${own}_old CASCADE`);
    isOver = !isChanged;
    if (isOver) expect(built).toBe(expected);
  }
});

test('a snapshot that another process holds shows the tables as they were when it was taken, or nothing', async () => {
  await schema.client.query(`CREATE SCHEMA ${first}; ${TIERS}`);
  const releaseId = await builtAround('');
  await using held = await holdSnapshot(url);
  const fromSnapshot = async () => {
    await using reader = await openCatalogue(url, held.id);
    return (await builtInMemory(reader, instant(NOW))).releaseId;
  };
  await schema.client.query(NAMES);
  expect(await fromSnapshot()).toBe(releaseId);
  for (const change of [
    // Not only the old rows are gone: by its name the table is one of the first schema's, and then
    // there is none.
    'ALTER TABLE cheap RENAME TO tags_; TRUNCATE price_tiers',
    `CREATE TABLE ${first}.tags AS SELECT * FROM tags`,
    `DROP TABLE ${first}.tags; ALTER TABLE tags RENAME TO tags_of_old`,
  ]) {
    await schema.client.query(change);
    await expect(fromSnapshot()).rejects.toMatchObject({ code: 'database-busy' });
  }
});

describe('a build goes on, and shows what there was:', () => {
  test.each([
    'DELETE FROM price_tiers',
    'CREATE INDEX ON price_tiers (currency)',
    'REINDEX TABLE price_tiers',
    'ANALYZE price_tiers',
    'VACUUM price_tiers',
    'CREATE STATISTICS more ON product_id, currency FROM price_tiers',
    "COMMENT ON TABLE price_tiers IS 'Tariffs'",
    'REFRESH MATERIALIZED VIEW CONCURRENTLY stored',
    // Rolled back: nothing has changed, although the server's own rows keep the transaction's
    // number.
    'BEGIN; ALTER TABLE price_tiers ADD x int; CREATE OR REPLACE VIEW venues_ AS SELECT 1 AS id; DROP TABLE tags CASCADE; ROLLBACK',
    // Not of the catalogue.
    'BEGIN; CREATE TABLE unrelated (id int); TRUNCATE unrelated; DROP TABLE unrelated; COMMIT',
    "DROP TABLE other; DROP FUNCTION other(); DROP TYPE others; CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 2'",
    'DROP SCHEMA SELF_other CASCADE',
  ])('%s', async (changes) => {
    await schema.client.query(
      named(`CREATE MATERIALIZED VIEW stored AS SELECT * FROM badges; CREATE UNIQUE INDEX ON stored (id);
      ALTER TABLE badges RENAME TO kept; CREATE VIEW badges AS SELECT * FROM stored;
      CREATE VIEW venues_ AS SELECT 1 AS id; CREATE TABLE other (id int); CREATE TYPE others AS ENUM ('one');
      CREATE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1';
      CREATE SCHEMA SELF_other; CREATE TABLE SELF_other.tags (id int)`),
    );
    const releaseId = await builtAround('');
    expect(await builtAround(named(changes))).toBe(releaseId);
    // Nor before it began.
    await expect(builtAround('')).resolves.toBeTypeOf('string');
  });

  test('beside writers, vacuums, indexes and changes that are rolled back', async () => {
    const flip = (name: string, price: number): string =>
      `BEGIN; UPDATE venues SET name = '${name}'; UPDATE price_tiers SET amount_minor = ${price}; COMMIT`;
    const states = [flip('One', 100), flip('Other', 200)] as const;
    const releases: (string | null)[] = [];
    for (const state of states) {
      await schema.client.query(state);
      releases.push(await builtAround(''));
    }
    const writing = { isEnding: false };
    const beside = async (statements: readonly string[]): Promise<number> =>
      schema.client.session(async (client) => {
        let total = 0;
        for (; !writing.isEnding || total < statements.length; total += 1)
          await client.query(statements[total % statements.length] ?? '');
        return total;
      });
    const writers = [
      beside(states),
      beside([
        'ANALYZE',
        'VACUUM venues, price_tiers',
        'CREATE INDEX extra ON price_tiers (currency, id)',
        'REINDEX INDEX CONCURRENTLY extra',
        'DROP INDEX CONCURRENTLY extra',
        'BEGIN; ALTER TABLE badges ADD x int; ROLLBACK',
        'CREATE TEMPORARY TABLE price_tiers AS SELECT 1 AS id; DROP TABLE pg_temp.price_tiers',
      ]),
    ];
    for (let i = 0; i < longRuns(10, IS_SOAK ? 25 : 10); i++) expect(releases).toContain(await builtAround(''));
    writing.isEnding = true;
    for (const total of await Promise.all(writers)) expect(total).toBeGreaterThan(5);
  });
});

test('a table that somebody holds is waited for until lock_timeout, which is ten seconds where the operator sets none', async () => {
  const lockTimeout = async (address: string): Promise<unknown> => {
    await using reader = await openCatalogue(address);
    return (await reader.rows(sql`select current_setting('lock_timeout')`))[0]?.[0];
  };
  const brief = `${schema.url}%20-clock_timeout%3D200`;
  expect([await lockTimeout(schema.url), await lockTimeout(brief)]).toEqual(['10s', '200ms']);
  await schema.client.session(async (holder) => {
    await holder.query('BEGIN; LOCK TABLE price_tiers IN ACCESS EXCLUSIVE MODE');
    url = brief;
    await expect(builtAround('')).rejects.toMatchObject({
      code: 'database-busy',
      message: expect.stringContaining(
        'rows of price_tiers were read: canceling statement due to lock timeout',
      ) as string,
      hint: expect.stringContaining('pg_stat_activity') as string,
    });
  });
});

test('rows that change while rows that throw are looked for are of the state before', async () => {
  await using throwing = await ThrowingSchema.create();
  await throwing.replace([{ table: 'products', columns: ['name'], rows: [3] }]);
  await using reader = await openCatalogue(throwing.url);
  const tags = wholeTable('tags').query;
  const before = await reader.rows(tags);
  await throwing.change("UPDATE theirs_tags SET name = 'changed'; DELETE FROM theirs_products WHERE id = 1010");
  expect(await reader.rows(wholeTable('products').query)).toHaveLength(16);
  expect([...reader.failedRows.keys()]).toEqual(['products 2020']);
  expect(await reader.rows(tags)).toEqual(before);
  await reader.confirmOneState();
});

test('a view that is replaced after rows that throw were looked for is noticed', async () => {
  await using throwing = await ThrowingSchema.create();
  await throwing.replace([{ table: 'products', columns: ['name'], rows: [3] }]);
  await using reader = await openCatalogue(throwing.url);
  await reader.rows(wholeTable('tags').query);
  await reader.rows(wholeTable('products').query);
  await throwing.change('CREATE OR REPLACE VIEW tags AS SELECT * FROM theirs_tags WHERE id > 2000');
  await expect(reader.rows(wholeTable('tags').query)).rejects.toMatchObject({ code: 'database-busy' });
});
