// Writes files under temporary names, for whoever gives them their final names once they are
// durable.

import { closeSync, constants, lstatSync, openSync, writeFileSync } from 'node:fs';
import { removeFile } from '../remove-file.ts';
import { makePublic } from './public-mode.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a file that everybody can read. What is at its path is removed, and not written to: it may
 * be a symbolic link to another file. Leaves nothing behind if it fails. `flush`: the content is
 * durable on return.
 * @throws the system's error
 */
export function writeTemporaryFile(path: string, bytes: Uint8Array, flush = false): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) removeFile(path);
  try {
    const descriptor = openSync(path, NEW_FILE);
    try {
      writeFileSync(descriptor, bytes, { flush });
    } finally {
      closeSync(descriptor);
    }
    makePublic(path);
  } catch (error) {
    removeFile(path);
    throw error;
  }
}
