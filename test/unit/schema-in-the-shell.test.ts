// data/schema.sql runs unaided in the plain sqlite3 shell, and makes what it makes in the driver;
// so does what check-db --stubs prints.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { missingStubs } from '../../src/operations/check-db.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { temporaryFolder } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';
import { ENCODINGS, everyColumn, findingsOf, goodCatalogue, GOOD_ROWS, SCHEMA } from '../support/database-rows.ts';

const OBJECTS = "SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";

test('the sqlite3 shell makes the same tables and indexes as the driver', () => {
  const [shellPath, driverPath] = [join(temporaryFolder(), 'shell.sqlite'), join(temporaryFolder(), 'driver.sqlite')];
  const { status, stdout, stderr } = spawnSync('sqlite3', ['-bail', shellPath], { input: SCHEMA, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'wal\n', stderr: '' });
  const [byShell, byDriver] = [new Database(shellPath), new Database(driverPath)];
  byDriver.exec(SCHEMA);
  expect(byShell.prepare(OBJECTS).pluck().all()).toEqual(byDriver.prepare(OBJECTS).pluck().all());
  // The shell holds the rules of the driver: a session needs one of its two starts.
  const insert = (start: string): string =>
    `PRAGMA foreign_keys = OFF; INSERT INTO sessions (product_id, venue_id, ${start})`;
  const run = (input: string) => spawnSync('sqlite3', ['-bail', shellPath], { input, encoding: 'utf8' }).stderr;
  expect(run(`${insert('starts_local')} VALUES (1, 1, '2026-05-05T19:00:00')`)).toBe('');
  expect(run(`${insert('starts_local')} VALUES (1, 1, NULL)`)).toContain('CHECK constraint failed');
  byShell.close();
  byDriver.close();
});

/** A value as SQL. */
function literalOf(value: string | number | null | Buffer): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return `x'${value.toString('hex')}'`;
  // The shell reads its input as text that a NUL ends.
  return value
    .split('\0')
    .map((part) => `'${part}'`)
    .join('||char(0)||');
}

test.each(ENCODINGS)('in a database of %s the shell takes good rows, and refuses bad values', (encoding) => {
  const path = join(temporaryFolder(), 'encoded.sqlite');
  const rows = TABLE_NAMES.map((table) => {
    const values = Object.values(GOOD_ROWS[table]).map(literalOf);
    return `INSERT INTO ${table} (${Object.keys(GOOD_ROWS[table]).join()}) VALUES (${values.join()});`;
  });
  const good = inShell(path, `PRAGMA encoding = '${encoding}'; ${SCHEMA} ${rows.join('\n')}`);
  expect(good).toEqual({ status: 0, stderr: '' });
  const updates = everyColumn().flatMap(([table, column, bad]) =>
    bad.map((value) => `UPDATE ${table} SET ${column} = ${literalOf(value)};`),
  );
  // The shell goes on after an error, and says the number of its line.
  const { stderr } = spawnSync('sqlite3', [path], { input: updates.join('\n'), encoding: 'utf8' });
  const refused = [...stderr.matchAll(/^\w+ error near line (\d+): .*(CHECK|NOT NULL|cannot store|mismatch)/gm)];
  expect(refused.map(([, line]) => updates[Number(line) - 1])).toEqual(updates);
});

/** What runs SQL in the shell as a person does who pipes it. */
function inShell(path: string, input: string): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync('sqlite3', ['-bail', path], { input, encoding: 'utf8' });
  return { status, stderr };
}

const ESSENTIAL = ['fronts', 'venues', 'products', 'front_products', 'sessions'];

test.each([
  ['tables', false],
  ['views', true],
])('with stubs, a catalogue of the essential %s is sound: check, build, keys', async (_kind, isOfViews) => {
  const path = join(temporaryFolder(), 'few.sqlite');
  const database = goodCatalogue(path, true);
  for (const table of TABLE_NAMES) {
    if (!ESSENTIAL.includes(table)) database.exec(`DROP TABLE ${table}`);
    else if (isOfViews) {
      database.exec(
        `ALTER TABLE ${table} RENAME TO their_${table}; CREATE VIEW ${table} AS SELECT * FROM their_${table}`,
      );
    }
  }
  database.exec(isOfViews ? 'UPDATE their_products SET image_id = NULL' : 'UPDATE products SET image_id = NULL');
  const objects = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY rowid').raw();
  const before = objects.all();
  expect((await findingsOf(path)).map(({ code }) => code)).toEqual(Array.from({ length: 14 }, () => 'table-missing'));

  const stubs = await missingStubs(path);
  expect(inShell(path, stubs)).toEqual({ status: 0, stderr: '' });
  expect(objects.all().slice(0, before.length)).toEqual(before);
  expect(await findingsOf(path)).toEqual([]);
  expect(await missingStubs(path)).toBe('');
  // A second run of the same text does nothing.
  expect(inShell(path, stubs)).toEqual({ status: 0, stderr: '' });
  database.close();

  const out = join(temporaryFolder(), 'out');
  const now = ['--now', '2026-05-01T09:00:00Z'];
  const built = await playbill(['build', '--db', path, '--out', out, ...now]);
  expect(built).toMatchObject({ status: 0, stdout: expect.stringMatching(/^moscow +1 /m) as string });
  const issued = await playbill(['keys', 'issue', '--front', 'moscow', '--keyid', 'new', '--db', path, '--out', out]);
  expect(issued.status).toBe(0);
});

test('what stubs say of missing columns mends them, typed', async () => {
  const path = join(temporaryFolder(), 'few.sqlite');
  inShell(
    path,
    `PRAGMA journal_mode = WAL; CREATE TABLE venues (id INTEGER, name TEXT, timezone TEXT);
    CREATE TABLE show (show_no INTEGER); CREATE TABLE products (id INTEGER, slug TEXT, name TEXT, age_rating INTEGER, sale_schema INTEGER);
    CREATE VIEW sessions AS SELECT show_no AS id, 1 AS product_id, 1 AS venue_id, '2026-05-01T09:00:00Z' AS starts_at FROM show`,
  );
  const stubs = await missingStubs(path);
  const alterations = [...stubs.matchAll(/^-- (ALTER TABLE .*)$/gm)].map(([, line = '']) => line);
  const columns = /^-- in the SELECT of the view sessions: (.*)$/m.exec(stubs)?.[1] ?? '';
  const view = `CREATE VIEW sessions AS SELECT show_no AS id, 1 AS product_id, 1 AS venue_id, '2026-05-01T09:00:00Z' AS starts_at, ${columns} FROM show;`;
  expect(inShell(path, `${alterations.join('\n')} DROP VIEW sessions; ${view} ${stubs}`)).toEqual({
    status: 0,
    stderr: '',
  });
  const places = (await findingsOf(path)).map(({ code, place }) => `${code} ${place}`);
  expect(places).toEqual(['table-missing fronts', 'table-missing front_products']);
});
