// Plain folders: writes one of files, such as a deployable edge rule (not a tree: no lock, no readers meanwhile), and refuses a path that
// is not a folder.

import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { treeError } from './directory/tree-error.ts';

/**
 * Writes a folder of files, overwriting those of the same names; `flag` is what named the folder.
 * @throws AppError tree-not-writable, tree-full
 */
export function writeFolder(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
  flag: string,
): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    for (const [name, text] of files) {
      const path = join(folder, name);
      makeFolder(dirname(path));
      writeFileSync(path, text);
    }
  } catch (error) {
    throw treeError(folder, error, flag);
  }
}

/** Which of the files a folder has already, unless its README begins with a title: then they were written before and may be replaced. */
export function foreignFiles(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
  title: string,
): readonly string[] {
  const readme = join(folder, 'README.md');
  if (existsSync(readme) && readFileSync(readme, 'utf8').startsWith(title)) return [];
  return files.map(([name]) => name).filter((name) => existsSync(join(folder, name)));
}

/** Refuses a path that exists and is not a folder. @throws AppError tree-not-writable */
export function refuseNoFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true) return;
  const message = `expected a folder at ${path}, found something that is not a folder`;
  throw new AppError('tree-not-writable', message, 'name another folder with --out');
}
