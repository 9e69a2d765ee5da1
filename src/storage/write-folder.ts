// Writes folders that are not trees, such as a deployable edge rule: without a lock, and without
// readers at the same time.

import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { removeFile } from '../remove-file.ts';
import { treeError } from './folder/tree-error.ts';
import { writeTemporaryFile } from './temporary-file.ts';

type Files = readonly (readonly [name: string, text: string])[];

/**
 * Writes files into a folder, overwriting existing ones, but for those that somebody fills in:
 * these are only written if they are missing, and only their owner can read them. `flag` is the
 * option that named the folder.
 * @returns the files that were written
 * @throws AppError tree-not-writable, tree-full
 */
export function writeFolder(
  folder: string,
  files: Files,
  flag: string,
  isFilledIn: (name: string) => boolean = () => false,
): Files {
  try {
    // `link/..` is the folder that contains the link, as for `join`. The system would follow the
    // link.
    const root = resolve(folder);
    makeFolder(root);
    accessSync(root, constants.W_OK);
    const written = files.filter(([name]) => !isFilledIn(name) || !existsSync(join(root, name)));
    for (const [name, text] of written) {
      const path = join(root, name);
      makeFolder(dirname(path));
      // As bytes, because Node ignores `flush` if the data is a string. Some file systems report a
      // full disk only then.
      writeFileSync(path, Buffer.from(text), { flush: true, mode: isFilledIn(name) ? 0o600 : 0o666 });
    }
    return written;
  } catch (error) {
    throw treeError(folder, error, flag);
  }
}

/**
 * Which of the files exist in a folder already. None if its README begins with `title`: Playbill
 * wrote that folder, and may overwrite it.
 */
export function foreignFiles(folder: string, files: Files, title: string): readonly string[] {
  const readme = join(folder, 'README.md');
  if (existsSync(readme) && readFileSync(readme, 'utf8').startsWith(title)) return [];
  return files.map(([name]) => name).filter((name) => existsSync(join(folder, name)));
}

/** Refuses a path that exists and is not a folder. @throws AppError tree-not-writable */
export function refuseNonFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true) return;
  const message = `expected a folder at ${path}, found something that is not a folder`;
  throw new AppError('tree-not-writable', message, 'name another folder with --out');
}

/**
 * Replaces the only file of a folder: a reader sees all of the old text or all of the new. Refuses
 * a folder with anything else in it, and a file that does not begin with `start`: Playbill did not
 * write it. `writer` makes the temporary name unique among processes.
 * @returns the path of the file
 * @throws AppError preview-export-exists, tree-not-writable, tree-full
 */
export function replaceOnlyFile(
  folder: string,
  [name, text]: Files[number],
  { start, flag, writer }: { readonly start: string; readonly flag: string; readonly writer: string },
): string {
  const root = resolve(folder);
  const path = join(root, name);
  const temporary = join(root, `.${name}.${writer}.tmp`);
  try {
    makeFolder(root);
    const foreign = readdirSync(root).filter((one) => one !== name && !one.startsWith(`.${name}.`));
    const isOwn = !existsSync(path) || readFileSync(path, 'utf8').startsWith(start);
    if (foreign.length > 0 || !isOwn) {
      const found = [...foreign, ...(isOwn ? [] : [name])].slice(0, 5).join(', ');
      const message = `expected a new folder, an empty one, or an earlier export at ${folder}, found in it: ${found}`;
      throw new AppError('preview-export-exists', message, `name another folder with ${flag}`);
    }
    writeTemporaryFile(temporary, Buffer.from(text), true);
    try {
      renameSync(temporary, path);
    } catch (error) {
      removeFile(temporary);
      throw error;
    }
    return path;
  } catch (error) {
    throw treeError(folder, error, flag);
  }
}
