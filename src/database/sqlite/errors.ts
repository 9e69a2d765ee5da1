// Errors of the SQLite driver and of the system, in terms of what an operator can do about them;
// and refusals of rows.

import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { AppError, driverError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import { canLockBeside, isLockRefusal } from '../../file-lock.ts';
import { RefusedChange, type RefusedKind } from '../writer.ts';

/** Makes a function that runs work on a database, and turns its errors into ours. */
const guardWith =
  (errorOf: (path: string, error: unknown) => unknown) =>
  <T>(path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw errorOf(path, error);
    }
  };

export const reading = guardWith(readError);
export const writing = guardWith(writeError);

/**
 * An error of the SQLite driver in terms of the command that was run; other errors pass unchanged.
 */
export function readError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (!code.startsWith('SQLITE_')) return driverError(error) ?? error;
  const message = messageOf(error);
  const canLock = isLockRefusal(code) ? canLockBeside(path) : true;
  if (canLock === false) return noLocksError(path, error);
  const isWal = isInWalMode(path);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    const unknown = canLock === null ? '; if its file system has no locks (NFS without lockd), build from a copy' : '';
    const orWal = isWal === true ? '' : ', or switch it to WAL once: sqlite3 FILE "PRAGMA journal_mode=WAL"';
    const hint = `try again${orWal}${unknown}`;
    return new AppError('database-busy', `${path} is locked by a writer: ${message}`, hint, error);
  }
  if (code === 'SQLITE_READONLY_ROLLBACK') {
    const found = `expected no unfinished transaction at ${path}, found one in ${path}-journal: its writer was stopped, and SQLite rolls it back before anyone reads`;
    const hint = `complete that as a user who may write: sqlite3 ${shellWord(path)} "SELECT count(*) FROM sqlite_schema"`;
    return new AppError('database-unreadable', found, hint, error);
  }
  // Of a reader SQLITE_READONLY means that SQLite itself was to write: -shm and -wal, which readers
  // of a WAL database share.
  if (code === 'SQLITE_CANTOPEN' || code.startsWith('SQLITE_READONLY')) {
    const ofWal =
      '; beside a database in WAL mode SQLite writes a -shm file, even to read it: let this user write to its folder, ' +
      'build from a copy, or switch it once: sqlite3 FILE "PRAGMA journal_mode=DELETE"';
    const denied = deniedText(path);
    const hint =
      denied === null
        ? `check the permissions of the file and of its folder${isWal === false ? '' : ofWal}`
        : `run as an account that may read it: ${denied}`;
    const found = denied === null ? message : 'permission denied';
    return new AppError('database-unreadable', `${path} cannot be opened: ${found}`, hint, error);
  }
  const expected = `expected a readable SQLite catalogue at ${path}, found: ${message}`;
  const hint = 'check the file with: sqlite3 FILE "PRAGMA integrity_check"';
  return new AppError('database-unreadable', expected, hint, error);
}

/** Whose a file is that this user may not read; null of another. */
function deniedText(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    if (systemCodeOf(error) !== 'EACCES') return null;
  }
  const { uid, mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mode === undefined
    ? 'its folder is closed to this one'
    : `the file is of user ${uid}, with mode ${(mode & 0o777).toString(8)}`;
}

/**
 * SQLITE_ERROR of a statement that could be prepared: such as malformed JSON, or an integer
 * overflow. SQLITE_TOOBIG: a string or BLOB that cannot be made.
 */
const EXPRESSION_CODES: ReadonlySet<string> = new Set(['SQLITE_ERROR', 'SQLITE_TOOBIG']);

/** What an expression has thrown, of an error of ours; null of any other error. */
export function expressionProblem(error: unknown): string | null {
  if (!(error instanceof AppError) || !EXPRESSION_CODES.has(systemCodeOf(error.cause))) return null;
  return messageOf(error.cause);
}

/** The error of a database that nobody can lock, reading or writing. */
export function noLocksError(path: string, cause?: unknown): AppError {
  const message = `expected a file system that can lock files at ${path}, found one that cannot`;
  const hint = 'put the catalogue on a local disk, or build from a copy; NFS needs lockd at both ends';
  return new AppError('database-unreadable', message, hint, cause);
}

/**
 * Whether a database is in WAL mode, by its header (SQLite, "Database File Format", 1.3.3); null
 * where that cannot be read. Only after an error: closing the file here releases the locks that
 * this process has on it.
 */
function isInWalMode(path: string): boolean | null {
  const header = Buffer.alloc(20);
  try {
    const file = openSync(path, 'r');
    try {
      if (readSync(file, header, 0, header.length, 0) < header.length) return null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
  return header[18] === 2;
}

/** Errors of the driver and of the system as ours; violated constraints pass unchanged. */
export function writeError(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (error instanceof AppError || code.startsWith('SQLITE_CONSTRAINT')) return error;
  const isRefused = code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_FULL') || /^E[A-Z]+$/.test(code);
  if ((!isRefused && !code.startsWith('SQLITE_IOERR')) || isLockRefusal(code)) return readError(path, error);
  const message = `expected to be able to write ${path}, found: ${messageOf(error)}; nothing is changed`;
  const hint = 'check its permissions and the room on its disk, or name another file';
  return new AppError('database-not-writable', message, hint, error);
}

const REFUSED_KINDS: Readonly<Record<string, RefusedKind>> = {
  SQLITE_CONSTRAINT_PRIMARYKEY: 'key',
  SQLITE_CONSTRAINT_ROWID: 'key',
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_NOTNULL: 'not-null',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign-key',
  // A statement that cannot be prepared: a view does not take rows, or a table lacks the key that
  // replacing needs.
  SQLITE_ERROR: 'no-rows',
};

/** An error of a change to rows: a RefusedChange, or what `writeError` makes of it. */
export function changeError(path: string, error: unknown): unknown {
  if (error instanceof RefusedChange) return error;
  const code = systemCodeOf(error);
  if (code === 'SQLITE_ERROR' || code.startsWith('SQLITE_CONSTRAINT'))
    return new RefusedChange(REFUSED_KINDS[code] ?? 'check', messageOf(error), error);
  return writeError(path, error);
}
