// Opens a catalogue in an SQLite file and begins its transaction: an existing file in place; a new
// one, from data/schema.sql, beside its path, so that nothing appears there until it is complete.

import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, shellWord } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import { schemaText } from '../schema-file.ts';
import { reading, writing } from './errors.ts';
import { makeImportFolder, sweepImportFolders, type ImportFolder } from './import-folder.ts';

/**
 * Opens an existing catalogue and begins a read transaction, whose snapshot is fixed from here on.
 * @throws AppError database-missing, database-unreadable, database-busy
 */
export function connectToRead(path: string): Database.Database {
  if (!existsSync(path)) throw missingError(path);
  refuseNoFile(path);
  return reading(path, () => {
    const handle = new Database(path, { readonly: true, fileMustExist: true });
    try {
      // Measured: mapping the file or a larger cache costs memory and gains nothing on one pass.
      handle.pragma('mmap_size = 0');
      handle.pragma('cache_size = -8192');
      beginReading(handle);
      return handle;
    } catch (error) {
      handle.close();
      throw error;
    }
  });
}

/** A plain BEGIN reads nothing yet: the first read takes the snapshot. */
export function beginReading(handle: Database.Database): void {
  handle.exec('begin');
  handle.prepare('select count(*) from sqlite_schema').get();
}

/** A catalogue with an open write transaction. */
export interface WritableCatalogue {
  readonly path: string;
  readonly handle: Database.Database;
  /** The folder in which a new file is being made; null for an existing file. */
  readonly importFolder: ImportFolder | null;
  /** Whether the transaction has made the tables. */
  readonly isNew: boolean;
}

/**
 * Opens a catalogue and begins a write transaction. If there is none, or only an empty file, and it
 * is not required, begins to make it, with the folders above it.
 * @throws AppError database-missing, database-unreadable, database-busy, database-not-writable
 */
export function connectToWrite(path: string, { isRequired }: { readonly isRequired: boolean }): WritableCatalogue {
  sweepImportFolders(path);
  return writing(path, () => {
    const exists = existsSync(path);
    if (!exists && isRequired) throw missingError(path);
    if (exists) refuseNoFile(path);
    else makeFolder(dirname(path));
    const importFolder = exists ? null : makeImportFolder(path);
    let handle: Database.Database | undefined;
    try {
      handle = new Database(importFolder?.databasePath ?? path, { fileMustExist: exists });
      // No journal beside a file that is of no use until it is whole. In WAL mode the rows would be
      // in a file of their own, and the checkpoint that moves them can fail unnoticed when the
      // database is closed.
      if (importFolder !== null) handle.pragma('journal_mode = memory');
      // An empty file is a database that has no mode yet.
      else if (!isRequired && handle.pragma('page_count', { simple: true }) === 0) handle.pragma('journal_mode = wal');
      return { path, handle, importFolder, isNew: beginWriting(handle, isRequired) };
    } catch (error) {
      handle?.close();
      importFolder?.remove();
      throw error;
    }
  });
}

/**
 * A database without tables gets those of the catalogue, unless it is required to have them.
 * @returns whether it did
 */
function beginWriting(handle: Database.Database, isRequired: boolean): boolean {
  handle.pragma('foreign_keys = ON');
  // What is reported as imported survives a power cut, also while readers prevent a checkpoint of
  // the journal.
  handle.pragma('synchronous = FULL');
  handle.exec('begin immediate');
  const isNew = !isRequired && handle.prepare('select 1 from sqlite_schema').get() === undefined;
  // Without its PRAGMAs, which have no effect within a transaction, or are refused there.
  if (isNew) handle.exec(schemaText('sqlite').replaceAll(/^PRAGMA .*$/gm, ''));
  // Rows may come in any order: foreign keys are checked at the end. Applies to this transaction
  // only.
  handle.pragma('defer_foreign_keys = ON');
  return isNew;
}

function missingError(path: string): AppError {
  const hint = `create one with: playbill import FILE.ndjson --db ${shellWord(path)}; or name another with --db`;
  return new AppError('database-missing', `expected a catalogue database at ${path}, found nothing`, hint);
}

/** Refuses an existing path that is not a file. @throws AppError database-unreadable */
function refuseNoFile(path: string): void {
  if (statSync(path).isFile()) return;
  const message = `expected a database file at ${path}, found something that is not a file`;
  throw new AppError('database-unreadable', message, 'name a file with --db');
}
