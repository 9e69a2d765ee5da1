// The one way to make a folder. Not Node's recursive mkdir: where making a folder fails as if its parent were missing although it is
// there, as under /proc, that tries again for ever, deaf to every signal but SIGKILL.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from './errors.ts';

/** Makes a folder, and those above it that are missing; one that is there is as good. Throws the error of the system. */
export function makeFolder(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const parent = dirname(path);
  // The root and `.` are their own parents.
  if (stats === undefined && parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    const isMadeMeanwhile =
      systemCodeOf(error) === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isMadeMeanwhile) throw error;
  }
}
