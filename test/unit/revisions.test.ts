// Revisions: equal tokens mean equal content, whatever was done to the rows. Held by a content that is computed here from the rows
// themselves, and by the text of data/schema.sql.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRevisions, revisionsOrWhyNot, revisionsSql, type Revisions } from '../../src/database/revisions.ts';
import { TABLE_NAMES, TABLE_RULES, TABLES, type TableName } from '../../src/database/tables.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { temporaryFolder } from '../trees.ts';
import { goodCatalogue, GOOD_ROWS, SCHEMA } from './database-rows.ts';

const rows = (database: Database.Database, sql: string): unknown[][] =>
  database.prepare<unknown[], unknown[]>(sql).raw(true).all();

function revisionsOf(database: Database.Database): Revisions {
  const revisions = readRevisions((sql) => rows(database, sql));
  if (revisions === null) throw new Error('the catalogue has no revisions');
  return revisions;
}

/** Every token there is, by scope and id; and what each speaks for, read from the rows. */
interface State {
  readonly tokens: ReadonlyMap<string, number>;
  readonly contents: ReadonlyMap<string, string>;
}

const IDS = [11, 12, 13, 14, 15, 16, 17];

function stateOf(database: Database.Database): State {
  const revisions = revisionsOf(database);
  const tokens = new Map([
    ['catalogue', revisions.catalogue],
    ['shared', revisions.shared],
  ]);
  for (const scope of ['product', 'front'] as const)
    for (const [id, token] of revisions.tokens(scope)) tokens.set(`${scope} ${id}`, token);
  const all = (table: string, where = 'true'): unknown =>
    rows(database, `SELECT * FROM ${table} WHERE ${where} ORDER BY 1, 2`);
  const contents = new Map<string, string>([
    ['catalogue', JSON.stringify(TABLE_NAMES.map((table) => all(table)))],
    ['shared', JSON.stringify(['venues', 'categories', 'groups', 'tags', 'badges'].map((table) => all(table)))],
  ]);
  for (const id of IDS) {
    const own = ['sessions', 'price_tiers', 'product_categories', 'product_groups', 'product_tags', 'product_badges'];
    const product = [
      all('products', `id = ${id}`),
      all('images', `id IN (SELECT image_id FROM products WHERE id = ${id})`),
      all('front_session_exclusions', `session_id IN (SELECT id FROM sessions WHERE product_id = ${id})`),
      ...own.map((table) => all(table, `product_id = ${id}`)),
    ];
    const shelf = ['front_products', 'front_categories', 'front_groups', 'front_session_exclusions'];
    const front = [all('fronts', `id = ${id}`), ...shelf.map((table) => all(table, `front_id = ${id}`))];
    contents.set(`product ${id}`, JSON.stringify(product));
    contents.set(`front ${id}`, JSON.stringify(front));
  }
  return { tokens, contents };
}

/** What changed in content and kept its token. */
function missed(before: State, after: State): string[] {
  return [...after.contents].flatMap(([key, content]) =>
    content === before.contents.get(key) || after.tokens.get(key) !== before.tokens.get(key) ? [] : [key],
  );
}

const CANDIDATES = [0, 1, 77, 'other', '2026-02-02T00:00:00Z', null];

