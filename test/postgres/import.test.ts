// Rows into PostgreSQL, as into SQLite (test/unit/database-import.test.ts): all of them or none,
// each refusal with its line; into tables that are made, that are there, and that have types of
// their own. What takes two connections at once is in writers.test.ts.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importRows, type ImportResult } from '../../src/database/write/import-rows.ts';
import type { ImportSource } from '../../src/database/write/input-rows.ts';
import { mirrorRows, type MirrorOptions, type MirrorResult } from '../../src/database/write/mirror-rows.ts';
import { mayIdBeText, TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { AppError } from '../../src/errors.ts';
import { goodCatalogue, GOOD_ROWS } from '../support/database-rows.ts';
import { createShape, type Shape } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { IS_THOROUGH } from '../speeds.ts';
import { richCatalogue } from '../support/fault/rich-catalogue.ts';
import { exported } from '../support/random-mirrors.ts';
import { withTextIds } from '../support/text-ids.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

function file(text: string, name = 'rows.ndjson'): ImportSource {
  return {
    name,
    open: async function* () {
      yield Buffer.from(text);
    },
  };
}

const line = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;
const venue = (id: number, more: object = {}): string =>
  line('venues', { id, name: 'Main stage', timezone: 'Europe/Berlin', ...more });
const tag = (id: number, slug: string): string => line('tags', { id, slug, name: 'T' });

/** Every good row, children before parents. */
const allLines = TABLE_NAMES.toReversed().map((table) => line(table, GOOD_ROWS[table]));
const FEED = allLines.join('');
const without = (...tables: TableName[]): string =>
  allLines.filter((one) => !tables.some((name) => one.includes(`"table":"${name}"`))).join('');

const folder = temporaryFolderOfFile();
/** The good rows as SQLite exports them. */
let good = '';
beforeAll(async () => {
  const path = join(folder, 'good.sqlite');
  goodCatalogue(path, false).close();
  good = await exported(path);
});

/** One that no test changes: what is refused leaves it as it is. */
let unchanged: OwnSchema;
beforeAll(async () => {
  unchanged = await goodSchema();
});
afterAll(() => unchanged.drop());

async function goodSchema(shape: Shape = 'contract'): Promise<OwnSchema> {
  const schema = await newSchema();
  await createShape(schema, shape);
  await imported(schema, FEED);
  return schema;
}

function imported(schema: OwnSchema, text: string, isReplacing = false): Promise<ImportResult> {
  return importRows([file(text)], { databasePath: schema.url, isReplacing });
}

function mirrored(schema: OwnSchema, text: string, options: Partial<MirrorOptions> = {}): Promise<MirrorResult> {
  return mirrorRows([file(text)], { databasePath: schema.url, maxShrink: 0.5, allowShrink: true, ...options });
}

/** The error of what is refused and leaves all rows as they were. */
async function refusal(schema: OwnSchema, work: () => Promise<unknown>): Promise<AppError> {
  const before = await exported(schema.url);
  const thrown = await work().then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error(`expected an AppError, got ${String(thrown)}`);
  expect(await exported(schema.url)).toBe(before);
  return thrown;
}

const messagesOf = ({ message, details }: AppError): readonly string[] => [message, ...details];

describe('a schema without tables', () => {
  test('gets them, with rows in any order', async () => {
    await using schema = await newSchema();
    expect(await imported(schema, FEED)).toEqual({
      rows: Object.fromEntries(TABLE_NAMES.map((table) => [table, 1])),
      isNew: true,
      leftBehind: null,
    });
    expect(await exported(schema.url)).toBe(good);
    expect((await imported(schema, venue(99))).isNew).toBe(false);
  });

  test('gets them from a mirror, too', async () => {
    await using schema = await newSchema();
    expect(await mirrored(schema, FEED)).toMatchObject({ isNew: true, keysLeftAlone: 0 });
    expect(await exported(schema.url)).toBe(good);
  });

  test.each([
    ['a row is refused', venue(1) + venue(1), 'rows.ndjson:2: expected a new key, found venues 1 '],
    ['an id dangles', allLines.slice(1, 5).join(''), 'expected the id of a row of '],
    ['a line is none', `${venue(1)}{}\n`, 'rows.ndjson:2: expected an object'],
  ])('has none where %s', async (_case, text, message) => {
    await using schema = await newSchema();
    await expect(imported(schema, text)).rejects.toThrow(message);
    const query = 'SELECT count(*)::int AS total FROM pg_class WHERE relnamespace = current_schema()::regnamespace';
    expect(await schema.client.query(query)).toEqual([{ total: 0 }]);
  });

  test('and some of them: the contract says which are missing', async () => {
    await using schema = await newSchema();
    await schema.client.query('CREATE TABLE venues (id bigint)');
    await expect(imported(schema, '')).rejects.toMatchObject({ code: 'contract-table-missing' });
  });

  test('that is not there is asked for', async () => {
    await using schema = await newSchema();
    const databasePath = schema.url.replace(schema.name, 'no_such_schema');
    await expect(importRows([], { databasePath, isReplacing: false })).rejects.toMatchObject({
      code: 'database-not-writable',
      hint: expect.stringContaining('CREATE SCHEMA') as string,
    });
  });
});

describe('an existing catalogue', () => {
  test('takes more rows, in batches, which may refer to those that are there', async () => {
    await using schema = await goodSchema();
    const tags = Array.from({ length: 1203 }, (_, i) => tag(1000 + i, `t${i}`));
    const links = tags.map((_, i) => line('product_tags', { product_id: 14, tag_id: 1000 + i }));
    expect(await imported(schema, links.join('') + tags.join(''))).toEqual({
      rows: { tags: 1203, product_tags: 1203 },
      isNew: false,
      leftBehind: null,
    });
    expect((await exported(schema.url)).split('\n').length).toBe(good.split('\n').length + 2406);
  });

  test.each([
    ['a key that is there', venue(12), 'expected a new key, found venues 12 in the database', '--replace'],
    [
      'a key of two columns that is there',
      line('product_tags', { product_id: 14, tag_id: 19 }),
      'expected a new key, found product_tags 14,19 ',
      '--replace',
    ],
    [
      'a slug that another row has',
      tag(99, 'classics'),
      'expected values that no other row of tags has, found: duplicate key value violates unique constraint "tags_slug_key": Key (slug)=(classics) already exists',
      'another value',
    ],
    ['what a CHECK refuses', venue(99, { timezone: '' }), 'violates check constraint', 'data/schema-postgres.sql'],
    [
      'a pause with an end and no beginning',
      line('products', { ...GOOD_ROWS.products, id: 99, slug: 'x', paused: 0 }),
      'violates check constraint',
      'data/schema-postgres.sql',
    ],
    [
      'NUL in a text',
      venue(99, { name: 'a\0b' }),
      'expected text in characters of the database\'s encoding, found: invalid byte sequence for encoding "UTF8": 0x00',
      String.raw`leave the character out: no text of PostgreSQL has \u0000`,
    ],
  ])('refuses %s, naming the line', async (_case, text, message, hint) => {
    const schema = unchanged;
    const many = Array.from({ length: 30 }, (_, i) => venue(500 + i));
    const error = await refusal(schema, () => imported(schema, `${many.join('')}\n${text}${venue(700)}`));
    expect(error.code).toBe('import-row-refused');
    expect(messagesOf(error)).toEqual([expect.stringMatching(/^rows\.ndjson:32: /)]);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test('reports several refusals in the order of their lines, and reads no further than ten', async () => {
    const schema = unchanged;
    const text = venue(1) + venue(1) + '{}\n' + venue(2) + tag(1, 'classics') + venue(2) + tag(2, 'x');
    expect(messagesOf(await refusal(schema, () => imported(schema, text)))).toEqual([
      expect.stringMatching(/^rows\.ndjson:2: expected a new key, found venues 1 /),
      expect.stringMatching(/^rows\.ndjson:3: expected an object /),
      expect.stringMatching(/^rows\.ndjson:5: expected values that no other row of tags has/),
      expect.stringMatching(/^rows\.ndjson:6: expected a new key, found venues 2 /),
    ]);
    const { details } = await refusal(schema, () => imported(schema, venue(12).repeat(50)));
    expect(details.length).toBe(10);
    expect(details[8]).toMatch(/^rows\.ndjson:10: /);
    expect(details.at(-1)).toBe('the rest was not read');
  });

  test('refuses ids that dangle at the end, by row and column', async () => {
    const schema = unchanged;
    const text =
      line('product_tags', { product_id: 77, tag_id: 19 }) +
      line('front_keys', { keyid: 'k', front_id: 78, alg: 'ed25519', public_key: '{}' });
    expect(messagesOf(await refusal(schema, () => imported(schema, text)))).toEqual([
      'front_keys k: front_id: expected the id of a row of fronts, found 78',
      'product_tags 77,19: product_id: expected the id of a row of products, found 77',
    ]);
    const tier =
      line('products', { ...GOOD_ROWS.products, id: 99, slug: 'other' }) +
      line('price_tiers', { ...GOOD_ROWS.price_tiers, id: 98, product_id: 99 });
    expect((await refusal(schema, () => imported(schema, tier))).message).toBe(
      'price_tiers 98: session_id: expected a session of product 99, found session 15 of product 14',
    );
  });

  test.each([
    [
      'a foreign key',
      'CREATE TABLE parents (id int PRIMARY KEY); CREATE TABLE notes (parent int REFERENCES parents DEFERRABLE INITIALLY DEFERRED)',
      'INSERT INTO notes VALUES (5)',
      'a foreign key is violated: insert or update on table "notes" violates',
    ],
    [
      'a trigger',
      '',
      "RAISE EXCEPTION 'no more venues'",
      'rows.ndjson:1: expected a row that the database accepts, found: no more venues',
    ],
  ])("refuses what %s of the operator's own refuses", async (_case, tables, body, message) => {
    await using schema = await goodSchema();
    await schema.client.query(`${tables};
      CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN new; END $$;
      CREATE TRIGGER own BEFORE INSERT ON venues FOR EACH ROW EXECUTE FUNCTION own()`);
    const error = await refusal(schema, () => imported(schema, venue(99)));
    expect(error.code).toBe('import-row-refused');
    expect(error.message).toContain(message);
  });

  test("a column that a row leaves out gets the table's default, whatever the rows beside it give", async () => {
    await using schema = await goodSchema();
    await schema.client.query("ALTER TABLE venues ALTER COLUMN city SET DEFAULT 'Paris'");
    await imported(schema, venue(50, { city: 'Berlin' }) + venue(51) + venue(52, { city: null }));
    expect(await schema.client.query('SELECT city FROM venues WHERE id >= 50 ORDER BY id')).toEqual([
      { city: 'Berlin' },
      { city: 'Paris' },
      { city: null },
    ]);
  });

  test('whose foreign keys cannot wait takes parents first, and says so', async () => {
    await using schema = await goodSchema();
    await schema.client.query(`ALTER TABLE product_tags DROP CONSTRAINT product_tags_tag_id_fkey;
      ALTER TABLE product_tags ADD CONSTRAINT own FOREIGN KEY (tag_id) REFERENCES tags (id) DEFERRABLE`);
    const link = line('product_tags', { product_id: 14, tag_id: 99 });
    await imported(schema, line('product_tags', { product_id: 14, tag_id: 98 }) + tag(98, 'y'));
    await schema.client.query('ALTER TABLE product_tags ALTER CONSTRAINT own NOT DEFERRABLE');
    const error = await refusal(schema, () => imported(schema, link + tag(99, 'x')));
    expect(error.hint).toContain('before this one');
    await imported(schema, tag(99, 'x') + link);
  });

  test.each(['import', 'mirror'])(
    'that is a view takes no rows by %s, also where PostgreSQL could write through it',
    async (how) => {
      await using schema = await goodSchema();
      await schema.client.query(
        'ALTER TABLE venues RENAME TO own_venues; CREATE VIEW venues AS SELECT * FROM own_venues',
      );
      const text = FEED + venue(50);
      const work = () => (how === 'import' ? imported(schema, venue(50)) : mirrored(schema, text));
      const error = await refusal(schema, work);
      expect(error).toMatchObject({
        code: 'import-row-refused',
        hint: expect.stringContaining('views take no rows') as string,
      });
      expect(error.message).toContain(
        `rows.ndjson:${how === 'import' ? 1 : 22}: expected a table "venues" that takes rows, found: cannot modify`,
      );
      // What is the same need not be written.
      await mirrored(schema, FEED);
      expect(
        (
          await refusal(schema, () =>
            mirrored(
              schema,
              without('venues', 'sessions', 'front_session_exclusions', 'front_allocations', 'price_tiers'),
            ),
          )
        ).message,
      ).toContain('venues: expected a table whose rows can be changed and deleted');
    },
  );
});

describe('native types', () => {
  test('take what a line says, and are mirrored without a write where they say the same', async () => {
    await using schema = await goodSchema('native');
    expect(await exported(schema.url)).toBe(good);
    await schema.client.query(
      "UPDATE front_keys SET revoked_at = 'infinity'; CREATE TABLE written (x xid); INSERT INTO written SELECT xmin FROM front_keys",
    );
    const { tables } = await mirrored(schema, FEED);
    for (const changes of Object.values(tables))
      expect(changes).toEqual({ inserted: 0, updated: 0, deleted: 0, unchanged: 1 });
    expect(await schema.client.query('SELECT 1 AS one FROM written, front_keys AS k WHERE x = k.xmin')).toEqual([
      { one: 1 },
    ]);
    const changed = FEED.replace('"sales_end_at":null', '"sales_end_at":"2026-05-05T15:00:00Z"').replace(
      '"paused":1',
      '"paused":1,"pushka":1',
    );
    expect((await mirrored(schema, changed.replace('"pushka":0,', ''))).tables).toMatchObject({
      sessions: { updated: 1 },
      products: { updated: 1 },
    });
    expect(await exported(schema.url)).toContain('"sales_end_at":"2026-05-05T15:00:00Z"');
  });

  test('refuse what they do not hold, with its line', async () => {
    await using schema = await goodSchema('native');
    await schema.client.query(
      'ALTER TABLE venues ALTER COLUMN name TYPE varchar(12); ALTER TABLE tags ADD COLUMN own text; UPDATE tags SET own = slug; ALTER TABLE tags ALTER COLUMN own SET NOT NULL',
    );
    const text = venue(50) + venue(51, { name: 'A stage of some length' }) + tag(9, 'x');
    const error = await refusal(schema, () => imported(schema, text));
    expect(messagesOf(error)).toEqual([
      expect.stringContaining(
        'rows.ndjson:2: expected a row whose values the columns of "venues" hold, found: value too long for type',
      ),
      expect.stringContaining(
        'rows.ndjson:3: expected a table "tags" as in data/schema-postgres.sql, found: null value in column "own"',
      ),
    ]);
  });
});

describe('ids that are text', () => {
  const rows = withTextIds(richCatalogue(['alpha', 'bravo']));
  const feed = rows.map(({ table, row }) => line(table, row)).join('');

  test('are refused by columns of integers, which would take digits for numbers', async () => {
    for (const id of ['A-17', '17']) {
      const text = line('venues', { id, name: 'Main stage', timezone: 'Europe/Berlin' });
      for (const work of [imported, mirrored]) {
        expect(await refusal(unchanged, () => work(unchanged, text))).toMatchObject({
          code: 'import-row-invalid',
          message: `rows.ndjson:1: venues.id: expected an integer, which the column holds, found "${id}"`,
        });
      }
    }
  });

  test.each(['text', 'uuid'])('go into tables with ids as %s, and are mirrored without a write', async (type) => {
    await using schema = await newSchema();
    await createShape(schema, 'native-text');
    const uuidOf = (id: string | number): string =>
      `00000000-0000-4000-8000-${String(id).replace('no. ', '').padStart(12, '0')}`;
    const text =
      type === 'text'
        ? feed
        : withTextIds(rows, uuidOf)
            .map(({ table, row }) => line(table, row))
            .join('');
    if (type === 'uuid') {
      const changes = TABLE_NAMES.flatMap((table) =>
        Object.keys(TABLES[table]).flatMap((name) =>
          mayIdBeText(table, name) ? [`ALTER TABLE ${table} ALTER ${name} TYPE uuid USING NULL;`] : [],
        ),
      );
      await schema.client.query(changes.join('\n'));
    }
    await imported(schema, text);
    const before = await exported(schema.url);
    expect(before).toContain(`{"table":"venues","row":{"id":"${type === 'text' ? 'no. 1001' : uuidOf(1001)}",`);
    await imported(schema, text, true).catch((error: unknown) =>
      expect(error).toMatchObject({ code: 'import-row-refused' }),
    );
    const { tables } = await mirrored(schema, text.replaceAll('"available":5', '"available":6'));
    expect(tables['sessions']).toEqual({ inserted: 0, updated: 12, deleted: 0, unchanged: 0 });
    expect(tables['venues']).toEqual({ inserted: 0, updated: 0, deleted: 0, unchanged: 2 });
    await mirrored(schema, text);
    expect(await exported(schema.url)).toBe(before);
    expect(await refusal(schema, () => imported(schema, venue(7)))).toMatchObject({
      message: 'rows.ndjson:1: venues.id: expected text, which the column holds, found 7',
    });
  });

  test('are uuids, or refused with their line', async () => {
    await using schema = await newSchema();
    await createShape(schema, 'native-text');
    await schema.client.query(
      'ALTER TABLE venues ALTER id TYPE uuid USING NULL; ALTER TABLE sessions ALTER venue_id TYPE uuid USING NULL',
    );
    const text = line('venues', { id: 'A-17', name: 'Main stage', timezone: 'Europe/Berlin' });
    expect(await refusal(schema, () => imported(schema, text))).toMatchObject({
      code: 'import-row-refused',
      message: expect.stringMatching(
        /^rows\.ndjson:1: expected a row whose values the columns of "venues" hold, found: /,
      ),
    });
  });
});

describe('--replace', () => {
  test('puts rows in the place of those with their key, and what refers to them stays', async () => {
    await using schema = await goodSchema();
    const product = { id: 14, slug: 'lear', name: 'King Lear', age_rating: 16, sale_schema: 1 };
    const text = line('products', product) + line('product_tags', { product_id: 14, tag_id: 19 }) + venue(50);
    await imported(schema, text, true);
    const after = await exported(schema.url);
    // Left-out columns have their default again.
    const whole = { ...product, pushka: 0, paused: 0, status: 'published' };
    expect(after).toBe(
      good
        .replace(/.*"table":"products".*\n/, line('products', whole))
        .replace(/.*"table":"venues".*\n/, (first) => first + venue(50)),
    );
    await imported(schema, good, true);
    expect(await exported(schema.url)).toBe(good.replace(/.*"table":"venues".*\n/, (first) => first + venue(50)));
  });

  test('the last of several lines with one key stays', async () => {
    await using schema = await goodSchema();
    await imported(
      schema,
      venue(50, { name: 'first' }) + venue(51) + venue(50, { name: 'last', city: 'Berlin' }),
      true,
    );
    expect(await exported(schema.url)).toContain('{"id":50,"name":"last","timezone":"Europe/Berlin","city":"Berlin"}');
  });

  test('takes no slug of another row, and needs a key', async () => {
    await using schema = await goodSchema();
    expect((await refusal(schema, () => imported(schema, tag(99, 'classics'), true))).message).toContain(
      'tags_slug_key',
    );
    await schema.client.query('ALTER TABLE product_tags DROP CONSTRAINT product_tags_pkey');
    const error = await refusal(schema, () =>
      imported(schema, line('product_tags', { product_id: 14, tag_id: 19 }), true),
    );
    expect(error.hint).toBe('ALTER TABLE product_tags ADD PRIMARY KEY (product_id, tag_id)');
  });
});

describe('--mirror', () => {
  test('columns left out have their default again; what is not in the input goes', async () => {
    await using schema = await goodSchema();
    const product = line('products', { id: 14, slug: 'lear', name: 'King Lear', age_rating: 16, sale_schema: 1 });
    const result = await mirrored(schema, without('products', 'images') + product);
    expect(result.tables).toMatchObject({
      products: { updated: 1 },
      images: { deleted: 1 },
      sessions: { unchanged: 1 },
    });
    const [row] = await schema.client.query('SELECT slug, pushka, paused, image_id FROM products');
    expect(row).toEqual({ slug: 'lear', pushka: 0, paused: 0, image_id: null });
  });

  test('keys that the feed does not know of stay, and so does their front', async () => {
    await using schema = await goodSchema();
    expect((await mirrored(schema, without('front_keys'))).keysLeftAlone).toBe(1);
    const fronts = [
      'fronts',
      'front_products',
      'front_categories',
      'front_groups',
      'front_session_exclusions',
      'front_allocations',
    ] as const;
    const error = await refusal(schema, () => mirrored(schema, without('front_keys', ...fronts)));
    expect(error.message).toBe('front_keys moscow-1: front_id: expected the id of a row of fronts, found 11');
    expect(error.hint).toContain(`psql '${schema.url}' -c "DELETE FROM front_keys`);
  });

  test('a key that is revoked stays so', async () => {
    await using schema = await goodSchema('native');
    await schema.client.query("UPDATE front_keys SET revoked_at = '2026-05-01T09:00:00Z'");
    for (const later of [null, '2026-05-01T09:00:01Z']) {
      const key = line('front_keys', { ...GOOD_ROWS.front_keys, revoked_at: later });
      const error = await refusal(schema, () => mirrored(schema, without('front_keys') + key));
      expect(error.message).toBe(
        'front_keys moscow-1: expected revoked_at to be 2026-05-01T09:00:00Z or earlier, as in the catalogue, found none or a later one',
      );
    }
    await mirrored(
      schema,
      without('front_keys') + line('front_keys', { ...GOOD_ROWS.front_keys, revoked_at: '2026-04-01T00:00:00Z' }),
    );
  });

  test('the input is judged, whatever the search_path says of temporary tables', async () => {
    await using schema = await goodSchema();
    const databasePath = `${schema.url},pg_temp`;
    const mirror = (text: string): Promise<unknown> =>
      mirrorRows([file(text)], { databasePath, maxShrink: 1, allowShrink: true });
    const error = await refusal(schema, () => mirror(without('venues') + venue(1)));
    expect(error.message).toBe('sessions 15: venue_id: expected the id of a row of venues, found 12');
    await mirror(FEED + venue(50));
  });

  test('an input that has broken off is refused', async () => {
    const schema = unchanged;
    const error = await refusal(schema, () => mirrored(schema, '', { allowShrink: false }));
    expect(error.code).toBe('import-shrinks');
    expect(error.hint).toContain(`--mirror --allow max-shrink --db '${schema.url}'`);
    // Not keys, which no feed has; of decorations few may go.
    expect([error.message, ...error.details].map((text) => text.split(':')[0])).toEqual([
      'fronts',
      'venues',
      'products',
      'front_products',
      'sessions',
      'front_session_exclusions',
      'front_allocations',
      'price_tiers',
    ]);
  });

  test('slugs and codes may change places, also with a row that goes; children may move', async () => {
    await using schema = await goodSchema();
    await mirrored(schema, FEED + tag(50, 'a') + tag(51, 'b') + tag(52, 'c'));
    const text = FEED.replace('"id":12,', '"id":99,').replace('"venue_id":12', '"venue_id":99');
    const result = await mirrored(schema, text + tag(50, 'b') + tag(51, 'a') + tag(53, 'c'));
    expect(result.tables).toMatchObject({
      tags: { inserted: 1, updated: 2, deleted: 1, unchanged: 1 },
      venues: { inserted: 1, deleted: 1 },
      sessions: { updated: 1, deleted: 0 },
    });
  });

  /** Three batches, or two. */
  const TOTAL = IS_THOROUGH ? 2100 : 1100;

  test('many changed rows, one of which is refused: the others are not blamed', async () => {
    await using schema = await goodSchema();
    const venues = Array.from({ length: TOTAL }, (_, i) => venue(1000 + i));
    await mirrored(schema, FEED + venues.join(''));
    await schema.client.query(`CREATE TABLE written (id bigint);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES (new.id); RETURN null; END $$;
      CREATE TRIGGER note AFTER UPDATE ON venues FOR EACH ROW EXECUTE FUNCTION note()`);
    const changed = venues.map((one, i) => (i === 777 ? one : one.replace('Main', 'Small')));
    expect((await mirrored(schema, FEED + changed.join(''))).tables['venues']).toEqual({
      inserted: 0,
      updated: TOTAL - 1,
      deleted: 0,
      unchanged: 2,
    });
    expect(await schema.client.query('SELECT count(*)::int AS total FROM written')).toEqual([{ total: TOTAL - 1 }]);
    await schema.client.query("ALTER TABLE venues ADD CHECK (name <> 'Tiny stage')");
    const tiny = venues.map((one, i) => one.replace('Main', i % 1000 === 5 ? 'Tiny' : 'Large'));
    const error = await refusal(schema, () => mirrored(schema, FEED + tiny.join('')));
    expect(messagesOf(error).map((message) => /^rows\.ndjson:\d+/.exec(message)?.[0])).toEqual(
      ['rows.ndjson:27', 'rows.ndjson:1027', 'rows.ndjson:2027'].slice(0, Math.ceil(TOTAL / 1000)),
    );
  });

  test.each([
    ['a row twice', FEED + venue(12), 'rows.ndjson:22: expected a new key, found venues 12 on an earlier line'],
    ['a slug twice', FEED + tag(9, 'classics'), 'rows.ndjson:22: expected values'],
    ['what a CHECK refuses', FEED + venue(99, { timezone: '' }), 'rows.ndjson:22: expected a row that'],
    ['a changed row that one refuses', FEED.replace('"paused":1', '"paused":0'), 'rows.ndjson:17: expected a row'],
    ['an id that dangles', without('venues') + venue(1), 'sessions 15: venue_id: expected the id of a row of venues'],
    ['a line that is not a row', `${FEED}{}\n`, 'rows.ndjson:22: expected an object'],
  ])('refuses %s, and changes nothing', async (_case, text, message) => {
    const schema = unchanged;
    expect((await refusal(schema, () => mirrored(schema, text))).message).toContain(message);
  });

  test("keeps the operator's own columns, and lets the operator's own tables follow", async () => {
    await using schema = await goodSchema();
    await schema.client.query(`ALTER TABLE venues ADD COLUMN theirs text; UPDATE venues SET theirs = 'mine';
      CREATE TABLE notes (venue_id bigint REFERENCES venues (id) ON DELETE CASCADE)`);
    await mirrored(schema, FEED + venue(50) + venue(51));
    await schema.client.query('INSERT INTO notes VALUES (12), (50)');
    await mirrored(schema, FEED.replace('"name":"Main stage"', '"name":"Small stage"') + venue(51));
    expect(await schema.client.query('SELECT id::int, theirs FROM venues ORDER BY id')).toEqual([
      { id: 12, theirs: 'mine' },
      { id: 51, theirs: null },
    ]);
    expect(await schema.client.query('SELECT venue_id::int FROM notes')).toEqual([{ venue_id: 12 }]);
  });

  test.each([
    [
      'refuses a deletion',
      'own()',
      "RAISE EXCEPTION 'tags stay'",
      'tags: expected a table whose rows can be changed and deleted, found: tags stay',
    ],
    [
      'ignores a deletion',
      'own()',
      'RETURN NULL',
      'tags: expected the 0 rows of the input, found 1 when all was written',
    ],
    [
      'refers to a row that goes',
      null,
      '',
      'tags: expected a table whose rows can be changed and deleted, found: update or delete on table "tags" violates',
    ],
    ['refers to it until the end', null, 'DEFERRABLE INITIALLY DEFERRED', 'a foreign key is violated: '],
  ])('refuses where something of the operator %s', async (_case, trigger, body, message) => {
    await using schema = await goodSchema();
    await schema.client.query(
      trigger === null
        ? `CREATE TABLE notes (id bigint REFERENCES tags (id) ${body}); INSERT INTO notes VALUES (19)`
        : `CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$;
           CREATE TRIGGER own BEFORE DELETE ON tags FOR EACH ROW EXECUTE FUNCTION own()`,
    );
    const error = await refusal(schema, () => mirrored(schema, without('tags', 'product_tags')));
    expect(error.code).toBe('import-row-refused');
    expect(error.message).toContain(message);
  });

  test.each(['import', 'mirror'])('broken off, %s leaves what was', async (how) => {
    const schema = unchanged;
    const controller = new AbortController();
    const source: ImportSource = {
      name: 'slow',
      open: async function* () {
        yield Buffer.from(how === 'import' ? tag(50, 'x') + venue(50) : FEED);
        controller.abort();
        yield Buffer.from(venue(51));
      },
    };
    const options = { databasePath: schema.url, signal: controller.signal };
    const run =
      how === 'import'
        ? importRows([source], { ...options, isReplacing: false })
        : mirrorRows([source], { ...options, maxShrink: 1, allowShrink: true });
    await expect(run).rejects.toMatchObject({ code: 'database-unreachable' });
    expect(await exported(schema.url)).toBe(good);
  });
});
