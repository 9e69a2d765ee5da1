// The lock of a tree's one writer, and that of its key ring, which may change while a build writes the rest: each an exclusive SQLite
// transaction on a file of its own. Unlike a pid file, it is released by the system however the process dies. Nothing else in this
// process may open that file: closing it would release the lock.

import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError, driverError, messageOf, systemCodeOf } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import { KEY_RING_LOCK_FILE, LOCK_FILE } from '../../render/paths.ts';
import { treeError } from './tree-error.ts';

export interface TreeLock {
  release(): void;
}

/** A key ring is locked for milliseconds: a process that holds the lock for longer has been stopped. */
const KEY_RING_PATIENCE_MS = 10_000;
const KEY_RING_RETRY_MS = 20;

/** Takes the lock of a tree, making its folder. @throws AppError tree-locked, tree-not-writable, tree-full */
export function lockTree(root: string): TreeLock {
  return take(root, LOCK_FILE, 'wait for it to end; cron jobs that meet often want to be started further apart');
}

/** Takes the lock of a tree's key ring, and waits for it. @throws AppError tree-locked, tree-not-writable, tree-full */
export async function lockKeyRing(root: string): Promise<TreeLock> {
  const hint = 'look for one that has been stopped, and try again';
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
    makeFolder(root);
    makeLockFile(path);
  } catch (error) {
    throw treeError(root, error);
  }
  let handle: Database.Database | undefined;
  try {
    handle = new Database(path, { timeout: 0 });
    // Otherwise SQLite keeps a journal beside the lock, which a killed run would leave behind.
    handle.pragma('journal_mode = memory');
    handle.exec('begin exclusive');
    // If opening fails for writing, SQLite opens for reading and excludes nobody. This write, never committed, would then fail.
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
 * Ensures a writable lock file: SQLite would open another for reading, where an exclusive transaction excludes nobody. Only a new file is
 * opened here: closing it cannot release a lock.
 */
function makeLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o644));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    accessSync(path, constants.W_OK);
  }
}
