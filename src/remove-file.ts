// The one way to remove a file. Not by rmSync: since Node.js 24 its errors have no code where the system's is a rare one.

import { unlinkSync } from 'node:fs';
import { systemCodeOf } from './errors.ts';

/** Removes a file if it exists. Throws the error of the system. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // ENOTDIR: what should be its folder is a file.
    if (!['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error))) throw error;
  }
}
