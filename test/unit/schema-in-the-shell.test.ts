// data/schema.sql runs unaided in the plain sqlite3 shell, and makes what it makes in the driver.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { temporaryFolder } from '../support/trees.ts';
import { ENCODINGS, everyColumn, GOOD_ROWS, SCHEMA } from '../support/database-rows.ts';

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
