// Locks that end with the process that holds them, however it dies: an exclusive SQLite transaction
// on a file of its own. For `storage` and `database`. Nothing else in this process may open a
// locked file, because closing it would release the lock.

import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { shellWord, systemCodeOf } from './errors.ts';
import { removeFile } from './remove-file.ts';

/** What became of an attempt to lock a file. */
export type FileLock =
  | TakenLock
  /** Another process holds it, or the file system has no locks: `whyBusy` tells. */
  | { readonly kind: 'busy' }
  | Impossible
  /**
   * Something else is at the path. `found` completes "expected a lock file, found"; `hint` is what
   * to type.
   */
  | { readonly kind: 'obstructed'; readonly found: string; readonly hint: string };

export interface TakenLock {
  readonly kind: 'taken';
  release(): void;
}

/** The file system has no locks. */
interface Impossible {
  readonly kind: 'impossible';
}

interface Held {
  readonly kind: 'held';
  /** The id of the process that holds the lock; null where this machine does not tell. */
  readonly pid: string | null;
}

/**
 * Locks a file, making it if necessary. Does not wait.
 * @throws errors of the system and of the driver
 */
export function lockFile(path: string): FileLock {
  const obstruction = makeLockFile(path);
  if (obstruction !== null) return obstruction;
  let handle: Database.Database | undefined;
  try {
    handle = new Database(path, { timeout: 0 });
    excludeOthers(handle);
    const taken = handle;
    return { kind: 'taken', release: () => taken.close() };
  } catch (error) {
    handle?.close();
    const code = systemCodeOf(error);
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      return obstructed(path, 'a file with something else in it');
    if (code === 'SQLITE_BUSY') return { kind: 'busy' };
    if (isLockRefusal(code) && canLockBeside(path) === false) return { kind: 'impossible' };
    throw error;
  }
}

/** Why the lock at a path was busy. */
export function whyBusy(path: string): Held | Impossible {
  return canLockBeside(path) === false ? { kind: 'impossible' } : { kind: 'held', pid: holderOf(path) };
}

/**
 * Whether files beside `path` can be locked; null if that cannot be tried. SQLite reports a file
 * system without locks (ENOLCK) as it reports a lock that another process holds. A new file, which
 * nobody else can have locked, tells the two apart.
 */
export function canLockBeside(path: string): boolean | null {
  const probe = `${path}.${randomUUID()}.tmp`;
  try {
    createPrivately(probe);
  } catch {
    return null;
  }
  let handle: Database.Database | undefined;
  try {
    handle = new Database(probe, { timeout: 0 });
    // From here on nothing is left behind, however this process ends.
    removeFile(probe);
    excludeOthers(handle);
    return true;
  } catch (error) {
    return isLockRefusal(systemCodeOf(error)) ? false : null;
  } finally {
    handle?.close();
    removeFile(probe);
  }
}

/**
 * Whether an error of SQLite says that a lock was refused: by its holder, or by the file system.
 */
export function isLockRefusal(code: string): boolean {
  return /^SQLITE_(BUSY|PROTOCOL|IOERR_[A-Z]*LOCK$)/.test(code);
}

function excludeOthers(handle: Database.Database): void {
  // Otherwise SQLite would keep a journal file beside the lock, and a killed run would leave it
  // behind.
  handle.pragma('journal_mode = memory');
  handle.exec('begin exclusive');
  // If SQLite cannot open the file for writing, it opens it for reading and excludes nobody. This
  // uncommitted write would then fail.
  handle.pragma('user_version = 1');
}

/**
 * Creates the lock file, or checks the existing one, which is not opened here. Only its owner may
 * read it: whoever can open a file for reading can put a lock on it that SQLite respects.
 */
function makeLockFile(path: string): FileLock | null {
  try {
    createPrivately(path);
    return null;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  const stats = lstatSync(path);
  if (stats.isDirectory()) return obstructed(path, 'a folder', 'rm -r');
  if (stats.isSymbolicLink()) return obstructed(path, 'a symbolic link');
  if (!stats.isFile()) return obstructed(path, 'something that is not a file');
  try {
    // SQLite would open a read-only file without locking it.
    accessSync(path, constants.W_OK);
    if ((stats.mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    const code = systemCodeOf(error);
    const isForeign = stats.uid !== process.geteuid?.();
    if (isForeign && (code === 'EACCES' || code === 'EPERM'))
      return obstructed(path, `a file that belongs to another user (${stats.uid})`);
    // Some file systems, such as FAT, have no permissions that could be changed.
    if (code !== 'EPERM') throw error;
  }
  return null;
}

function createPrivately(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

function obstructed(path: string, found: string, removal = 'rm'): FileLock {
  return { kind: 'obstructed', found, hint: `remove it while no command is writing: ${removal} ${shellWord(path)}` };
}

/**
 * The id of the process that has a lock on a file, from /proc/locks: Linux only, and not for every
 * file system.
 */
function holderOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
    const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
    const file = `${hexText(major)}:${hexText(minor)}:${ino}`;
    // Of each lock: number, kind, mode, READ or WRITE, process, file, first byte, last byte.
    const locks = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => line.split(/\s+/));
    return locks.find((fields) => fields[5] === file)?.[4] ?? null;
  } catch {
    return null;
  }
}

function hexText(number: bigint): string {
  return number.toString(16).padStart(2, '0');
}
