// The lock of a tree, and that of its key ring, which may change during a build. Who holds one:
// `holderOf` in file-lock.ts.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError, driverError } from '../../errors.ts';
import { lockFile, whyBusy, type FileLock, type TakenLock } from '../../file-lock.ts';
import { KEY_RING_LOCK_FILE, LOCK_FILE } from '../../render/paths.ts';
import { makePublicFolder } from '../public-mode.ts';
import { treeError } from './tree-error.ts';

/**
 * A key ring is locked for milliseconds only: a process that holds the lock for longer is stuck.
 */
const KEY_RING_PATIENCE_MS = 10_000;
const KEY_RING_RETRY_MS = 20;

/**
 * Locks a tree, making its folder if necessary.
 * @throws AppError tree-locked, tree-not-writable, tree-full
 */
export function lockTree(root: string): TakenLock {
  const path = join(root, LOCK_FILE);
  const hint = 'wait for it to end; if cron jobs often overlap, start them further apart';
  return takenOrThrow(attempt(root, path), root, path, hint);
}

/**
 * Waits for the lock of a tree's key ring and takes it.
 * @throws AppError tree-locked, tree-not-writable, tree-full
 */
export async function lockKeyRing(root: string): Promise<TakenLock> {
  const path = join(root, KEY_RING_LOCK_FILE);
  let lock = attempt(root, path);
  for (let waitedMs = 0; lock.kind === 'busy' && waitedMs < KEY_RING_PATIENCE_MS; waitedMs += KEY_RING_RETRY_MS) {
    // Not SQLite's own busy timeout, during which nothing else of this process would run.
    await setTimeout(KEY_RING_RETRY_MS);
    lock = attempt(root, path);
  }
  return takenOrThrow(lock, root, path, 'look for a run that is stuck, end it, and try again');
}

function attempt(root: string, path: string): FileLock {
  try {
    makePublicFolder(root);
    return lockFile(path);
  } catch (error) {
    throw driverError(error) ?? treeError(root, error);
  }
}

function takenOrThrow(attempted: FileLock, root: string, path: string, heldHint: string): TakenLock {
  const lock = attempted.kind === 'busy' ? whyBusy(path) : attempted;
  switch (lock.kind) {
    case 'taken':
      return lock;
    case 'held': {
      const holder = lock.pid === null ? '' : `: process ${lock.pid}`;
      throw new AppError('tree-locked', `another run is writing ${root}${holder}`, heldHint);
    }
    case 'impossible': {
      const message = `expected a file system that can lock files at ${root}, found one that cannot`;
      const hint =
        'put the tree on a local disk; NFS needs lockd at both ends; a mounted bucket has no locks: name it as --out s3://BUCKET/PREFIX';
      throw new AppError('tree-not-writable', message, hint);
    }
    case 'obstructed':
      throw new AppError('tree-not-writable', `expected a lock file at ${path}, found ${lock.found}`, lock.hint);
  }
}
