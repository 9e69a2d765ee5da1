// Makes a file, or the names in a folder, durable, for `storage` and `database`.

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** @throws the system's error */
export function fsyncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
