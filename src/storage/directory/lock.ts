// The lock of a tree, and that of its key ring, which may change during a build. Each is an exclusive SQLite transaction on a lock file.
// Unlike a pid file, it is released by the system however the process dies. Nothing else in this process may open the file, because
// closing it would release the lock.

import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError, driverError, messageOf, systemCodeOf } from '../../errors.ts';
import { KEY_RING_LOCK_FILE, LOCK_FILE } from '../../render/paths.ts';
import { makePublicFolder } from '../public-mode.ts';
import { treeError } from './tree-error.ts';

export interface TreeLock {
  release(): void;
}

/** A key ring is locked for milliseconds only: a process that holds the lock for longer is stuck. */
const KEY_RING_PATIENCE_MS = 10_000;
const KEY_RING_RETRY_MS = 20;

/** Locks a tree, making its folder if necessary. @throws AppError tree-locked, tree-not-writable, tree-full */
export function lockTree(root: string): TreeLock {
  return take(root, LOCK_FILE, 'wait for it to end; if cron jobs often overlap, start them further apart');
}

/** Waits for the lock of a tree's key ring and takes it. @throws AppError tree-locked, tree-not-writable, tree-full */
export async function lockKeyRing(root: string): Promise<TreeLock> {
  const hint = 'look for a run that is stuck, end it, and try again';
  for (let waitedMs = 0; ; waitedMs += KEY_RING_RETRY_MS) {
    try {
      return take(root, KEY_RING_LOCK_FILE, hint);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'tree-locked';
      if (!isTaken || waitedMs >= KEY_RING_PATIENCE_MS) throw error;
      // Not SQLite's own busy timeout, which would block signal handlers.
      await setTimeout(KEY_RING_RETRY_MS);
    }
  }
}

function take(root: string, name: string, lockedHint: string): TreeLock {
  const path = join(root, name);
  try {
    makePublicFolder(root);
    makeLockFile(path);
  } catch (error) {
    throw treeError(root, error);
  }
  let handle: Database.Database | undefined;
  try {
    handle = new Database(path, { timeout: 0 });
    // Otherwise SQLite would keep a journal file beside the lock, and a killed run would leave it behind.
    handle.pragma('journal_mode = memory');
    handle.exec('begin exclusive');
    // If SQLite cannot open the file for writing, it opens it for reading and excludes nobody. This uncommitted write would then fail.
    handle.pragma('user_version = 1');
    const held = handle;
    return { release: () => held.close() };
  } catch (error) {
    handle?.close();
    if (systemCodeOf(error) === 'SQLITE_BUSY')
      throw new AppError('tree-locked', `another run is writing ${root}`, lockedHint, error);
    const message = `expected a folder that can be written at ${root}, found: ${messageOf(error)}`;
    const hint = 'check its owner and permissions, or name another with --out';
    throw driverError(error) ?? new AppError('tree-not-writable', message, hint, error);
  }
}

/**
 * Creates the lock file, or checks that it is writable: SQLite would open a read-only file without locking it. An existing file is not
 * opened here, because closing it could release a lock.
 */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o644));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    accessSync(path, constants.W_OK);
  }
}
