// The catalogue's tables are said three times: in SQL (data/schema.sql), as column rules
// (src/database/contract/tables.ts), and in prose. Here the first two are held together;
// data/schema-postgres.sql, by test/postgres/schema.test.ts.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import type { IdRange } from '../../src/database/load/groups.ts';
import { childGrouping } from '../../src/database/load/product-queries.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { tablesBounds } from '../../src/database/sqlite/cell-bounds.ts';
import { compiled, groupedQuery } from '../../src/database/sqlite/compile.ts';
import { instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { ENCODINGS, everyColumn, goodCatalogue, GOOD_ROWS, SCHEMA } from '../support/database-rows.ts';

const folder = temporaryFolderOfFile();
const database = goodCatalogue(join(folder, 'good.sqlite'), false);
afterAll(() => database.close());

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly dflt_value: string | null;
  readonly pk: number;
}

function columnsIn(table: string): ColumnInfo[] {
  return database.prepare<[string], ColumnInfo>('SELECT * FROM pragma_table_xinfo(?)').all(table);
}

function indexesIn(table: string, origin: 'pk' | 'u'): string[] {
  return database
    .prepare<[string, string], string>(
      `SELECT (SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno))
       FROM pragma_index_list(?) l WHERE origin = ? ORDER BY 1`,
    )
    .pluck()
    .all(table, origin);
}

