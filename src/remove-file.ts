// Removes files. Used instead of rmSync, whose errors lack the system's code in rare cases since
// Node.js 24.

import { unlinkSync } from 'node:fs';
import { systemCodeOf } from './errors.ts';

/** Removes a file if it exists. @throws the system's error */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // ENOTDIR: a parent in the path is a file.
    if (!['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error))) throw error;
  }
}
