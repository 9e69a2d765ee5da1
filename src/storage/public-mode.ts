// Modes of what other users read: a tree, a textfile. The umask of whoever runs a command decides
// neither whether a web server can read the tree nor who else can write it.

import { chmodSync, statSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/**
 * Lets everybody read a file that was just made, and only its owner write it.
 * @throws the system's error
 */
export function makePublic(path: string): void {
  setMode(path, FILE_MODE);
}

/**
 * Makes a folder and its missing parents, which everybody can read and only their owner can write.
 * @throws the system's error
 */
export function makePublicFolder(path: string): void {
  for (const made of makeFolder(path)) setMode(made, FOLDER_MODE);
}

function setMode(path: string, wanted: number): void {
  const { mode } = statSync(path);
  if ((mode & 0o777) === wanted) return;
  try {
    // With its set-group-ID bit: what is made in such a folder gets its group.
    chmodSync(path, (mode & 0o7000) | wanted);
  } catch (error) {
    // Some file systems, such as FAT, have no modes that could be changed.
    if (systemCodeOf(error) !== 'EPERM') throw error;
  }
}