function foreignKeysIn(table: string): string[] {
  const rows = database
    .prepare<[string], { id: number; table: string; from: string; to: string }>(
      'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table);
  return rows.map((row) => `${row.from} → ${row.table}.${row.to}`).sort();
}

/** Only a catalogue of views may lack a key. */
const isKey = (table: TableName, column: string): boolean => TABLE_RULES[table].key.includes(column);

/** The defaults of catalogue.md that are not NULL. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'fronts.currency_exponent': '2',
  'fronts.weekend_days': "'67'",
  'fronts.status': "'active'",
  'fronts.day_starts_at': "'00:00'",
  'fronts.min_cards': '0',
  'products.pushka': '0',
  'products.age_rating': '0',
  'products.paused': '0',
  'products.sale_schema': '2',
  'products.status': "'published'",
  'front_products.featured': '0',
  'front_products.banner': '0',
  'front_products.paused': '0',
  'front_products.sort_weight': '0',
  'sessions.status': "'scheduled'",
  'sessions.daily': '0',
  'sessions.paused': '0',
  'price_tiers.name': "''",
  'price_tiers.kind': "'ticket'",
  'price_tiers.is_public': '1',
  'groups.card_type': '1',
  'price_tiers.in_price_from': '1',
  'front_categories.sort_weight': '0',
  'front_groups.sort_weight': '0',
  'tags.sort_weight': '0',
  'badges.sort_weight': '0',
};

describe('the rules of tables.ts are those of data/schema.sql', () => {
  test('the same tables', () => {
    const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").pluck().all();
    expect(names).toEqual(TABLE_NAMES);
  });

  test.each(TABLE_NAMES)('%s: the same columns, in the same order, of the same types', (table) => {
    expect(columnsIn(table).map(({ name, type }) => `${name} ${type}`)).toEqual(
      Object.entries(TABLES[table]).map(([name, { declared }]) => `${name} ${declared}`),
    );
  });

  test.each(TABLE_NAMES)('%s: NULL is let in by the same columns', (table) => {
    // SQLite takes NULL for an INTEGER PRIMARY KEY to mean the next number, and so does not call it
    // NOT NULL.
    const nullable = columnsIn(table).filter(({ notnull, pk }) => notnull === 0 && pk === 0);
    expect(nullable.map(({ name }) => name)).toEqual(
      Object.entries(TABLES[table]).flatMap(([name, { isNullable }]) =>
        isNullable && !isKey(table, name) ? [name] : [],
      ),
    );
  });

  test.each(TABLE_NAMES)('%s: the same columns may be left out, and stand for the same', (table) => {
    const optional = columnsIn(table).filter(
      ({ notnull, pk, dflt_value }) => pk === 0 && (notnull === 0 || dflt_value !== null),
    );
    expect(optional.map(({ name, dflt_value }) => [name, dflt_value ?? 'NULL'])).toEqual(
      Object.entries(TABLES[table]).flatMap(([name, { defaultSql }]) =>
        defaultSql === null || isKey(table, name) ? [] : [[name, defaultSql]],
      ),
    );
  });

  test.each(TABLE_NAMES)('%s: the same primary key and unique columns', (table) => {
    const key = columnsIn(table).filter(({ pk }) => pk > 0);
    expect(key.toSorted((a, b) => a.pk - b.pk).map(({ name }) => name)).toEqual(TABLE_RULES[table].key);
    const unique = [...TABLE_RULES[table].unique];
    // What the composite foreign key of price_tiers refers to; no rule of its own, since the id
    // alone is unique.
    if (table === 'sessions') unique.push('id,product_id');
    expect(indexesIn(table, 'u')).toEqual(unique);
  });

  test.each(TABLE_NAMES)('%s: the same references', (table) => {
    const references = Object.entries(TABLE_RULES[table].references).map(
      ([column, parent]) => `${column} → ${parent}.id`,
    );
    // One key of two columns, besides the product's own.
    if (table === 'price_tiers') references.push('product_id → sessions.product_id');
    expect(foreignKeysIn(table)).toEqual(references.sort());
  });

  test('the defaults are those of the design', () => {
    const defaults = TABLE_NAMES.flatMap((table) =>
      columnsIn(table).flatMap(({ name, dflt_value }) =>
        dflt_value === null ? [] : [[`${table}.${name}`, dflt_value] as const],
      ),
    );
    expect(Object.fromEntries(defaults)).toEqual(DEFAULTS);
  });
});

describe('the CHECKs refuse what the rules refuse', () => {
  test('every column has bad values here', () => {
    const named = everyColumn().filter(([, , bad]) => bad.length > 0);
    expect(named.length).toBe(TABLE_NAMES.reduce((sum, table) => sum + Object.keys(TABLES[table]).length, 0));
  });

  describe.each(ENCODINGS)('in %s', (encoding) => {
    const encoded = goodCatalogue(join(folder, `${encoding}.sqlite`), false, encoding);
    afterAll(() => encoded.close());

    test('good rows are taken', () => {
      expect(encoded.pragma('encoding', { simple: true })).toBe(encoding);
      for (const table of TABLE_NAMES)
        expect(encoded.prepare(`SELECT * FROM ${table}`).all()).toEqual([GOOD_ROWS[table]]);
    });

    test.each(everyColumn())('%s.%s', (table, column, bad) => {
      // Otherwise a foreign key could do the refusing.
      encoded.pragma('foreign_keys = OFF');
      for (const value of bad) {
        const update = encoded.prepare(`UPDATE ${table} SET ${column} = ?`);
        expect(() => update.run(value), JSON.stringify(value)).toThrow(/CHECK|NOT NULL|cannot store|datatype mismatch/);
      }
      expect(encoded.prepare(`SELECT * FROM ${table}`).all()).toEqual([GOOD_ROWS[table]]);
    });
  });

  test('a pause has an end only where there is a pause', () => {
    expect(() => database.exec('UPDATE products SET paused = 0')).toThrow(/CHECK/);
  });

  test('a session says when it starts, as an instant or as a wall time', () => {
    for (const column of ['starts_at', 'starts_local']) {
      expect(database.prepare(`UPDATE sessions SET ${column} = NULL`).run().changes).toBe(1);
      database.prepare(`UPDATE sessions SET ${column} = ?`).run(GOOD_ROWS.sessions[column]);
    }
    expect(() => database.exec('UPDATE sessions SET starts_at = NULL, starts_local = NULL')).toThrow(/CHECK/);
  });

  test.each<[TableName, string]>(
    TABLE_NAMES.flatMap((table) =>
      Object.keys(TABLE_RULES[table].references).map((column): [TableName, string] => [table, column]),
    ),
  )('%s.%s may not dangle', (table, column) => {
    database.pragma('foreign_keys = ON');
    expect(() => database.prepare(`UPDATE ${table} SET ${column} = 999`).run()).toThrow(/FOREIGN KEY/);
  });

  test("a tier's session is the tier's product's", () => {
    database.pragma('foreign_keys = ON');
    const path = join(temporaryFolder(), 'two.sqlite');
    const two = goodCatalogue(path, false);
    two.exec("INSERT INTO products (id, slug, name, age_rating, sale_schema) VALUES (99, 'other', 'Other', 0, 1)");
    expect(() => two.exec('UPDATE price_tiers SET product_id = 99')).toThrow(/FOREIGN KEY/);
    two.close();
  });
});

test('the index of the load has every column that it reads of sessions, with starts in its order', async () => {
  const path = join(temporaryFolder(), 'load.sqlite');
  goodCatalogue(path, true).close();
  await using reader = await openCatalogue(path);
  const grouping = childGrouping('sessions', reader, { rowsRead: 'relevant', now: instant('2026-05-01T09:00:00Z') });
  const bounds = tablesBounds(database).get('sessions');
  const planOf = (range: IdRange) => {
    const { sql, parameters } = compiled(groupedQuery(grouping, range, bounds));
    const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return plan.map(({ detail }) => detail);
  };
  const index = 'sessions USING COVERING INDEX sessions_load';
  expect(planOf({ only: 1 })).toEqual([`SEARCH ${index} (product_id=?)`]);
  expect(planOf('any')).toEqual([`SCAN ${index}`]);
});

test('data/schema.sql runs unaided in the driver, and leaves a catalogue in WAL mode', () => {
  const made = new Database(join(temporaryFolder(), 'made.sqlite'));
  made.exec(SCHEMA);
  expect(made.pragma('journal_mode', { simple: true })).toBe('wal');
  const objects = 'SELECT name FROM sqlite_schema WHERE sql IS NOT NULL';
  expect(made.prepare(objects).pluck().all().length).toBeGreaterThan(TABLE_NAMES.length);
  made.close();
});
