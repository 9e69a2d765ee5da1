// Gives the file of a new database its name, durably, unless that has been taken meanwhile. On a
// server the commit does as much.

import { existsSync, linkSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, systemCodeOf } from '../../errors.ts';
import { fsyncPath } from '../../fsync-path.ts';
import { removeFile } from '../../remove-file.ts';

/**
 * Moves a finished database to its path; `from` may stay as another name of it. If this fails, it
 * is not there.
 * @throws AppError database-exists; errors of the system
 */
export function moveInPlace(from: string, to: string): void {
  if (existsSync(to)) throw overtaken(to);
  // A journal that a killed writer left beside a deleted database would be applied to this one.
  for (const suffix of ['-wal', '-shm', '-journal']) removeFile(`${to}${suffix}`);
  try {
    // Of two imports that make the same catalogue, one must not overwrite the other's rows, as a
    // rename would.
    linkSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw overtaken(to, error);
    // Some file systems have no hard links.
    renameSync(from, to);
  }
  try {
    fsyncPath(dirname(to));
  } catch (error) {
    // The name may not be durable, and an import that reports a failure leaves nothing.
    removeFile(to);
    throw error;
  }
}

function overtaken(path: string, cause?: unknown): AppError {
  const message = `expected no database at ${path}, found one that was made meanwhile, which stays as it is`;
  return new AppError('database-exists', message, 'run the same command again', cause);
}
