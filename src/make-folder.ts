// Makes folders. Used instead of Node's recursive mkdir, which loops forever and ignores every
// signal but SIGKILL when mkdir reports a missing parent that exists, as it does under /proc.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from './errors.ts';

/**
 * Makes a folder and its missing parents; does nothing if it exists.
 * @returns the folders that it has made, parents first
 * @throws the system's error
 */
export function makeFolder(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return [];
  const parent = dirname(path);
  // `/` and `.` are their own parents.
  const parents = stats === undefined && parent !== path ? makeFolder(parent) : [];
  try {
    mkdirSync(path);
    return [...parents, path];
  } catch (error) {
    // Another process may have made it since.
    const isMade =
      systemCodeOf(error) === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isMade) throw error;
    return parents;
  }
}
