// Files for private keys: readable by their owner only. Refuses to overwrite a file, which may hold
// the only copy of a key.

import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import { fsyncPath } from '../fsync-path.ts';
import { removeFile } from '../remove-file.ts';

export interface PrivateFile {
  /** Replaces the content, durably. @throws AppError key-file-not-writable */
  write(text: string): void;
  close(): void;
  /** Closes and removes the file. If it cannot be removed, it stays. */
  remove(): void;
}

/**
 * Creates an empty file that only its owner can read.
 * @throws AppError key-file-exists, key-file-not-writable
 */
export function createPrivateFile(path: string): PrivateFile {
  const descriptor = open(path);
  return {
    write: (text) => {
      try {
        ftruncateSync(descriptor);
        const bytes = Buffer.from(text);
        let written = 0;
        while (written < bytes.length) written += writeSync(descriptor, bytes, written, undefined, written);
        fsyncSync(descriptor);
        fsyncPath(dirname(path));
      } catch (error) {
        throw notWritable(path, error);
      }
    },
    close: () => attempt(() => closeSync(descriptor)),
    remove: () => {
      attempt(() => closeSync(descriptor));
      attempt(() => removeFile(path));
    },
  };
}

/** What is written is durable by now: a failure changes nothing, and must not hide another one. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw notWritable(path, error);
    const message = `expected no file at ${path}, found one: it may hold the only copy of a key`;
    throw new AppError('key-file-exists', message, 'name another file with --to', error);
  }
}

function notWritable(path: string, error: unknown): AppError {
  const message = `expected to be able to write ${path}, found: ${messageOf(error)}`;
  const hint = 'check the owner, permissions and free space of its folder, or name another file with --to';
  return new AppError('key-file-not-writable', message, hint, error);
}