describe('the law: what changes gets another token', () => {
  const columns = TABLE_NAMES.flatMap((table) =>
    Object.keys(TABLES[table]).map((column): [TableName, string] => [table, column]),
  );

  test.each(columns)('an update of %s.%s', (table, column) => {
    const database = goodCatalogue(':memory:', false);
    database.pragma('foreign_keys = OFF');
    database.pragma('ignore_check_constraints = ON');
    let isChanged = false;
    for (const value of CANDIDATES) {
      if (value === GOOD_ROWS[table][column]) continue;
      const before = stateOf(database);
      try {
        database.prepare(`UPDATE ${table} SET ${column} = ?`).run(value);
      } catch {
        continue;
      }
      isChanged = true;
      expect(missed(before, stateOf(database)), String(value)).toEqual([]);
    }
    expect(isChanged, 'no other value is accepted').toBe(true);
    database.close();
  });

  test.each(TABLE_NAMES)('a row of %s goes, with what hangs on it, and comes again', (table) => {
    const database = goodCatalogue(':memory:', false);
    database.pragma('foreign_keys = ON');
    // Nothing may hold a venue.
    if (table === 'venues') database.exec('DELETE FROM sessions');
    const before = stateOf(database);
    expect(database.prepare(`DELETE FROM ${table}`).run().changes).toBe(1);
    const without = stateOf(database);
    expect(missed(before, without)).toEqual([]);
    expect(without.tokens.get('catalogue')).not.toBe(before.tokens.get('catalogue'));
    database.pragma('foreign_keys = OFF');
    const names = Object.keys(GOOD_ROWS[table]);
    database
      .prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
      .run(...Object.values(GOOD_ROWS[table]));
    const again = stateOf(database);
    expect(missed(without, again)).toEqual([]);
    expect(again.tokens.get('catalogue')).not.toBe(before.tokens.get('catalogue'));
    database.close();
  });

  // What makes room goes without a trigger of its own: another product's session, another front of the same code.
  const displacing: [TableName, string, Record<string, string | number>, Record<string, string | number>][] = [
    ['fronts', 'code', { id: 17, code: 'other' }, { id: 16 }],
    ['products', 'slug', { id: 17, slug: 'other' }, { id: 16 }],
    ['sessions', 'id', { id: 17, product_id: 17 }, { product_id: 16 }],
    ['price_tiers', 'id', { id: 17, product_id: 17 }, { product_id: 16 }],
  ];
  test.each(displacing)('a row of %s is displaced by its %s', (table, by, second, third) => {
    for (const kind of ['INSERT', 'UPDATE']) {
      const database = goodCatalogue(':memory:', false);
      database.pragma('foreign_keys = OFF');
      const insert = (words: string, row: Readonly<Record<string, unknown>>): unknown =>
        database
          .prepare(
            `${words} INTO ${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row)
              .map(() => '?')
              .join()})`,
          )
          .run(...Object.values(row));
      insert('INSERT', { ...GOOD_ROWS[table], ...second });
      const before = stateOf(database);
      const good = GOOD_ROWS[table][by];
      if (kind === 'INSERT') insert('INSERT OR REPLACE', { ...GOOD_ROWS[table], ...third });
      else database.prepare(`UPDATE OR REPLACE ${table} SET ${by} = ? WHERE ${by} = ?`).run(good, second[by]);
      const after = stateOf(database);
      expect(after.contents.get('catalogue')).not.toBe(before.contents.get('catalogue'));
      expect(missed(before, after), kind).toEqual([]);
      database.close();
    }
  });

  test('a row that is written as it was keeps every token', () => {
    const database = goodCatalogue(':memory:', false);
    const before = stateOf(database);
    for (const table of TABLE_NAMES) {
      const [key = ''] = TABLE_RULES[table].key;
      database.exec(`UPDATE ${table} SET ${key} = ${key}`);
    }
    expect(stateOf(database).tokens).toEqual(before.tokens);
    database.close();
  });

  const id = fc.constantFrom(...IDS.slice(0, 6));
  const conflict = fc.constantFrom('', 'OR REPLACE', 'OR IGNORE', 'OR FAIL', 'OR ROLLBACK');
  const change = fc.record({
    table: fc.constantFrom(...TABLE_NAMES),
    kind: fc.constantFrom('insert', 'update', 'delete', 'upsert'),
    conflict,
    ids: fc.array(id, { minLength: 3, maxLength: 3 }),
    word: fc.constantFrom('a', 'b', 'c'),
    column: fc.nat(20),
  });
  const pragmas = fc.record({ foreign_keys: fc.boolean(), recursive_triggers: fc.boolean() });

  test('any history', { timeout: 60_000 }, () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(pragmas, fc.array(change, { minLength: 5, maxLength: 25 }), (settings, changes) => {
        const database = goodCatalogue(':memory:', false);
        for (const [name, isOn] of Object.entries(settings)) database.pragma(`${name} = ${isOn ? 'ON' : 'OFF'}`);
        let before = stateOf(database);
        for (const { table, kind, conflict: or, ids, word, column } of changes) {
          // A row like the good one, with other ids, and another word where it must be unique.
          let used = 0;
          const row = Object.fromEntries(
            Object.entries(GOOD_ROWS[table]).map(([name, value]) => {
              if (name === 'id' || name.endsWith('_id')) return [name, ids[used++] ?? 11];
              if (['slug', 'code', 'keyid', 'name'].includes(name)) return [name, word];
              return [name, value];
            }),
          );
          const names = Object.keys(row);
          const insert = (word_: string): string =>
            `INSERT ${word_} INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`;
          const key = TABLE_RULES[table].key;
          const name = names[column % names.length] ?? '';
          const sql = {
            insert: insert(or),
            update: `UPDATE ${or} ${table} SET ${name} = @${name} WHERE rowid_or_key`,
            delete: `DELETE FROM ${table} WHERE rowid_or_key`,
            upsert: `${insert('')} ON CONFLICT (${key.join()}) DO UPDATE SET ${name} = excluded.${name}`,
          }[kind].replace('rowid_or_key', `${key[0]} = (SELECT min(${key[0]}) FROM ${table})`);
          try {
            const statement = database.prepare(sql);
            const { changes: changed } = kind === 'delete' ? statement.run() : statement.run(row);
            if (changed > 0) seen.add(`${kind} ${kind === 'insert' || kind === 'update' ? or : ''} ${table}`);
          } catch (error) {
            if (!(error instanceof Database.SqliteError)) throw error;
          }
          const after = stateOf(database);
          expect(missed(before, after), `${sql} ${JSON.stringify(row)}`).toEqual([]);
          before = after;
        }
        database.close();
      }),
      { numRuns: 40, seed: 20_260_501 },
    );
    // The histories were no idle ones.
    expect(seen.size).toBeGreaterThan(100);
  });
});

