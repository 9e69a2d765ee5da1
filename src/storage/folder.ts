// Folders as such: a plain one of files, such as a deployable edge rule (no tree, no lock, nothing that a reader looks at meanwhile),
// and the refusal of what is no folder.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { treeError } from './directory/tree-error.ts';

/** Writes a folder of files, over what was there under the same names. @throws AppError tree-not-writable, tree-full */
export function writeFolder(folder: string, files: readonly (readonly [name: string, text: string])[]): void {
  try {
    makeFolder(folder);
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw treeError(folder, error);
  }
}

/** Refuses a path that is something else than a folder, which need not exist. @throws AppError tree-not-writable */
export function refuseNoFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true) return;
  throw new AppError(
    'tree-not-writable',
    `expected a folder at ${path}, found something else`,
    'name another folder with --out',
  );
}
