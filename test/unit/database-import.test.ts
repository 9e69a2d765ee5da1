// Import and export: what comes in comes out; all of it or nothing; and a refusal says which line
// to mend.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { importRows, type ImportResult } from '../../src/database/write/import-rows.ts';
import type { ImportSource } from '../../src/database/write/input-rows.ts';
import { mirrorRows, type MirrorOptions, type MirrorResult } from '../../src/database/write/mirror-rows.ts';
import { linesOf } from '../../src/database/write/ndjson-lines.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { TABLE_NAMES, TABLE_RULES, type TableName } from '../../src/database/contract/tables.ts';
import { AppError } from '../../src/errors.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';
import { findingsOf, goodCatalogue, GOOD_ROWS, rowsIn, SCHEMA } from '../support/database-rows.ts';

/** A file of this text (or these bytes), read in pieces of so many bytes. */
function file(content: string | Buffer, pieceLength = 65_536, name = 'rows.ndjson'): ImportSource {
  const bytes = Buffer.from(content);
  return {
    name,
    open: async function* () {
      for (let from = 0; from < bytes.length; from += pieceLength) yield bytes.subarray(from, from + pieceLength);
    },
  };
}

const line = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;
const venue = (id: number, more: object = {}): string =>
  line('venues', { id, name: 'Main stage', timezone: 'Europe/Berlin', ...more });

/** Every good row, children before parents. */
const allLines = TABLE_NAMES.toReversed().map((table) => line(table, GOOD_ROWS[table]));

function imported(path: string, sources: readonly ImportSource[], isReplacing = false): Promise<ImportResult> {
  return importRows(sources, { databasePath: path, isReplacing });
}

async function refusalOf(path: string, sources: readonly ImportSource[], isReplacing = false): Promise<AppError> {
  const thrown = await imported(path, sources, isReplacing).catch((error: unknown) => error);
  if (!(thrown instanceof AppError)) throw new Error(`expected an AppError, got ${String(thrown)}`);
  return thrown;
}

async function exported(path: string, tables: readonly TableName[] = TABLE_NAMES): Promise<string> {
  await using reader = await openCatalogue(path);
  let text = '';
  for await (const piece of exportRows(reader, tables, () => undefined)) text += piece;
  return text;
}

const newPath = (): string => join(temporaryFolder(), 'catalogue.sqlite');

function goodPath(isBare = false): string {
  const path = newPath();
  goodCatalogue(path, isBare).close();
  return path;
}

