// What an operator is told of an SQLite file that cannot be opened: what is in the way, and what
// mends it.

import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { AppError } from '../../src/errors.ts';
import { readError } from '../../src/database/sqlite/errors.ts';
import { goodCatalogue } from '../support/database-rows.ts';
import { temporaryFolder } from '../support/trees.ts';

/**
 * A database whose writer was killed in the middle of a transaction, with the journal that undoes
 * it.
 */
function interrupted(): string {
  const folder = temporaryFolder();
  const writer = goodCatalogue(join(folder, 'writing.sqlite'), false);
  writer.pragma('journal_mode = DELETE');
  // Pages of the transaction go to the file before it is committed.
  writer.pragma('cache_size = 1');
  writer.exec('BEGIN IMMEDIATE');
  const insert = writer.prepare('INSERT INTO images (id, url) VALUES (?, ?)');
  for (let id = 1000; id < 1500; id++) insert.run(id, `https://example.org/${'a'.repeat(500)}`);
  const path = join(folder, 'left.sqlite');
  for (const suffix of ['', '-journal']) copyFileSync(`${writer.name}${suffix}`, `${path}${suffix}`);
  writer.close();
  return path;
}

test('a transaction that was not completed is named, with its journal and the command that undoes it', async () => {
  const path = interrupted();
  const error: unknown = await openCatalogue(path).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'database-unreadable' });
  if (!(error instanceof AppError)) throw error;
  expect(error.message).toContain(`${path}-journal`);
  expect(error.hint).not.toContain('journal_mode');
  expect(error.hint).toContain(`sqlite3 ${path} "SELECT count(*) FROM sqlite_schema"`);
  // What the hint says, by the driver.
  const healer = new Database(path);
  expect(healer.prepare('SELECT count(*) FROM images WHERE id >= 1000').pluck().get()).toBe(0);
  healer.close();
  expect(existsSync(`${path}-journal`)).toBe(false);
  await (await openCatalogue(path))[Symbol.asyncDispose]();
});

test.each([
  ['delete', 'SQLITE_CANTOPEN', false],
  ['delete', 'SQLITE_READONLY_DIRECTORY', false],
  ['wal', 'SQLITE_CANTOPEN', true],
  ['wal', 'SQLITE_READONLY_CANTINIT', true],
] as const)('in the mode %s, %s speaks of WAL: %s', (mode, code, isSaid) => {
  const path = join(temporaryFolder(), 'closed.sqlite');
  const database = goodCatalogue(path, false);
  database.pragma(`journal_mode = ${mode}`);
  database.close();
  const error = readError(path, new Database.SqliteError('unable to open', code));
  if (!(error instanceof AppError)) throw error;
  expect(error.hint).toContain('permissions');
  expect(error.hint.includes('journal_mode=DELETE')).toBe(isSaid);
});

test.each([
  ['delete', true],
  ['wal', false],
] as const)('a database in the mode %s that is locked is told to use WAL: %s', (mode, isSaid) => {
  const path = join(temporaryFolder(), 'locked.sqlite');
  const database = goodCatalogue(path, false);
  database.pragma(`journal_mode = ${mode}`);
  database.close();
  const error = readError(path, new Database.SqliteError('database is locked', 'SQLITE_BUSY'));
  if (!(error instanceof AppError)) throw error;
  expect(error.code).toBe('database-busy');
  expect(error.hint.includes('journal_mode=WAL')).toBe(isSaid);
});
