// Replaces text files outside a tree atomically, such as a Prometheus textfile: a reader sees all
// of the old text or all of the new.

import { readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { removeFile } from '../remove-file.ts';
import { writeTemporaryFile } from './temporary-file.ts';

/**
 * The text of a file that is about to be replaced; '' if there is none. Refuses a path that cannot
 * be replaced, and a file that is neither empty nor begins with `header`: Playbill did not write
 * it.
 * @throws AppError metrics-not-writable
 */
export function readReplaceableFile(path: string, header: string): string {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw notWritable(path, `expected a folder at ${folder}, found none`, 'make that folder, or name another file');
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  try {
    const text = stats.isFile() ? readFileSync(path, 'utf8') : null;
    if (text === '' || text?.startsWith(header) === true) return text;
  } catch (error) {
    throw notWritable(path, messageOf(error), 'check its owner and permissions', error);
  }
  throw notWritable(path, 'found something that Playbill did not write', 'name another file, or remove that one');
}

/**
 * Replaces a file durably: temporary file in the same folder, fsync, rename. `writer` makes the
 * temporary name unique among processes that replace the same file.
 * @throws AppError metrics-not-writable
 */
export function replaceTextFile(path: string, text: string, writer: string): void {
  // Not *.prom, so that a collector does not read it.
  const temporary = join(dirname(path), `.${basename(path)}.${writer}.tmp`);
  try {
    writeTemporaryFile(temporary, Buffer.from(text), true);
    renameSync(temporary, path);
  } catch (error) {
    removeFile(temporary);
    throw notWritable(path, messageOf(error), 'check the owner, permissions and free space of its folder', error);
  }
}

function notWritable(path: string, problem: string, hint: string, cause?: unknown): AppError {
  return new AppError('metrics-not-writable', `expected to be able to replace ${path}: ${problem}`, hint, cause);
}