describe('a new catalogue', () => {
  test('is made with the folders above it, from rows in any order, and is good', async () => {
    const path = join(temporaryFolder(), 'a/b/catalogue.sqlite');
    const result = await imported(path, [file(allLines.join(''))]);
    const rows = Object.fromEntries(TABLE_NAMES.map((table) => [table, 1]));
    expect(result).toEqual({ rows, isNew: true, leftBehind: null });
    expect(readdirSync(join(path, '..'))).toEqual(['catalogue.sqlite']);
    expect(rowsIn(path)).toEqual(rowsIn(goodPath()));
    expect(await findingsOf(path)).toEqual([]);
    const database = new Database(path);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    database.close();
  });

  test.each([
    ['an empty file', ''],
    ['blank lines', '\n  \r\n\n'],
    ['a byte order mark', '\ufeff'],
  ])('is not made of %s, whatever the path has', async (_case, text) => {
    for (const content of [null, '']) {
      const path = newPath();
      if (content !== null) writeFileSync(path, content);
      const names = readdirSync(join(path, '..'));
      const options = { databasePath: path, maxShrink: 1, allowShrink: true };
      const runs = [
        () => imported(path, [file(text), file(text)]),
        () => imported(path, [file(text)], true),
        () => mirrorRows([file(text)], options),
      ];
      for (const run of runs) {
        await expect(run()).rejects.toMatchObject({
          code: 'import-empty',
          message: expect.stringMatching(/^expected rows for a new catalogue in rows\.ndjson/) as string,
          hint: expect.stringContaining('data/schema.sql') as string,
        });
      }
      expect(readdirSync(join(path, '..'))).toEqual(names);
    }
  });

  test('is made of one row, behind empty files', async () => {
    const path = newPath();
    await imported(path, [file(''), file(venue(1)), file('')]);
    expect(rowsIn(path)['venues']).toMatchObject([{ id: 1 }]);
  });

  test('takes the place of an empty file, which one that is refused leaves empty', async () => {
    const path = newPath();
    writeFileSync(path, '');
    await refusalOf(path, [file(venue(1) + venue(1))]);
    const empty = new Database(path);
    expect(empty.prepare('SELECT name FROM sqlite_schema').all()).toEqual([]);
    empty.close();
    expect(await imported(path, [file(venue(2))])).toMatchObject({ isNew: true });
    expect(rowsIn(path)['venues']).toMatchObject([{ id: 2 }]);
    const database = new Database(path);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    database.close();
    expect(readdirSync(join(path, '..'))).toEqual(['catalogue.sqlite']);
  });

  test('in an empty file two imports take turns', async () => {
    const path = newPath();
    writeFileSync(path, '');
    const writer = new Database(path);
    writer.exec('BEGIN IMMEDIATE');
    expect((await refusalOf(path, [file(venue(1))])).code).toBe('database-busy');
    writer.exec(
      `${SCHEMA.replaceAll(/^PRAGMA .*$/gm, '')}; INSERT INTO venues (id, name, timezone) VALUES (1, 'A', 'UTC'); COMMIT`,
    );
    writer.close();
    expect(await imported(path, [file(venue(2))])).toMatchObject({ isNew: false });
    expect(rowsIn(path)['venues']).toHaveLength(2);
  });

  test('is not seen before it is whole', async () => {
    const path = newPath();
    const seen: boolean[] = [];
    const source: ImportSource = {
      name: 'slow',
      open: async function* () {
        yield Buffer.from(venue(1));
        seen.push(readdirSync(join(path, '..')).includes('catalogue.sqlite'));
        yield Buffer.from(venue(2));
      },
    };
    await imported(path, [source]);
    expect(seen).toEqual([false]);
    expect(rowsIn(path)['venues']?.length).toBe(2);
  });

  test('does not overwrite one that was made meanwhile', async () => {
    const path = newPath();
    const source: ImportSource = {
      name: 'slow',
      open: async function* () {
        yield Buffer.from(venue(1));
        await imported(path, [file(venue(7))]);
      },
    };
    expect((await refusalOf(path, [source])).code).toBe('database-exists');
    expect(readdirSync(join(path, '..'))).toEqual(['catalogue.sqlite']);
    expect(rowsIn(path)['venues']).toMatchObject([{ id: 7 }]);
  });

  test('does not inherit the journal of a removed one', async () => {
    const path = goodPath();
    const writer = new Database(path);
    writer.exec("UPDATE venues SET name = 'in the journal'");
    const journal = readFileSync(`${path}-wal`);
    writer.close();
    const next = newPath();
    writeFileSync(`${next}-wal`, journal);
    await imported(next, [file(venue(1))]);
    expect(rowsIn(next)['venues']).toMatchObject([{ id: 1, name: 'Main stage' }]);
  });

  test.each([
    ['a row is refused', [file(venue(1) + venue(1))]],
    ['an id dangles', [file(allLines.slice(1, 5).join(''))]],
    ['a second file is missing', [file(venue(1)), missing()]],
  ])('leaves nothing where %s', async (_case, sources) => {
    const folder = temporaryFolder();
    await refusalOf(join(folder, 'catalogue.sqlite'), sources);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves nothing where the import is broken off', async () => {
    const folder = temporaryFolder();
    const controller = new AbortController();
    const seen: number[] = [];
    const source: ImportSource = {
      name: 'slow',
      open: async function* () {
        yield Buffer.from(venue(1));
        seen.push(readdirSync(folder).length);
        controller.abort();
        // At once: whoever aborts may have no later.
        seen.push(readdirSync(folder).length);
        yield Buffer.from(venue(2));
      },
    };
    const options = { databasePath: join(folder, 'catalogue.sqlite'), isReplacing: false, signal: controller.signal };
    await expect(importRows([source], options)).rejects.toThrow();
    expect(seen).toEqual([1, 0]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function missing(): ImportSource {
  return {
    name: 'gone.ndjson',
    open: () => {
      throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    },
  };
}

describe('an existing catalogue', () => {
  test('stays as it is where the input has no row', async () => {
    const path = goodPath();
    expect(await imported(path, [file('\n')])).toMatchObject({ rows: {}, isNew: false });
    expect(rowsIn(path)).toEqual(rowsIn(goodPath()));
  });

  test('takes more rows, which may refer to those that are there', async () => {
    const path = goodPath();
    const more = line('product_tags', { product_id: 14, tag_id: 99 }) + line('tags', { id: 99, slug: 'x', name: 'X' });
    expect(await imported(path, [file(more)])).toMatchObject({ rows: { tags: 1, product_tags: 1 }, isNew: false });
    expect(rowsIn(path)['tags']).toEqual([GOOD_ROWS.tags, { id: 99, slug: 'x', name: 'X', sort_weight: 0 }]);
  });

  test.each([
    ['a key that is there', venue(12), 'import-row-refused', 'expected a new key, found venues 12 ', '--replace'],
    [
      'a key of two columns that is there',
      line('product_tags', { product_id: 14, tag_id: 19 }),
      'import-row-refused',
      'expected a new key, found product_tags 14,19 ',
      '--replace',
    ],
    [
      'a slug that another row has',
      line('tags', { id: 99, slug: 'classics', name: 'X' }),
      'import-row-refused',
      'expected values that no other row of tags has, found: UNIQUE constraint failed: tags.slug',
      'another value',
    ],
    [
      'what a CHECK refuses',
      venue(99, { timezone: '' }),
      'import-row-refused',
      'expected a row that the database accepts, found: CHECK constraint failed: length(timezone) > 0',
      'data/schema.sql',
    ],
    [
      'a pause with an end and no beginning',
      line('products', { ...GOOD_ROWS.products, id: 99, slug: 'x', paused: 0 }),
      'import-row-refused',
      'CHECK constraint failed',
      'data/schema.sql',
    ],
  ])('refuses %s, naming the line, and stays as it was', async (_case, text, code, message, hint) => {
    const path = goodPath();
    const before = rowsIn(path);
    const error = await refusalOf(path, [file(venue(50)), file(`${venue(51)}\n${text}`, 65_536, 'more.ndjson')]);
    expect(error.code).toBe(code);
    expect(error.message).toContain('more.ndjson:3: ');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
    expect(rowsIn(path)).toEqual(before);
  });

  test('refuses ids that dangle at the end, by row and column', async () => {
    const path = goodPath();
    const before = rowsIn(path);
    const text =
      line('product_tags', { product_id: 77, tag_id: 19 }) +
      line('front_keys', { keyid: 'k', front_id: 78, alg: 'ed25519', public_key: '{}' });
    const error = await refusalOf(path, [file(text)]);
    expect(error.code).toBe('import-row-refused');
    expect([error.message, ...error.details]).toEqual([
      'front_keys k: front_id: expected the id of a row of fronts, found 78',
      'product_tags 77,19: product_id: expected the id of a row of products, found 77',
    ]);
    expect(rowsIn(path)).toEqual(before);
  });

  test("refuses a tier of another product's session", async () => {
    const path = goodPath();
    const products = line('products', { ...GOOD_ROWS.products, id: 99, slug: 'other' });
    const tier = line('price_tiers', { ...GOOD_ROWS.price_tiers, id: 98, product_id: 99 });
    expect((await refusalOf(path, [file(products + tier)])).message).toBe(
      'price_tiers 98: session_id: expected a session of product 99, found session 15 of product 14',
    );
  });

  test('shows the first few of many dangling ids', async () => {
    const text = Array.from({ length: 9 }, (_, i) => line('product_tags', { product_id: i + 100, tag_id: 19 }));
    const { details } = await refusalOf(goodPath(), [file(text.join(''))]);
    expect(details.length).toBe(5);
    expect(details.at(-1)).toBe('and others');
  });

  test("reports violated foreign keys between the operator's own tables", async () => {
    const path = goodPath();
    const database = new Database(path);
    database.exec(`CREATE TABLE their_parents (id INTEGER PRIMARY KEY);
      CREATE TABLE their_notes (venue_id INTEGER, parent_id INTEGER REFERENCES their_parents DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER note AFTER INSERT ON venues BEGIN INSERT INTO their_notes VALUES (new.id, 5); END`);
    database.close();
    expect((await refusalOf(path, [file(venue(99))])).message).toMatch(/foreign key is violated: .*their_notes/);
  });

  test('is not imported into row by row after a trigger has rolled back', async () => {
    const path = goodPath();
    const database = new Database(path);
    database.exec("CREATE TRIGGER stop BEFORE INSERT ON tags BEGIN SELECT RAISE(ROLLBACK, 'no more tags'); END");
    database.close();
    const before = rowsIn(path);
    const text = venue(50) + line('tags', { id: 99, slug: 'x', name: 'X' }) + venue(51);
    expect((await refusalOf(path, [file(text)])).message).toContain('rows.ndjson:2: ');
    expect(rowsIn(path)).toEqual(before);
  });

  test.each([
    ['text', 'no database', 'database-unreadable'],
    ['another SQLite database', null, 'contract-table-missing'],
  ])('is not %s', async (_case, content, code) => {
    const path = newPath();
    if (content === null) new Database(path).exec('CREATE TABLE theirs (id)').close();
    else writeFileSync(path, content.repeat(100));
    const before = readFileSync(path);
    expect((await refusalOf(path, [file(venue(1))])).code).toBe(code);
    expect(readFileSync(path)).toEqual(before);
  });

  test('is a file, in a place where one can be', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'file'), '');
    expect((await refusalOf(join(folder, 'folder'), [])).code).toBe('database-unreadable');
    expect((await refusalOf(join(folder, 'file/catalogue.sqlite'), [])).code).toBe('database-not-writable');
  });

  test('takes sessions with a wall time alone, and refuses those without a start', async () => {
    const path = goodPath();
    const session = (id: number, start: object): string =>
      line('sessions', { id, product_id: 14, venue_id: 12, ...start });
    const local = { starts_local: '2026-06-01T19:00:00' };
    await imported(path, [file(session(50, local) + session(51, { starts_at: null, ...local }))]);
    expect(rowsIn(path)['sessions']?.slice(1)).toMatchObject([50, 51].map((id) => ({ id, starts_at: null, ...local })));
    const error = await refusalOf(path, [file(session(52, { starts_local: null }))]);
    expect(error).toMatchObject({ code: 'import-row-refused', hint: expect.stringContaining('CHECKs of "sessions"') });
    expect(error.message).toContain('starts_at IS NOT NULL OR starts_local IS NOT NULL');
  });

  test('whose table still demands starts_at takes its rows, and says how to lose that', async () => {
    const path = newPath();
    const older = SCHEMA.replace('starts_at TEXT CHECK', 'starts_at TEXT NOT NULL CHECK');
    expect(older).not.toBe(SCHEMA);
    new Database(path).exec(older).close();
    await imported(path, [file(allLines.join(''))]);
    expect(await findingsOf(path)).toEqual([]);
    const row = { id: 50, product_id: 14, venue_id: 12, starts_local: '2026-06-01T19:00:00' };
    const error = await refusalOf(path, [file(line('sessions', row))]);
    expect(error).toMatchObject({
      code: 'import-row-refused',
      hint: expect.stringContaining(' | playbill import - --db NEW.sqlite'),
    });
    const copy = newPath();
    await imported(copy, [file(await exported(path)), file(line('sessions', row))]);
    expect(rowsIn(copy)['sessions']).toHaveLength(2);
  });

  test('that is a view takes no rows', async () => {
    const path = goodPath();
    const database = new Database(path);
    database.exec(
      'PRAGMA foreign_keys = OFF; ALTER TABLE tags RENAME TO their_tags; CREATE VIEW tags AS SELECT * FROM their_tags',
    );
    database.close();
    const error = await refusalOf(path, [file(venue(50) + line('tags', { id: 9, slug: 'x', name: 'X' }))]);
    expect(error).toMatchObject({ code: 'import-row-refused', hint: expect.stringContaining('view') });
    expect(error.message).toContain('rows.ndjson:2: ');
  });
});

describe('--replace', () => {
  test('puts rows in the place of those with their key, and what refers to them stays', async () => {
    const path = goodPath();
    const text =
      line('products', { id: 14, slug: 'lear', name: 'King Lear', age_rating: 16, sale_schema: 1 }) +
      line('fronts', { id: 11, code: 'kazan', name: 'Kazan', timezone: 'Europe/Moscow', currency: 'RUB' }) +
      line('product_tags', { product_id: 14, tag_id: 19 }) +
      venue(50);
    await imported(path, [file(text)], true);
    const rows = rowsIn(path);
    // Left-out columns have their default again.
    expect(rows['products']).toEqual([
      {
        id: 14,
        slug: 'lear',
        name: 'King Lear',
        age_rating: 16,
        sale_schema: 1,
        pushka: 0,
        paused: 0,
        paused_until: null,
        image_id: null,
        status: 'published',
      },
    ]);
    expect(rows['venues']?.length).toBe(2);
    for (const table of ['sessions', 'price_tiers', 'front_products', 'product_tags', 'front_keys'] as const) {
      expect(rows[table], table).toEqual([GOOD_ROWS[table]]);
    }
  });

  test('an export goes back in as it came out', async () => {
    const path = goodPath();
    const before = rowsIn(path);
    const text = await exported(path);
    new Database(path).exec("UPDATE sessions SET available = 0, ends_at = NULL; UPDATE venues SET city = 'x'").close();
    await imported(path, [file(text)], true);
    expect(rowsIn(path)).toEqual(before);
  });

  test('does not let children dangle', async () => {
    const path = goodPath();
    const products = line('products', { ...GOOD_ROWS.products, id: 99, slug: 'other' });
    const moved = line('sessions', { ...GOOD_ROWS.sessions, product_id: 99 });
    expect((await refusalOf(path, [file(products + moved)], true)).code).toBe('import-row-refused');
    const tier = line('price_tiers', { ...GOOD_ROWS.price_tiers, product_id: 99 });
    await imported(path, [file(products + moved + tier)], true);
    expect(rowsIn(path)['price_tiers']).toMatchObject([{ id: 16, product_id: 99 }]);
  });

  test('does not take the slug of another row', async () => {
    const text = line('tags', { id: 99, slug: 'classics', name: 'X' });
    expect((await refusalOf(goodPath(), [file(text)], true)).message).toContain('tags.slug');
  });
});

describe('--mirror', () => {
  const FEED = allLines.join('');
  const without = (table: TableName, ...others: TableName[]): string =>
    allLines.filter((one) => ![table, ...others].some((name) => one.includes(`"table":"${name}"`))).join('');

  function mirrored(path: string, text: string, options: Partial<MirrorOptions> = {}): Promise<MirrorResult> {
    return mirrorRows([file(text)], { databasePath: path, maxShrink: 0.5, allowShrink: false, ...options });
  }

  async function mirrorRefusal(path: string, text: string, options: Partial<MirrorOptions> = {}): Promise<AppError> {
    const before = rowsIn(path);
    const thrown = await mirrored(path, text, options).catch((error: unknown) => error);
    if (!(thrown instanceof AppError)) throw new Error(`expected an AppError, got ${String(thrown)}`);
    expect(rowsIn(path)).toEqual(before);
    return thrown;
  }

  function changed(path: string, sql: string): string {
    const database = new Database(path);
    database.pragma('foreign_keys = ON');
    database.exec(sql).close();
    return path;
  }

  const allow = { allowShrink: true };
  const inserted = { inserted: 1, updated: 0, deleted: 0, unchanged: 0 };
  const unchanged = { inserted: 0, updated: 0, deleted: 0, unchanged: 1 };

  test.each([
    ['new', newPath],
    ['empty', () => changed(newPath(), SCHEMA)],
  ])('a %s catalogue gets every row', async (kind, pathOf) => {
    const path = pathOf();
    const tables = Object.fromEntries(TABLE_NAMES.map((table) => [table, inserted]));
    const expected = { tables, keysLeftAlone: 0, guards: [], isNew: kind === 'new', leftBehind: null };
    expect(await mirrored(path, FEED)).toEqual(expected);
    expect(rowsIn(path)).toEqual(rowsIn(goodPath()));
  });

  test('the same rows again change no byte of the database', async () => {
    const path = goodPath();
    changed(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const before = readFileSync(path);
    const tables = Object.fromEntries(TABLE_NAMES.map((table) => [table, unchanged]));
    expect(await mirrored(path, FEED)).toMatchObject({ tables, keysLeftAlone: 0, isNew: false });
    expect(readFileSync(path)).toEqual(before);
  });

  test('columns left out have their default again', async () => {
    const path = goodPath();
    const product = line('products', { id: 14, slug: 'lear', name: 'King Lear', age_rating: 16, sale_schema: 1 });
    const result = await mirrored(path, without('products', 'images') + product, allow);
    expect(result.tables).toMatchObject({ products: { updated: 1 }, images: { deleted: 1 }, sessions: unchanged });
    expect(rowsIn(path)['products']).toMatchObject([{ slug: 'lear', pushka: 0, paused: 0, image_id: null }]);
    expect(rowsIn(path)['images'] ?? []).toEqual([]);
  });

  test('keys that the feed does not know of stay, and so does their front', async () => {
    const path = goodPath();
    const result = await mirrored(path, without('front_keys'));
    expect(result.keysLeftAlone).toBe(1);
    expect(Object.keys(result.tables)).not.toContain('front_keys');
    expect(rowsIn(path)).toEqual(rowsIn(goodPath()));

    const fronts = [
      'fronts',
      'front_products',
      'front_categories',
      'front_groups',
      'front_session_exclusions',
      'front_allocations',
    ] as const;
    const error = await mirrorRefusal(path, without('front_keys', ...fronts), allow);
    expect(error).toMatchObject({
      code: 'import-row-refused',
      hint: expect.stringContaining('DELETE FROM front_keys'),
    });
    expect(error.message).toBe('front_keys moscow-1: front_id: expected the id of a row of fronts, found 11');
    await mirrored(
      changed(path, 'DELETE FROM front_keys WHERE front_id = 11'),
      without('front_keys', ...fronts),
      allow,
    );
    expect(rowsIn(path)['fronts'] ?? []).toEqual([]);
  });

  test('keys that the feed has are mirrored like other rows', async () => {
    const path = goodPath();
    const key = line('front_keys', { keyid: 'other', front_id: 11, alg: 'hmac-sha256', secret_ref: 'X' });
    const error = await mirrorRefusal(path, without('front_keys') + key);
    expect(error.message).toBe(
      'front_keys: expected at most 50% of the rows to go, found 1 of 1 that are not in the input',
    );
    await mirrored(path, without('front_keys') + key, allow);
    expect(rowsIn(path)['front_keys']).toMatchObject([{ keyid: 'other' }]);
  });

  test('exactly as many rows as --max-shrink allows may go, and not one more; every such table is named', async () => {
    const path = goodPath();
    const venues = Array.from({ length: 9 }, (_, i) => venue(i + 50));
    const keys = Array.from({ length: 9 }, (_, i) =>
      line('front_keys', { keyid: `k${i}`, front_id: 11, alg: 'hmac-sha256', secret_ref: 'X' }),
    );
    const feed = (total: number): string => FEED + venues.slice(0, total).join('') + keys.slice(0, total).join('');
    await mirrored(path, feed(9));
    const error = await mirrorRefusal(path, feed(6), { maxShrink: 0.29 });
    expect(error).toMatchObject({
      code: 'import-shrinks',
      hint: expect.stringContaining('--mirror --allow max-shrink --db'),
    });
    expect([error.message, ...error.details]).toEqual([
      'front_keys: expected at most 29% of the rows to go, found 3 of 10 that are not in the input',
      'venues: expected at most 29% of the rows to go, found 3 of 10 that are not in the input',
    ]);
    // 1 - 0.7 is less than 0.3.
    await mirrored(path, feed(6), { maxShrink: 1 - 0.7 });
  });

  /**
   * A hundred rows of a table, keyed by the number of the row; parents of link rows are among them.
   */
  const rowsOf: Readonly<Partial<Record<TableName, (i: number) => string>>> = {
    images: (i) => line('images', { id: i, url: 'https://img.example/1.jpg' }),
    categories: (i) => line('categories', { id: i, slug: `c${i}`, name_singular: 'C', name_plural: 'C' }),
    front_categories: (i) => line('front_categories', { front_id: 11, category_id: i }),
    product_categories: (i) => line('product_categories', { product_id: 14, category_id: i }),
    groups: (i) => line('groups', { id: i, slug: `g${i}`, name: 'G', card_type: 1 }),
    front_groups: (i) => line('front_groups', { front_id: 11, group_id: i }),
    product_groups: (i) => line('product_groups', { product_id: 14, group_id: i, sort_weight: 1 }),
    tags: (i) => line('tags', { id: i, slug: `t${i}`, name: 'T' }),
    product_tags: (i) => line('product_tags', { product_id: 14, tag_id: i }),
    badges: (i) => line('badges', { id: i, slug: `b${i}`, name: 'B', color: '#FF8800' }),
    product_badges: (i) => line('product_badges', { product_id: 14, badge_id: i }),
    texts: (i) => line('texts', { kind: 'product', id: String(i), locale: 'en', field: 'name', text: 'T' }),
  };
  const decorations = TABLE_NAMES.filter((table) => table in rowsOf);
  const decorated = (totalOf: (table: TableName) => number): string => {
    const lines = decorations.flatMap((table) =>
      Array.from({ length: totalOf(table) }, (_, i) => rowsOf[table]?.(i + 100) ?? ''),
    );
    const core = TABLE_NAMES.filter((table) => !decorations.includes(table)).map((table) =>
      line(table, table === 'products' ? { ...GOOD_ROWS.products, image_id: null } : GOOD_ROWS[table]),
    );
    return [...core, ...lines].join('');
  };

  test('twenty rows of tags, pictures and headings may always go, and twenty-one not beyond the share', async () => {
    const path = newPath();
    await mirrored(
      path,
      decorated(() => 20),
    );
    await mirrored(
      path,
      decorated(() => 0),
    );
    await mirrored(
      path,
      decorated(() => 21),
    );
    const error = await mirrorRefusal(
      path,
      decorated(() => 0),
    );
    expect([error.message, ...error.details].map((message) => message.split(':')[0])).toEqual(decorations);
    await mirrored(
      path,
      decorated(() => 1),
    );
    expect(decorations).toHaveLength(12);
  });

  test.each(TABLE_NAMES.filter((table) => !decorations.includes(table) && table !== 'front_keys'))(
    'a last row of %s goes by --allow max-shrink alone',
    async (table) => {
      // Whatever refers to it goes along.
      const goes = new Set([table]);
      for (const one of [...TABLE_NAMES, ...TABLE_NAMES])
        if (Object.values(TABLE_RULES[one].references).some((parent) => goes.has(parent))) goes.add(one);
      const error = await mirrorRefusal(goodPath(), without(table, ...goes));
      expect(error.code).toBe('import-shrinks');
      expect([error.message, ...error.details].some((message) => message.startsWith(`${table}: `))).toBe(true);
    },
  );

  test('slugs and codes may change places, also with a row that goes', async () => {
    const path = goodPath();
    const tag = (id: number, slug: string): string => line('tags', { id, slug, name: 'T' });
    await mirrored(path, FEED + tag(50, 'a') + tag(51, 'b') + tag(52, 'c'));
    const result = await mirrored(path, FEED + tag(50, 'b') + tag(51, 'a') + tag(53, 'c'));
    expect(result.tables['tags']).toEqual({ inserted: 1, updated: 2, deleted: 1, unchanged: 1 });
    expect(rowsIn(path)['tags']).toMatchObject([
      { id: 19, slug: 'classics' },
      { id: 50, slug: 'b' },
      { id: 51, slug: 'a' },
      { id: 53, slug: 'c' },
    ]);
  });

  test('children that move to another parent survive the one that goes', async () => {
    const path = goodPath();
    const text = FEED.replace('"id":12,', '"id":99,').replace('"venue_id":12', '"venue_id":99');
    const result = await mirrored(path, text, allow);
    expect(result.tables).toMatchObject({ venues: { inserted: 1, deleted: 1 }, sessions: { updated: 1, deleted: 0 } });
    expect(rowsIn(path)['price_tiers']).toEqual([GOOD_ROWS.price_tiers]);
  });

  test.each([
    ['a row twice', FEED + venue(12), 'rows.ndjson:22: expected a new key, found venues 12 on an earlier line', 'once'],
    [
      'a slug twice',
      FEED + line('tags', { id: 9, slug: 'classics', name: 'X' }),
      'rows.ndjson:22: expected values',
      'value',
    ],
    [
      'what a CHECK refuses',
      FEED + venue(99, { timezone: '' }),
      'rows.ndjson:22: expected a row that',
      'CHECKs of "venues"',
    ],
    [
      'a changed row that one refuses',
      FEED.replace('"paused":1', '"paused":0'),
      'rows.ndjson:17: expected a row',
      'CHECKs of "products"',
    ],
    [
      'an id that dangles',
      without('venues') + venue(1),
      'sessions 15: venue_id: expected the id of a row of venues',
      'along',
    ],
    ['a line that is not a row', `${FEED}{}\n`, 'rows.ndjson:22: expected an object', 'one row per line'],
  ])('refuses %s, and changes nothing', async (_case, text, message, hint) => {
    const error = await mirrorRefusal(goodPath(), text, allow);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test("keeps the operator's own columns, and lets the operator's own tables follow", async () => {
    const path = changed(
      goodPath(),
      `ALTER TABLE venues ADD COLUMN theirs TEXT; UPDATE venues SET theirs = 'mine';
       CREATE TABLE notes (venue_id INTEGER REFERENCES venues (id) ON DELETE CASCADE);`,
    );
    await mirrored(path, FEED + venue(50) + venue(51));
    changed(path, 'INSERT INTO notes VALUES (12), (50)');
    await mirrored(path, FEED.replace('"name":"Main stage"', '"name":"Small stage"') + venue(51));
    const database = new Database(path);
    expect(database.prepare('SELECT id, name, theirs FROM venues').raw().all()).toEqual([
      [12, 'Small stage', 'mine'],
      [51, 'Main stage', null],
    ]);
    expect(database.prepare('SELECT venue_id FROM notes').pluck().all()).toEqual([12]);
    database.close();
  });

  test.each([
    [
      'refuses a deletion',
      "CREATE TRIGGER stop BEFORE DELETE ON tags BEGIN SELECT RAISE(ABORT, 'tags stay'); END",
      'tags: expected a table whose rows can be changed and deleted, found: tags stay',
    ],
    [
      'refers to a row that goes',
      'CREATE TABLE notes (id INTEGER REFERENCES tags (id)); INSERT INTO notes VALUES (19)',
      'a foreign key is violated: ',
    ],
    [
      'ignores a deletion',
      'CREATE TRIGGER stop BEFORE DELETE ON tags BEGIN SELECT RAISE(IGNORE); END',
      'tags: expected the 0 rows of the input, found 1 when all was written',
    ],
    [
      'rolls back',
      "CREATE TRIGGER stop BEFORE INSERT ON venues BEGIN SELECT RAISE(ROLLBACK, 'no more venues'); END",
      'rows.ndjson:20: expected a row that the database accepts, found: no more venues',
    ],
  ])('refuses where something of the operator %s', async (_case, sql, message) => {
    const error = await mirrorRefusal(changed(goodPath(), sql), without('tags', 'product_tags') + venue(50), allow);
    expect(error.code).toBe('import-row-refused');
    expect(error.message).toContain(message);
  });

  test('refuses views that differ; empty ones may stay empty', async () => {
    const viewOf = (table: string): string =>
      `ALTER TABLE ${table} RENAME TO their_${table}; CREATE VIEW ${table} AS SELECT * FROM their_${table};`;
    const path = changed(
      goodPath(),
      `PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; ${viewOf('product_tags')}`,
    );
    await mirrored(path, FEED);
    for (const [text, place] of [
      [without('product_tags'), 'product_tags: '],
      [
        FEED + line('product_tags', { product_id: 14, tag_id: 99 }) + line('tags', { id: 99, slug: 'x', name: 'X' }),
        'rows.ndjson:22: ',
      ],
    ] as const) {
      const error = await mirrorRefusal(path, text, allow);
      expect(error).toMatchObject({ code: 'import-row-refused', hint: expect.stringContaining('views take no rows') });
      expect(error.message).toContain(place);
    }
    changed(path, 'DELETE FROM their_product_tags');
    await mirrored(path, without('product_tags'));
  });

  test('broken off, it leaves what was', async () => {
    const path = goodPath();
    const before = rowsIn(path);
    const controller = new AbortController();
    const source: ImportSource = {
      name: 'slow',
      open: async function* () {
        yield Buffer.from(FEED);
        controller.abort();
        yield Buffer.from(venue(2));
      },
    };
    const options = { databasePath: path, maxShrink: 1, allowShrink: true, signal: controller.signal };
    await expect(mirrorRows([source], options)).rejects.toThrow();
    expect(rowsIn(path)).toEqual(before);
  });
});

describe('a line that is not a row', () => {
  test.each([
    ['{"table":"venues"', 'import-line-invalid', 'found text that is not JSON: '],
    ['[]', 'import-line-invalid', 'found []'],
    ['null', 'import-line-invalid', 'found NULL'],
    ['"venues"', 'import-line-invalid', 'found "venues"'],
    ['{}', 'import-line-invalid', 'found no table'],
    ['{"table":1,"row":{}}', 'import-line-invalid', 'found the table 1'],
    ['{"table":"venues"}', 'import-line-invalid', 'found no row'],
    ['{"table":"venues","row":[]}', 'import-line-invalid', 'found the row []'],
    ['{"table":"venues","row":{},"key":1}', 'import-line-invalid', 'found a member "key"'],
    ['{"table":"halls","row":{}}', 'import-row-invalid', 'expected a table of the catalogue, found "halls"'],
    ['{"table":"toString","row":{}}', 'import-row-invalid', 'found "toString"'],
    [venue(1, { hall: 2 }), 'import-row-invalid', 'venues: expected only columns of the table, found "hall"'],
    [
      '{"table":"venues","row":{"__proto__":1,"id":1,"name":"","timezone":"UTC"}}',
      'import-row-invalid',
      'found "__proto__"',
    ],
    [
      venue(1, { name: undefined }),
      'import-row-invalid',
      'venues.name: expected text of at most 65536 characters, found no such member',
    ],
    [
      venue(1, { name: null }),
      'import-row-invalid',
      'venues.name: expected text of at most 65536 characters, found NULL',
    ],
    [
      '{"table":"venues","row":{"id":1152735103331642317,"name":"x","timezone":"UTC"}}',
      'import-row-invalid',
      'venues.id: expected an integer, or text of 1 to 200 characters, found 1152735103331642317, which is beyond -9007199254740991 to 9007199254740991',
    ],
    [venue(1, { name: 5 }), 'import-row-invalid', 'venues.name: expected text of at most 65536 characters, found 5'],
    [
      venue(1, { name: true }),
      'import-row-invalid',
      'venues.name: expected text of at most 65536 characters, found true',
    ],
    [venue(1.5), 'import-row-invalid', 'venues.id: expected an integer, or text of 1 to 200 characters, found 1.5'],
    ...[undefined, null].map((id): [string, string, string] => [
      line('price_tiers', { ...GOOD_ROWS.price_tiers, id }),
      'import-row-invalid',
      `price_tiers.id: expected an integer, found ${id === null ? 'NULL' : 'no such member'}`,
    ]),
    [venue(2 ** 53), 'import-row-invalid', 'found 9007199254740992, which is beyond'],
    [line('tags', { id: 1, slug: 'x', name: 'X', sort_weight: null }), 'import-row-invalid', 'tags.sort_weight: '],
    [
      '{"table":"venues","row":{"id":1,"id":2,"name":"A","timezone":"UTC"}}',
      'import-line-invalid',
      'found the member "id" twice',
    ],
    [
      '{"table":"venues","row":{"id":1,"\\u0069d":2,"name":"A","timezone":"UTC"}}',
      'import-line-invalid',
      'found the member "id" twice',
    ],
    [
      '{"table":"venues","row":{"id":1,"id":1,"name":"A","timezone":"UTC"}}',
      'import-line-invalid',
      'found the member "id" twice',
    ],
    [
      '{"table":"tags","table":"venues","row":{"id":1,"name":"A","timezone":"UTC"}}',
      'import-line-invalid',
      'found the member "table" twice',
    ],
    [
      '{"row":{},"table":"venues","row":{"id":1,"name":"A","timezone":"UTC"}}',
      'import-line-invalid',
      'found the member "row" twice',
    ],
    [
      '{"table":"venues","row":{"__proto__":1,"__proto__":2}}',
      'import-line-invalid',
      'found the member "__proto__" twice',
    ],
    [
      line('sessions', { id: 1, product_id: 14, venue_id: 12, starts_local: '2026-05-01T25:30:00' }),
      'import-row-invalid',
      'sessions.starts_local: expected a wall time as YYYY-MM-DDTHH:MM:SS, or NULL, found "2026-05-01T25:30:00"',
    ],
    [
      line('sessions', { id: 1, product_id: 14, venue_id: 12, starts_at: '2026-05-01T24:00:00Z' }),
      'import-row-invalid',
      'sessions.starts_at: expected an instant as YYYY-MM-DDTHH:MM:SSZ, UTC, or NULL, found "2026-05-01T24:00:00Z"',
    ],
    [
      venue(1, { name: '\ud83c' }),
      'import-row-invalid',
      'venues.name: expected text of whole characters, found "\\ud83c"',
    ],
  ])('%s', async (text, code, message) => {
    const error = await refusalOf(newPath(), [file(`${venue(50).trim()}\r\n\n${text}\n`)]);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^rows\.ndjson:3: expected |^rows\.ndjson:3: \w+(\.\w+)?: expected /);
    expect(error.message).toContain(message);
    expect(error.hint).not.toBe('');
  });

  test('may have its members in any order, and names that are text elsewhere', async () => {
    const path = newPath();
    const text = '{"row":{"timezone":"UTC","name":"\\"id\\":1,\\\\","id":1,"city":"id"},"table":"venues"}';
    await imported(path, [file(text)]);
    expect(rowsIn(path)['venues']).toEqual([{ id: 1, name: '"id":1,\\', timezone: 'UTC', city: 'id' }]);
  });

  test('is reported with everything that is wrong with it, together with other wrong lines', async () => {
    const text = venue(1) + line('venues', { id: 'x', name: null }) + venue(2) + '{}\n' + venue(1);
    const error = await refusalOf(newPath(), [file(text)]);
    expect(error.code).toBe('import-row-invalid');
    expect([error.message, ...error.details]).toEqual([
      'rows.ndjson:2: venues.id: expected an integer, which the column holds, found "x"',
      'rows.ndjson:2: venues.name: expected text of at most 65536 characters, found NULL',
      'rows.ndjson:4: expected an object {"table":…,"row":{…}}, found no table',
      expect.stringMatching(/^rows\.ndjson:5: expected a new key, found venues 1 /),
    ]);
  });

  test('after ten such lines the rest is not read', async () => {
    const { details } = await refusalOf(newPath(), [file('{}\n'.repeat(50))]);
    expect(details.length).toBe(10);
    expect(details.at(-1)).toBe('the rest was not read');
  });

  test('bytes that are no UTF-8 are refused, not replaced', async () => {
    const latin1 = Buffer.concat([Buffer.from(venue(1)), Buffer.from(venue(2, { name: 'Théâtre' }), 'latin1')]);
    const error = await refusalOf(newPath(), [file(latin1)]);
    expect(error).toMatchObject({ code: 'import-line-invalid', hint: expect.stringContaining('iconv') });
    expect(error.message).toBe('rows.ndjson:2: expected UTF-8, found bytes that are not');
  });

  test('a file that cannot be read is named', async () => {
    const error = await refusalOf(newPath(), [missing()]);
    expect(error.code).toBe('import-file-unreadable');
    expect(error.message).toContain('gone.ndjson');
  });
});

describe('lines', () => {
  async function textsOf(bytes: Buffer, pieceLength: number): Promise<[number, string][]> {
    const found: [number, string][] = [];
    for await (const { number, text } of linesOf(file(bytes, pieceLength).open(), 'rows.ndjson', 'x.sqlite'))
      found.push([number, text]);
    return found;
  }

  test('end at LF alone, however the bytes come in pieces', async () => {
    const part = fc.constantFrom('a', 'Ж', '🎭', '\u2028', '\u2029', '\r', '\u0085', '\0', '"');
    const lines = fc.array(fc.string({ unit: part, minLength: 0, maxLength: 6 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (texts, pieceLength, hasMark) => {
        const bytes = Buffer.from((hasMark ? '\ufeff' : '') + texts.join('\n'));
        const expected = texts.flatMap((text, i): [number, string][] => (text.trim() === '' ? [] : [[i + 1, text]]));
        expect(await textsOf(bytes, pieceLength)).toEqual(expected);
      }),
    );
  });

  test('may be long', async () => {
    const path = newPath();
    const name = 'длинное '.repeat(8192);
    await imported(path, [file(venue(1, { name }) + venue(2))]);
    expect(rowsIn(path)['venues']).toMatchObject([{ name }, { id: 2 }]);
    const longer = imported(newPath(), [file(venue(1, { name: `${name}.` }))]);
    await expect(longer).rejects.toMatchObject({ code: 'import-row-invalid' });
  });

  test('of a file from another system: byte order mark, CR LF, blank lines, no LF at the end', async () => {
    const path = newPath();
    const text = `\ufeff${venue(1).trim()}\r\n\r\n  \n${venue(2).trim()}`;
    expect((await imported(path, [file(text, 3)])).rows).toEqual({ venues: 2 });
  });
});

describe('export', () => {
  test.each(['2026-05-01T09:00:00Z', '2026-10-25T00:59:59Z'])(
    'the demo as of %s: what comes out goes in',
    async (now) => {
      const path = catalogueAt(newPath(), demoRows(now));
      const text = await exported(path);
      const copy = newPath();
      const { rows } = await imported(copy, [file(text)]);
      expect(Object.keys(rows)).toEqual(TABLE_NAMES);
      expect(rowsIn(copy)).toEqual(rowsIn(path));
      expect(await exported(copy)).toBe(text);
    },
  );

  test('text passes unchanged', async () => {
    const path = newPath();
    const names = [
      '"quoted"',
      '<b>&amp;</b>',
      'a\u2028b\u2029c',
      'no\u00a0break',
      '🎭',
      'a\0b',
      'tab\tnewline\n',
      '\ufeff',
      '',
    ];
    await imported(path, [file(names.map((name, i) => venue(i + 1, { name })).join(''), 1)]);
    expect(rowsIn(path)['venues']).toMatchObject(names.map((name) => ({ name })));
    const copy = newPath();
    await imported(copy, [file(await exported(path), 7)]);
    expect(rowsIn(copy)).toEqual(rowsIn(path));
  });

  test('is by table and key, with NULL left out and defaults not, and only the columns of the contract', async () => {
    const path = goodPath();
    const database = new Database(path);
    database.exec("ALTER TABLE tags ADD COLUMN their_note TEXT DEFAULT 'private'");
    database.exec("INSERT INTO tags (id, slug, name) VALUES (100, 'b', 'B'), (9, 'c', 'C')");
    database.exec('INSERT INTO front_products (front_id, product_id) SELECT 11, 14 WHERE 0');
    database.close();
    expect(await exported(path, ['tags', 'front_products'])).toBe(
      [
        '{"table":"tags","row":{"id":9,"slug":"c","name":"C","sort_weight":0}}',
        '{"table":"tags","row":{"id":19,"slug":"classics","name":"Classics","sort_weight":0}}',
        '{"table":"tags","row":{"id":100,"slug":"b","name":"B","sort_weight":0}}',
        '{"table":"front_products","row":{"front_id":11,"product_id":14,"featured":0,"banner":0,"paused":0,"sort_weight":5,"visible_until":"2027-01-01T00:00:00Z"}}',
        '',
      ].join('\n'),
    );
  });

  test('sees one state of the catalogue, whatever is written meanwhile', async () => {
    const path = goodPath();
    const before = await exported(path);
    await using reader = await openCatalogue(path);
    let text = '';
    for await (const piece of exportRows(reader, TABLE_NAMES, () => undefined)) {
      if (text === '') {
        const writer = new Database(path);
        writer.exec("UPDATE tags SET name = 'changed'; DELETE FROM products");
        writer.close();
      }
      text += piece;
    }
    expect(text).toBe(before);
  });

  test.each([
    ['an integer that JSON would round', '1152921504606846977', 'found 1152921504606846977'],
    ['a BLOB', "x'00ff'", 'found a BLOB of 2 bytes'],
    ['infinity', '9e999', 'found Infinity'],
  ])('refuses %s', async (_case, value, found) => {
    const path = goodPath(true);
    new Database(path).exec(`UPDATE tags SET sort_weight = ${value}`).close();
    const error = await exported(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'export-value-unprintable', hint: expect.stringContaining('check-db') });
    expect(String(error)).toContain('tags 19: sort_weight: ');
    expect(String(error)).toContain(found);
  });

  test('prints bad rows as they are', async () => {
    const path = goodPath(true);
    new Database(path).exec("UPDATE tags SET sort_weight = 'high', slug = 1.5").close();
    expect(await exported(path, ['tags'])).toBe(
      '{"table":"tags","row":{"id":19,"slug":1.5,"name":"Classics","sort_weight":"high"}}\n',
    );
  });
});
