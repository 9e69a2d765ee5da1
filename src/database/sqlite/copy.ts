// Copies the present state of a catalogue in an SQLite file into a new file, in which nobody writes:
// without a write-ahead log, so that any host reads the same in it.

import { chmodSync, existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError, systemCodeOf } from '../../errors.ts';
import { fsyncPath } from '../../fsync-path.ts';
import { connectToRead } from './connect.ts';
import { readError, reading, writing } from './errors.ts';
import { makeImportFolder, sweepImportFolders } from './import-folder.ts';
import { moveInPlace } from './move-in-place.ts';

/** Errors that the file that is read has caused. */
const OF_CATALOGUE = /^SQLITE_(?:BUSY|LOCKED|CORRUPT|NOTADB|IOERR_READ)/;

/**
 * Nothing appears at `to` until the copy is whole.
 * @throws AppError database-missing, database-unreadable, database-busy, database-exists,
 * database-not-writable
 */
export function copyDatabase(path: string, to: string): void {
  // As every reader does, which says what is wrong with the file.
  connectToRead(path).close();
  if (existsSync(to)) {
    const message = `expected nothing at ${to}, found a file: each copy has a name of its own`;
    throw new AppError('database-exists', message, 'name another file with --to, or remove this one');
  }
  sweepImportFolders(to);
  writing(to, () => {
    const folder = makeImportFolder(to);
    try {
      const handle = reading(path, () => new Database(path, { readonly: true, fileMustExist: true }));
      try {
        handle.prepare('vacuum into ?').run(folder.databasePath);
      } catch (error) {
        // Any other is that of the copy.
        throw OF_CATALOGUE.test(systemCodeOf(error)) ? readError(path, error) : error;
      } finally {
        handle.close();
      }
      chmodSync(folder.databasePath, statSync(path).mode & 0o777);
      fsyncPath(folder.databasePath);
      moveInPlace(folder.databasePath, to);
    } finally {
      folder.remove();
    }
  });
}
