// A search_path on which something of the contract is missing or wrong: each with its code, place
// and hint, and the SQL of the hints makes it good.

import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { findingLine } from '../../src/findings.ts';
import { playbill } from '../support/cli/run.ts';
import { findingsOf, GOOD_ROWS } from '../support/database-rows.ts';
import { createLooseTables } from '../support/postgres/loose-tables.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { temporaryFolder } from '../support/trees.ts';

let schema: OwnSchema;
beforeEach(async () => {
  schema = await newSchema();
  await createLooseTables(schema);
  const inserts = TABLE_NAMES.map(
    (table) =>
      `INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, '${JSON.stringify(GOOD_ROWS[table])}');`,
  );
  await schema.client.query(inserts.join('\n'));
});
afterEach(() => schema.drop());

const linesOf = async (): Promise<string[]> => (await findingsOf(schema.url)).map(findingLine);

const WHERE = (name: string): string => ` on the search_path ${name} (schemas: ${name})`;

test('what is broken is reported whole, and the sound tables are checked', async () => {
  await schema.client.query(`
    DROP TABLE badges, front_products;
    ALTER TABLE venues DROP COLUMN name;
    DROP TABLE images; CREATE TABLE images (id bigint, url bytea, alt_text real, copyright text, copyright_url int);
    UPDATE fronts SET currency = 'roubles'`);
  expect(await linesOf()).toEqual([
    'error column-missing venues.name: expected a column "name" in "venues", found id, timezone, city',
    'error column-type-wrong images.url: expected images.url to be text or character varying, found bytea',
    'error column-type-wrong images.alt_text: expected images.alt_text to be text or character varying, found real',
    'error column-type-wrong images.copyright_url: expected images.copyright_url to be text or character varying, found integer',
    `error table-missing front_products: expected a table or view "front_products"${WHERE(schema.name)}, found none`,
    'error value-invalid fronts 11: currency: expected a currency of three capitals, such as EUR, found "roubles"',
  ]);
});

test('a build ends at the first of these with exit 2 and its code, and says where to look', async () => {
  const out = `${temporaryFolder()}/out`;
  const refused = async (change: string) => {
    await schema.client.query(change);
    const { status, stderr } = await playbill(['build', '--db', schema.url, '--out', out]);
    expect(status).toBe(2);
    return stderr;
  };
  expect(await refused('ALTER TABLE sessions ALTER starts_at TYPE timestamp USING NULL')).toMatch(
    /^error contract-column-type: expected sessions.starts_at to be timestamp with time zone or text, found timestamp without time zone\n {2}hint: from a time with its offset: nullif\(starts_at::text, ''\)::timestamptz; from one without, .*; from the local time of the venue: NULL::timestamptz AS starts_at, nullif\(starts_at::text, ''\)::timestamp AS starts_local\n$/,
  );
  expect(await refused('ALTER TABLE sessions DROP starts_at, DROP starts_local')).toMatch(
    /^error contract-column-missing: expected a column "starts_at" in "sessions", found id, /,
  );
  expect(await refused('DROP TABLE sessions')).toMatch(
    /^error contract-table-missing: .*\n {2}hint: create it as data\/schema-postgres.sql does, or make a view "sessions" over your own tables\n$/,
  );
});

test('a schema that is not there is named, and so is a user’s own that is missing', async () => {
  for (const [path, shown] of [
    ['no_such', 'no_such (no such schema, or none that this user may use)'],
    ['no_such,nor_this', 'no_such,nor_this (no such schema, or none that this user may use)'],
  ] as const) {
    const address = schema.url.replace(/search_path%3D.*/, `search_path%3D${path.replace(',', '%2C')}`);
    const { status, stderr } = await playbill(['build', '--db', address, '--out', `${temporaryFolder()}/out`]);
    expect(status).toBe(2);
    expect(stderr).toContain(
      `error contract-table-missing: expected a table or view "fronts" on the search_path ${shown}, found none\n`,
    );
  }
});

describe('a table that is somebody else’s, and has the name', () => {
  test('is not mended: the views go before it', async () => {
    await schema.client.query('DROP TABLE groups; CREATE TABLE groups (group_no int, label text)');
    const hints = (await findingsOf(schema.url)).map(({ code, place, hint }) => [code, place, hint]);
    const hint =
      'this looks like a table of your own; put the views in a schema that comes before it on the search_path (data/postgres.md, The views)';
    expect(hints).toEqual(
      ['id', 'slug', 'name', 'card_type'].map((column) => ['column-missing', `groups.${column}`, hint]),
    );
  });

  test('in a schema behind that of the views, does no harm', async () => {
    await using theirs = await newSchema();
    await theirs.client.query('CREATE TABLE groups (group_no int, label text); CREATE TABLE products AS SELECT 1 AS x');
    const path = (...names: readonly string[]): string =>
      schema.url.replace(/search_path%3D.*/, `search_path%3D${names.join('%2C')}`);
    expect(await findingsOf(path(schema.name, theirs.name))).toEqual([]);
    const found = await findingsOf(path(theirs.name, schema.name));
    expect(new Set(found.map(({ code, place }) => `${code} ${place.split('.')[0]}`))).toEqual(
      new Set(['column-missing products', 'column-missing groups']),
    );
  });

  test.each(['CREATE SEQUENCE tags', 'CREATE INDEX tags ON venues (id)', 'CREATE TYPE tags AS (x int)'])(
    'or no table at all: %s',
    async (sql) => {
      await schema.client.query(`DROP TABLE tags; ${sql}`);
      expect((await findingsOf(schema.url)).map(({ code, place }) => [code, place])).toEqual(
        expect.arrayContaining([[expect.stringMatching(/^(?:table|column)-missing$/), expect.stringMatching(/^tags/)]]),
      );
    },
  );
});

test('a view that cannot be read is named by the error, for the server finds out only as it reads', async () => {
  await schema.client.query(`ALTER TABLE tags RENAME TO theirs;
    CREATE VIEW tags AS SELECT 1 / (id - id) AS id, slug, name, sort_weight FROM theirs`);
  const { status, stderr } = await playbill(['check-db', '--db', schema.url]);
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^error view-failed: expected rows of tags from postgres:.*, found an expression of it .*: division by zero \(22012\)\n {2}hint: try it: psql /,
  );
});

test('no table is gone through once for every row of another, also where its ids do not fit in work_mem', async () => {
  await schema.client
    .query(`INSERT INTO venues (id, name, timezone) SELECT i, 'v', 'UTC' FROM generate_series(100, 9999) AS i;
    INSERT INTO sessions (id, venue_id) SELECT i, i FROM generate_series(100, 9999) AS i; ANALYZE`);
  const declared: string[] = [];
  const real = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  onTestFinished(() => void Reflect.set(pg.Client.prototype, 'query', real));
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const [{ text = '' }] = args as [{ readonly text?: string }];
    if (/^declare (?!.*\$1).* except .* from "venues"/.test(text))
      declared.push(text.replace(/^declare \w+ no scroll cursor for/, 'EXPLAIN'));
    return Reflect.apply(real, this, args);
  });
  await linesOf();
  const plans = await schema.client.session(async (client) => {
    await client.query("SET work_mem = '64kB'");
    const all = declared.map(async (text) => (await client.query({ text, rowMode: 'array' })).rows.join('\n'));
    return Promise.all(all);
  });
  expect(plans.filter((plan) => plan.includes(' on venues')).length).toBe(1);
  // One that is hashed is gone through once.
  for (const plan of plans) expect(plan).not.toMatch(/(?<!hashed )SubPlan/);
});
