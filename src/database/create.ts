// Opens a catalogue to write rows into, in one transaction: an existing one in place; a new one beside its path, from data/schema.sql,
// so that nothing is visible under its name until it is complete. Knows no rows.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { removeFile } from '../remove-file.ts';
import { databaseError, refuseNoFile, SqliteRows } from './open.ts';
import { makeImportFolder, sweepImportFolders, type ImportFolder } from './write/import-folder.ts';

const SCHEMA = new URL('../../data/schema.sql', import.meta.url);

/** A catalogue with a write transaction on it. Either `keep` or `discard` ends it. */
export class WritableCatalogue extends SqliteRows {
  /** The folder in which a new catalogue is being made; null where there was one. */
  readonly #importFolder: ImportFolder | null;

  private constructor(path: string, handle: Database.Database, importFolder: ImportFolder | null) {
    super(path, handle, writing);
    this.#importFolder = importFolder;
  }

  /**
   * Opens the catalogue at `path`, or begins to make one, and the folders above it.
   * @throws AppError database-unreadable, database-busy, database-not-writable
   */
  static open(path: string): WritableCatalogue {
    sweepImportFolders(path);
    return writing(path, () => {
      const isNew = !existsSync(path);
      if (isNew) makeFolder(dirname(path));
      else refuseNoFile(path);
      const folder = isNew ? makeImportFolder(path) : null;
      let handle: Database.Database | undefined;
      try {
        handle = new Database(folder?.databasePath ?? path, { fileMustExist: !isNew });
        begin(handle, isNew);
        return new WritableCatalogue(path, handle, folder);
      } catch (error) {
        handle?.close();
        folder?.remove();
        throw error;
      }
    });
  }

  get isNew(): boolean {
    return this.#importFolder !== null;
  }

  /**
   * Commits and closes; a new catalogue moves to its path. A violated foreign key is thrown as SQLite's own error, and then the
   * transaction is still open.
   * @throws AppError database-exists, database-not-writable, database-busy
   */
  keep(): void {
    writing(this.path, () => {
      this.handle.exec('commit');
      this.handle.close();
      if (this.#importFolder !== null) moveInPlace(this.#importFolder.databasePath, this.path);
    });
    this.discard();
  }

  /** Removes everything that was not kept. May be called at any time, and repeatedly. */
  discard(): void {
    if (this.handle.open) this.handle.close();
    this.#importFolder?.remove();
  }
}

function begin(handle: Database.Database, isNew: boolean): void {
  if (isNew) handle.exec(readFileSync(SCHEMA, 'utf8'));
  handle.pragma('foreign_keys = ON');
  // What is reported as imported survives a power cut, also while readers prevent a checkpoint of the journal.
  handle.pragma('synchronous = FULL');
  handle.exec('begin immediate');
  // The order of rows does not matter: ids are looked up at the end. Holds for this transaction only.
  handle.pragma('defer_foreign_keys = ON');
}

/** Moves a finished database to its path, unless that has been taken meanwhile. */
function moveInPlace(from: string, to: string): void {
  try {
    // Reserves the name: of two imports that make the same catalogue, one must not overwrite the other's rows.
    closeSync(openSync(to, 'wx'));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    const message = `expected no database at ${to}, found one that was made meanwhile; nothing is imported`;
    throw new AppError('database-exists', message, 'run the same command again to import into it', error);
  }
  // A journal that a killed writer left beside a deleted database would be applied to this one.
  for (const suffix of ['-wal', '-shm', '-journal']) removeFile(`${to}${suffix}`);
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Runs a write, and turns errors of the driver and of the system into ours; violated constraints pass unchanged. */
export function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const code = systemCodeOf(error);
    if (error instanceof AppError || code.startsWith('SQLITE_CONSTRAINT')) throw error;
    const isRefused = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_FULL') || /^E[A-Z]+$/.test(code);
    if (!isRefused && !code.startsWith('SQLITE_IOERR')) throw databaseError(path, error);
    const message = `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is changed`;
    const hint = 'check its permissions and the room on its disk, or name another file with --db';
    throw new AppError('database-not-writable', message, hint, error);
  }
}
