// The lock of a tree's one writer: an exclusive SQLite transaction on `.lock`. The system lets go of it when the process dies,
// however it dies, which a file with a pid in it would not. Nothing else in this process may open that file: closing it would
// release the lock.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import { LOCK_FILE } from '../snapshot/paths.ts';
import { treeError } from './tree-error.ts';

export interface TreeLock {
  release(): void;
}

/** Takes the lock of a tree, making its folder. @throws AppError tree-locked, tree-not-writable, tree-full */
export function lockTree(root: string): TreeLock {
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw treeError(root, error);
  }
  let handle: Database.Database | undefined;
  try {
    handle = new Database(join(root, LOCK_FILE), { timeout: 0 });
    handle.exec('begin exclusive');
    const held = handle;
    return { release: () => held.close() };
  } catch (error) {
    handle?.close();
    const code = systemCodeOf(error);
    if (code === 'SQLITE_BUSY') {
      throw new AppError(
        'tree-locked',
        `another run is writing ${root}`,
        'wait for it to end, and start cron jobs further apart or with flock -n',
        error,
      );
    }
    throw new AppError(
      'tree-not-writable',
      `expected a folder that can be written at ${root}, found: ${messageOf(error)}`,
      'check its owner and permissions, or name another with --out',
      error,
    );
  }
}
