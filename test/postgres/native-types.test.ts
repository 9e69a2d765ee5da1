// PostgreSQL's own types in the contract's columns: which are taken, which are refused by name, and
// which of their values are findings. What the hints make of them is taken: hints.test.ts.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findingLine, type Finding } from '../../src/findings.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { knownTables } from '../../src/database/contract/query-builders.ts';
import { mayIdBeText, TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import type { Column } from '../../src/database/contract/columns.ts';
import { loadedCatalogue } from '../support/loaded-catalogue.ts';
import { findingsOf } from '../support/database-rows.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema } from '../support/postgres/own-schema.ts';
import { Overlay } from '../support/postgres/overlay.ts';
import { instant } from '../support/trees.ts';
import { sample } from '../speeds.ts';

let overlay: Overlay;
beforeAll(async () => {
  overlay = await Overlay.create();
});
afterEach(() => overlay.clear());
afterAll(() => overlay[Symbol.asyncDispose]());

const NOW = instant('2026-05-01T09:00:00Z');
const NUMBERS_LIKE_VENUES = 'smallint, integer, bigint or numeric, like venues.id';

/** What a build finds. */
async function foundByLoad(): Promise<readonly Finding[]> {
  await using reader = await openCatalogue(overlay.url);
  return (await loadedCatalogue(reader, NOW)).findings.kept;
}

function partsOf(column: string): [table: TableName, name: string] {
  const [table = '', name = ''] = column.split('.');
  const known = TABLE_NAMES.find((one) => one === table);
  if (known === undefined) throw new Error(`no table ${table}`);
  return [known, name];
}

test('the good rows in types of their own have no finding', async () => {
  expect((await findingsOf(overlay.url)).filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(await foundByLoad()).toEqual([]);
});

test('text comes in the order of its code points, whatever the database sorts by', async () => {
  await using schema = await newSchema();
  await schema.client.query('CREATE TABLE tags (id int, slug text, name varchar, sort_weight int)');
  // Where text is sorted as in English, a hyphen counts last of all.
  await schema.client.query(
    `INSERT INTO tags VALUES (1, 'ab', '', 0), (2, 'a-b', '', 0), (3, 'b', '', 0), (4, 'B', '', 0)`,
  );
  await using reader = await openCatalogue(schema.url);
  const rows = await reader.rows(knownTables.selectFrom('tags').select('slug').orderBy('slug'));
  expect(rows.flat()).toEqual(['B', 'a-b', 'ab', 'b']);
});

describe('taken', () => {
  test.each(
    sample<[column: string, sql: string]>(
      [
        ['sessions.starts_at', 'to_char(t.starts_at AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS"Z"\')'],
        ['sessions.starts_at', 't.starts_at::moment'],
        ['sessions.starts_at', "timestamptz '2026-05-05 19:00:00+03'"],
        ['sessions.starts_local', 't.starts_local::timestamp'],
        ['sessions.starts_at', "timestamptz '2026-05-05 16:00:00.999999+00'"],
        ['sessions.starts_at', "'2026-05-05T16:00:00.999999Z'::text"],
        ['sessions.starts_local', "timestamp '2026-05-05 19:00:00.25'"],
        ['sessions.starts_local', "'2026-05-05T19:00:00.25'::text"],
        ['sessions.starts_local', "timestamp '2026-05-05 19:00:00'"],
        ['sessions.ends_at', "timestamptz '0001-01-01 00:00:00+00 BC'"],
        ['sessions.ends_at', "timestamptz '9999-12-31 23:59:59+00'"],
        ['sessions.ends_at', 'NULL::timestamptz'],
        ['sessions.ends_at', 'NULL'],
        ['sessions.available', '9007199254740991'],
        ['sessions.available', '-9007199254740991::numeric'],
        ['sessions.available', '40.00'],
        ['sessions.available', '4e1::numeric'],
        ['sessions.status', 't.status::text'],
        ['sessions.status', 't.status::text::char(30)'],
        ['sessions.status', "'scheduled'::nested_word"],
        ['sessions.status', "'live'::word_of_enum"],
        ['products.id', 't.id::smallint'],
        ['products.id', 't.id::positive'],
        ['products.slug', 't.slug::citext'],
        ['products.pushka', '0'],
        ['products.pushka', '0.0'],
        ['products.pushka', 't.pushka::yes_no'],
        ['products.paused_until', "timestamptz 'infinity'"],
        ['fronts.currency', "'RUB'::char(10)"],
        ['fronts.code', "'moscow'::char(63)"],
        ['fronts.min_cards', '0::numeric(3)'],
        ['price_tiers.amount_minor', '99999999999999'],
      ],
      3,
    ),
  )('%s as %s', async (column, sql) => {
    const [table, name] = partsOf(column);
    await overlay.client.query(`CREATE DOMAIN moment AS timestamptz; CREATE DOMAIN word AS varchar(30);
      CREATE DOMAIN nested_word AS word; CREATE TYPE stage AS ENUM ('live'); CREATE DOMAIN word_of_enum AS stage;
      CREATE DOMAIN positive AS integer CHECK (value > 0); CREATE DOMAIN yes_no AS boolean;`);
    if (sql.includes('citext')) await overlay.client.query('CREATE EXTENSION citext');
    const isOther = sql.includes('word_of_enum');
    await overlay.replace(table, { [name]: sql });
    // What check-db alone advises is not about types.
    const found = (await findingsOf(overlay.url)).filter(({ severity }) => severity === 'error');
    expect(found.map(findingLine)).toEqual(
      isOther ? [expect.stringMatching(/^error value-invalid sessions 15: status: .* found "live"$/)] : [],
    );
    expect((await foundByLoad()).map(findingLine)).toEqual(found.map(findingLine));
  });

  test.each([
    ['uuid', (column: string) => `('00000000-0000-4000-8000-' || lpad(t.${column}::text, 12, '0'))::uuid`],
    ['text', (column: string) => `'no. ' || t.${column}`],
    ['char', (column: string) => `t.${column}::text::char(20)`],
    // They are compared as text.
    ['both', (column: string) => `md5(t.${column}::text)::uuid${column === 'id' ? '' : '::text'}`],
  ])('ids as %s, which nothing publishes', async (_, sqlOf) => {
    const built = async () => {
      await using reader = await openCatalogue(overlay.url);
      return await builtInMemory(reader, NOW);
    };
    const before = await built();
    const tables = TABLE_NAMES.map(
      (table) => [table, Object.keys(TABLES[table]).filter((name) => mayIdBeText(table, name))] as const,
    );
    for (const [table, columns] of tables)
      if (columns.length > 0)
        await overlay.replace(table, Object.fromEntries(columns.map((name) => [name, sqlOf(name)])));
    expect((await findingsOf(overlay.url)).filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(await built()).toEqual(before);
    expect(before.files.size).toBeGreaterThan(4);
  });

  test('tables of other kinds: materialized, partitioned, inherited, generated columns, without any key', async () => {
    const { client } = overlay;
    await overlay.replace('sessions', {});
    await client.query('ALTER VIEW sessions RENAME TO live; CREATE MATERIALIZED VIEW sessions AS SELECT * FROM live');
    await client.query(`CREATE TABLE products (id bigint, slug text GENERATED ALWAYS AS (lower(label)) STORED,
        label text, name text GENERATED ALWAYS AS (label) STORED, age_rating int, sale_schema int, pushka boolean, paused boolean,
        paused_until timestamptz, image_id bigint, status text) PARTITION BY RANGE (id);
      CREATE TABLE products_few PARTITION OF products FOR VALUES FROM (0) TO (100);
      INSERT INTO products VALUES (14, DEFAULT, 'Hamlet', DEFAULT, 12, 2, false, true, '2026-05-01 09:00+00', 13, 'published');
      CREATE TABLE all_tags (id int, slug text, name text, sort_weight int); CREATE TABLE tags () INHERITS (all_tags);
      INSERT INTO tags VALUES (19, 'classics', 'Classics', 0)`);
    expect(await findingsOf(overlay.url)).toEqual([]);
    expect(await foundByLoad()).toEqual([]);
  });

  test('ids that one table has room for and another has not', async () => {
    await overlay.replace('products', { id: 't.id + 3000000000' });
    await overlay.replace('front_products', { product_id: 't.product_id + 3000000000' });
    // No session is the product's, so its sessions are counted: by an id that no integer column
    // holds.
    const lines = (await foundByLoad()).map(findingLine);
    expect(lines).toContain(
      'error dangling-id sessions 15: product_id: expected the id of a row of products, found 14',
    );
  });
});

describe('refused by the type', () => {
  test.each(
    sample<[column: string, sql: string, found: string, expected: string]>(
      [
        [
          'sessions.starts_at',
          "timestamp '2026-05-05 16:00'",
          'timestamp without time zone',
          'timestamp with time zone or text',
        ],
        ['sessions.starts_at', "date '2026-05-05'", 'date', 'timestamp with time zone or text'],
        ['sessions.starts_at', '1777996800', 'integer', 'timestamp with time zone or text'],
        ['sessions.starts_at', '1777996800.25::numeric', 'numeric', 'timestamp with time zone or text'],
        ['sessions.starts_at', "'2026-05-05 16:00:00+00'::odd", 'odd', 'timestamp with time zone or text'],
        [
          'sessions.starts_local',
          "timestamptz '2026-05-05 16:00+00'",
          'timestamp with time zone',
          'timestamp without time zone or text',
        ],
        ['sessions.starts_local', "'2026-05-05 19:00:00'::odd", 'odd', 'timestamp without time zone or text'],
        ['sessions.available', '40::real', 'real', 'smallint, integer, bigint or numeric'],
        ['sessions.available', "'40'", 'text', 'smallint, integer, bigint or numeric'],
        ['sessions.available', 'true', 'boolean', 'smallint, integer, bigint or numeric'],
        ['sessions.paused', '0::float8', 'double precision', 'boolean, smallint, integer or bigint'],
        ['sessions.paused', "'no'", 'text', 'boolean, smallint, integer or bigint'],
        ['price_tiers.amount_minor', '19.99::real', 'real', 'smallint, integer, bigint or numeric'],
        ['price_tiers.amount_minor', "'19.99'::money", 'money', 'smallint, integer, bigint or numeric'],
        ['price_tiers.amount_minor', "'19.99'", 'text', 'smallint, integer, bigint or numeric'],
        ['products.id', 't.id::float8', 'double precision', 'smallint, integer, bigint or numeric'],
        ['products.name', '17', 'integer', 'text or character varying'],
        ['products.name', "'x'::bytea", 'bytea', 'text or character varying'],
        ['products.name', '\'"x"\'::json', 'json', 'text or character varying'],
        ['products.status', "'published'::odd", 'odd', 'text or character varying'],
        ['venues.city', 'ARRAY[t.city]', 'character varying[]', 'text or character varying'],
        ['venues.name', "'x'::name", 'name', 'text or character varying'],
      ],
      3,
    ),
  )('%s as %s', async (column, sql, type, expected) => {
    const [table, name] = partsOf(column);
    // A type whose name says nothing, and that text can be made of.
    await overlay.client
      .query(`CREATE TYPE odd; CREATE FUNCTION odd_in(cstring) RETURNS odd AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
      CREATE FUNCTION odd_out(odd) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
      CREATE TYPE odd (INPUT = odd_in, OUTPUT = odd_out, LIKE = text)`);
    await overlay.replace(table, { [name]: sql });
    const [finding] = await findingsOf(overlay.url);
    expect(findingLine(finding ?? fail())).toBe(
      `error column-type-wrong ${column}: expected ${column} to be ${expected}, found ${type}`,
    );
  });

  test.each([
    ['venues', { id: 't.id::text' }, 'text, character varying or uuid, like venues.id', 'venue_id::text'],
    ['sessions', { venue_id: 'gen_random_uuid()' }, NUMBERS_LIKE_VENUES, 'venue_id::numeric::bigint'],
  ] as const)('ids of one type that rows refer to as another, by %s', async (table, columns, expected, hint) => {
    await overlay.replace(table, columns);
    const [finding] = await findingsOf(overlay.url);
    const found = table === 'venues' ? 'integer' : 'uuid';
    expect(findingLine(finding ?? fail())).toBe(
      `error column-type-wrong sessions.venue_id: expected sessions.venue_id to be ${expected}, found ${found}`,
    );
    expect(finding?.hint).toContain(hint);
  });

  test('a type of somebody’s that is only called like one of the server’s is not taken for it', async () => {
    await overlay.client.query(`CREATE TYPE timestamptz AS (x int)`);
    await overlay.replace('sessions', { ends_at: 'NULL::timestamptz' });
    await overlay.client.query('DROP VIEW sessions');
    const [{ name } = { name: '' }] = await overlay.client.query('SELECT current_schema() AS name');
    await overlay.replace('sessions', { ends_at: `NULL::${String(name)}.timestamptz` });
    expect((await findingsOf(overlay.url)).map(({ code, place }) => [code, place])).toEqual([
      ['column-type-wrong', 'sessions.ends_at'],
    ]);
  });
});

function fail(message = 'expected a finding, found none'): never {
  throw new Error(message);
}

describe('values of a type that is taken', () => {
  const INSTANT = 'expected an instant as YYYY-MM-DDTHH:MM:SSZ, UTC';
  const WALL_TIME = 'expected a wall time as YYYY-MM-DDTHH:MM:SS';

  test.each(
    sample<[column: string, sql: string, message: string]>(
      [
        ['sessions.starts_at', "timestamptz 'infinity'", `${INSTANT}, or NULL, found "infinity"`],
        [
          'sessions.starts_at',
          "timestamptz '10000-01-01 00:00+00'",
          `${INSTANT}, or NULL, found "10000-01-01T00:00:00Z"`,
        ],
        [
          'products.paused_until',
          "timestamptz '0044-03-15 12:00+00 BC'",
          `${INSTANT}, or NULL, found "0044-03-15T12:00:00Z BC"`,
        ],
        ['sessions.starts_local', "timestamp '-infinity'", `${WALL_TIME}, or NULL, found "-infinity"`],
        [
          'sessions.available',
          '9007199254740992',
          'expected an integer, or NULL, found 9007199254740992, which is beyond -9007199254740991 to 9007199254740991',
        ],
        [
          'sessions.available',
          '1.00000000000000000001',
          'expected an integer, or NULL, found "1.00000000000000000001"',
        ],
        ['sessions.available', '1.5', 'expected an integer, or NULL, found 1.5'],
        ['sessions.paused', '2', 'expected 0 or 1, found 2'],
        ['price_tiers.amount_minor', '19.99', 'expected an integer from 0 to 99999999999999, found 19.99'],
        ['price_tiers.amount_minor', '-1::bigint', 'expected an integer from 0 to 99999999999999, found -1'],
        [
          'products.slug',
          "'Ham let'::char(20)",
          'expected a slug, 1 to 200 of A-Z, a-z, 0-9, ., _, ~, - and %XX, found "Ham let"',
        ],
      ],
      3,
    ),
  )('%s as %s', async (column, sql, message) => {
    const [table, name] = partsOf(column);
    await overlay.replace(table, { [name]: sql });
    const found = (await findingsOf(overlay.url)).filter(({ code }) => code === 'value-invalid');
    expect(found.map((one) => [one.column, one.message])).toEqual([[name, `${name}: ${message}`]]);
    expect((await foundByLoad()).filter(({ code }) => code === 'value-invalid')).toEqual(found);
  });

  test.each(['NaN', 'Infinity', '-Infinity', '1e30', '-9007199254740993'])('%s as an id or a sum', async (number) => {
    for (const column of [
      'sessions.available',
      'sessions.product_id',
      'price_tiers.amount_minor',
      'front_products.sort_weight',
    ]) {
      const [table, name] = partsOf(column);
      await overlay.replace(table, { [name]: `'${number}'::numeric` });
      const found = (await findingsOf(overlay.url)).filter(({ code }) => code === 'value-invalid');
      expect(
        found.map((one) => one.column),
        column,
      ).toEqual([name]);
      expect(found[0]?.message.length).toBeLessThan(200);
      expect(
        (await foundByLoad()).some((one) => one.severity === 'error' && one.place.startsWith(`${table} `)),
        column,
      ).toBe(true);
      await overlay.clear();
    }
  });

  test('a number of a hundred thousand digits is not printed whole', async () => {
    await overlay.replace('sessions', { available: "repeat('9', 100000)::numeric" });
    const [finding] = await findingsOf(overlay.url);
    expect(finding?.message).toMatch(
      /^available: expected an integer, or NULL, found 9{77}…, which is beyond -9007199254740991 to 9007199254740991$/,
    );
  });

  const timed = TABLE_NAMES.filter((table) => timesOf(table).length > 0);

  test.each(timed)('%s: an infinite instant is an open end where NULL is one', async (table) => {
    const times = timesOf(table);
    for (const infinite of ['infinity', '-infinity']) {
      await overlay.replace(table, Object.fromEntries(times.map(([name]) => [name, `timestamptz '${infinite}'`])));
      const found = (await findingsOf(overlay.url)).map((one) => [one.code, one.column]);
      const refused = times.filter(([, openEnd]) => openEnd !== infinite);
      expect(found, infinite).toEqual(refused.map(([name]) => ['value-invalid', name]));
      await overlay.clear();
    }
  });
});

/** The columns of a table that hold instants, each with the infinite one that it takes. */
function timesOf(table: TableName): [name: string, openEnd: string | undefined][] {
  const columns = Object.entries<Column<unknown>>(TABLES[table]);
  return columns.flatMap(([name, { time, openEnd }]) => (time === 'instant' ? [[name, openEnd]] : []));
}