describe('what is not believed', () => {
  const refused: [what: string, sql: string, why: string][] = [
    ['no revisions at all', 'DROP TABLE revisions', 'there is no table revisions as data/schema.sql has it'],
    [
      'a trigger is missing',
      'DROP TRIGGER revisions_tags_after_delete',
      'there is no trigger revisions_tags_after_delete as data/schema.sql has it',
    ],
    [
      'a trigger says something else',
      'DROP TRIGGER revisions_tags_after_delete; CREATE TRIGGER revisions_tags_after_delete AFTER DELETE ON tags BEGIN SELECT 1; END',
      'there is no trigger revisions_tags_after_delete as data/schema.sql has it',
    ],
    [
      'a table is a view',
      'ALTER TABLE venues RENAME TO places; CREATE VIEW venues AS SELECT * FROM places',
      'venues is a view',
    ],
    [
      'a trigger on the tokens',
      'CREATE TRIGGER t BEFORE UPDATE ON revisions BEGIN SELECT RAISE(IGNORE); END',
      'the trigger t may come between',
    ],
    [
      'a trigger that may end ours',
      'CREATE TRIGGER t AFTER UPDATE ON tags BEGIN SELECT RAISE(IGNORE); END',
      'the trigger t may come between',
    ],
    [
      'a trigger that writes tokens',
      "CREATE TRIGGER t AFTER UPDATE ON tags BEGIN UPDATE revisions SET token = 1 WHERE scope = 'x'; END",
      'the trigger t may come between',
    ],
    ['the token is gone', "DELETE FROM revisions WHERE scope = 'catalogue'", 'the table revisions lacks a token'],
    [
      'a column that compares otherwise',
      'ALTER TABLE venues ADD COLUMN nick TEXT COLLATE NOCASE',
      'a column of venues has a collation',
    ],
  ];

  test.each(refused)('%s', (_, sql, why) => {
    const database = goodCatalogue(':memory:', false);
    expect(readRevisions((one) => rows(database, one))).not.toBeNull();
    database.exec(sql);
    expect(revisionsOrWhyNot((one) => rows(database, one))).toBe(why);
    expect(readRevisions((one) => rows(database, one))).toBeNull();
    database.close();
  });

  test('a trigger of the operator that does no harm is let be', () => {
    const database = goodCatalogue(':memory:', false);
    database.exec(
      'CREATE TABLE log (t); CREATE TRIGGER t AFTER UPDATE ON tags BEGIN INSERT INTO log VALUES (OLD.id); END',
    );
    expect(readRevisions((one) => rows(database, one))).not.toBeNull();
    database.close();
  });

  test.each([
    [
      'a column is dropped and added again',
      'ALTER TABLE venues DROP COLUMN city; ALTER TABLE venues ADD COLUMN city TEXT',
    ],
    ['a table is made anew', 'CREATE TABLE spare (x)'],
  ])('the state of the tables is another: %s', (_, sql) => {
    const database = goodCatalogue(':memory:', false);
    const before = revisionsOf(database).schema;
    const triggers = rows(
      database,
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'venues'",
    );
    for (const [name] of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
    database.exec(sql);
    for (const [, text] of triggers) database.exec(String(text));
    expect(revisionsOf(database).schema).not.toBe(before);
    database.close();
  });
});

test('data/schema.sql has the text of revisions.ts (print it with revisionsSql)', () => {
  expect(SCHEMA.endsWith(revisionsSql())).toBe(true);
});

test('a reader of the catalogue tells them too, as its transaction sees them', async () => {
  const path = join(temporaryFolder(), 'good.sqlite');
  const database = goodCatalogue(path, false);
  const reader = await openCatalogue(path);
  const first = readRevisions((sql) => reader.select(sql));
  expect(first).toMatchObject({ catalogue: revisionsOf(database).catalogue });
  database.exec('DELETE FROM tags');
  expect(readRevisions((sql) => reader.select(sql))?.catalogue).toBe(first?.catalogue);
  await reader.restart();
  expect(readRevisions((sql) => reader.select(sql))?.catalogue).toBe(revisionsOf(database).catalogue);
  await reader.close();
  database.close();
});
