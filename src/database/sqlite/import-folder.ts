// The folder beside a database that is being made, `<database>.import-…`, until the whole database
// moves to its path; a server makes its tables in the transaction. A lock in it dies with the
// process that holds it, so that a later import can tell a killed import's folder from a running
// one's:
//
//   only the maker of a folder creates the lock; a sweep takes an existing one, and removes it last
//
// A sweep may find a folder before its maker has locked it. The maker detects that, and makes
// another.

import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCodeOf } from '../../errors.ts';
import { canLockBeside, lockFile, type TakenLock } from '../../file-lock.ts';
import { removeFile } from '../../remove-file.ts';
import { noLocksError } from './errors.ts';

const LOCK = 'lock';
const DATABASE = 'catalogue.sqlite';
const OTHER_FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, `${DATABASE}-journal`];

export interface ImportFolder {
  /** Where the database is made. */
  readonly databasePath: string;
  /** Removes the folder and what is left in it. May be called again. */
  remove(): void;
}

/**
 * Makes a folder for the database that will be at `path`.
 * @throws AppError database-unreadable (a file system without locks), errors of the system and of
 * the driver
 */
export function makeImportFolder(path: string): ImportFolder {
  for (;;) {
    const folder = mkdtempSync(`${path}.import-`);
    try {
      const lock = lockIn(folder);
      if (lock !== null) return lockedFolder(folder, lock);
      if (canLockBeside(join(folder, LOCK)) === false) throw noLocksError(path);
      // A sweep was faster, and removes the folder.
    } catch (error) {
      removeFolder(folder);
      throw error;
    }
  }
}

/**
 * Removes the folders that killed imports into `path` have left. What cannot be removed stays: it
 * does no harm.
 */
export function sweepImportFolders(path: string): void {
  const prefix = `${basename(path)}.import-`;
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(prefix) || !/^[A-Za-z0-9]{6}$/.test(name.slice(prefix.length))) continue;
    const folder = join(dirname(path), name);
    try {
      if (!existsSync(join(folder, LOCK))) {
        // Its maker was killed at once, or is about to lock it, and will make another folder.
        if (readdirSync(folder).length === 0) rmdirSync(folder);
        continue;
      }
      const lock = lockIn(folder);
      if (lock !== null) lockedFolder(folder, lock).remove();
    } catch {
      continue;
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Takes the lock of a folder; null where another has it, or has removed it. */
function lockIn(folder: string): TakenLock | null {
  const path = join(folder, LOCK);
  try {
    const lock = lockFile(path);
    if (lock.kind !== 'taken') return null;
    if (existsSync(path)) return lock;
    lock.release();
    return null;
  } catch (error) {
    if (!existsSync(folder)) return null;
    throw error;
  }
}

function lockedFolder(folder: string, lock: TakenLock): ImportFolder {
  let isRemoved = false;
  const remove = (): void => {
    if (isRemoved) return;
    removeFolder(folder);
    lock.release();
    isRemoved = true;
  };
  return { databasePath: join(folder, DATABASE), remove };
}

/** Not recursively: a maker may just be creating a new lock in it, and then the folder stays. */
function removeFolder(folder: string): void {
  for (const name of [...OTHER_FILES, LOCK]) removeFile(join(folder, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY'].includes(systemCodeOf(error))) throw error;
  }
}
