// The folder beside a database that is being made, `<database>.import-…`, until the whole database moves to its path. A lock in it
// dies with the process that holds it, so that a later import can tell a killed import's folder from a running one's:
//
//   only the maker of a folder creates the lock; a sweep takes an existing one, and removes it last
//
// A sweep may find a folder before its maker has locked it. The maker detects that, and makes another.

import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { systemCodeOf } from '../../errors.ts';
import { removeFile } from '../../remove-file.ts';

const LOCK = 'lock';
const DATABASE = 'catalogue.sqlite';
const OTHER_FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, `${DATABASE}-journal`];

export interface ImportFolder {
  /** Where the database is made. */
  readonly databasePath: string;
  /** Removes the folder and what is left in it. May be called again. */
  remove(): void;
}

/** Makes a folder for the database that will be at `path`. Throws errors of the system and of the driver. */
export function makeImportFolder(path: string): ImportFolder {
  for (;;) {
    const folder = mkdtempSync(`${path}.import-`);
    try {
      const lock = lockIn(folder, { isMaker: true });
      if (lock !== null) return { databasePath: join(folder, DATABASE), remove: () => removeLocked(folder, lock) };
      // A sweep was faster, and removes the folder.
    } catch (error) {
      removeFolder(folder);
      throw error;
    }
  }
}

/** Removes the folders that killed imports into `path` have left. What cannot be removed stays: it does no harm. */
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
      const lock = lockIn(folder, { isMaker: false });
      if (lock !== null) removeLocked(folder, lock);
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
function lockIn(folder: string, { isMaker }: { readonly isMaker: boolean }): Database.Database | null {
  const path = join(folder, LOCK);
  let handle: Database.Database | undefined;
  try {
    handle = new Database(path, { timeout: 0, fileMustExist: !isMaker });
    // Otherwise SQLite keeps a journal beside the lock.
    handle.pragma('journal_mode = memory');
    handle.exec('begin exclusive');
    // If opening fails for writing, SQLite opens for reading and excludes nobody. This write, never committed, would then fail.
    handle.pragma('user_version = 1');
    if (existsSync(path)) return handle;
    handle.close();
    return null;
  } catch (error) {
    handle?.close();
    if (systemCodeOf(error) === 'SQLITE_BUSY' || !existsSync(folder)) return null;
    throw error;
  }
}

function removeLocked(folder: string, lock: Database.Database): void {
  if (lock.open) removeFolder(folder);
  lock.close();
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
