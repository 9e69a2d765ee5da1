// A text file outside of any tree that is replaced atomically, such as a Prometheus textfile: a reader sees all of the old text or all of
// the new.

import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { removeFile } from '../remove-file.ts';

/**
 * The text of a file that is about to be replaced; '' where there is none. Refuses what cannot be replaced, or was not written by
 * Playbill: only an empty file or one that begins with `header` was.
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
  throw notWritable(path, 'found something that Playbill has not written', 'name another file, or remove that one');
}

/**
 * Replaces a file durably: temporary name in the same folder, fsync, rename. `writer` makes the temporary name unique among processes
 * that replace the same file. @throws AppError metrics-not-writable
 */
export function replaceTextFile(path: string, text: string, writer: string): void {
  // A collector that reads *.prom must not see it.
  const temporary = join(dirname(path), `.${basename(path)}.${writer}.tmp`);
  try {
    // As bytes: where the data is text, Node ignores `flush`.
    writeFileSync(temporary, Buffer.from(text), { mode: 0o644, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    removeFile(temporary);
    throw notWritable(path, messageOf(error), 'check the owner and permissions of its folder, and its room', error);
  }
}

function notWritable(path: string, problem: string, hint: string, cause?: unknown): AppError {
  return new AppError('metrics-not-writable', `expected to be able to replace ${path}: ${problem}`, hint, cause);
}
