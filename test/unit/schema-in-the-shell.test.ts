// data/schema.sql runs unaided in the plain sqlite3 shell, and makes what it makes in the driver.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/trees.ts';
import { SCHEMA } from '../support/database-rows.ts';

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
