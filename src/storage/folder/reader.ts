// Reads a tree in a folder. Follows no symbolic links except the root itself, does not wait for
// pipes, writes nothing, and returns system errors as values.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import type { EntryKind, TreeEntry, TreeFolders } from '../../release/tree/files.ts';
import { found, missing, orThrow, treeMissing, type Failure, type Found } from '../../release/tree/found.ts';

/** O_NONBLOCK: do not wait for a writer if the file is a pipe. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether a file of this name is unfinished: files are written under such names and renamed. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.tmp$/.test(name);
}

export class DirectoryReader implements TreeFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Opens an existing folder. @throws AppError tree-missing, tree-unreadable */
  static open(root: string): DirectoryReader {
    try {
      const stats = statSync(root, { throwIfNoEntry: false });
      if (stats?.isDirectory() === true) return new DirectoryReader(root);
      if (stats === undefined) throw treeMissing(root, 'nothing');
      throw treeMissing(root, 'something that is not a folder', false);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (systemCodeOf(error) === 'ENOTDIR') throw treeMissing(root, 'nothing');
      const message = `expected to read ${root}, found: ${messageOf(error)}`;
      throw new AppError('tree-unreadable', message, 'check its owner and permissions', error);
    }
  }

  async read(path: string): Promise<Found<Uint8Array>> {
    // Synchronous reads take a tenth of the time of asynchronous ones for many small files
    // (measured). setImmediate lets a server handle other requests in between.
    await setImmediate();
    try {
      const descriptor = openSync(join(this.root, path), READING);
      try {
        const stats = fstatSync(descriptor);
        return stats.isFile() ? found(readFileSync(descriptor)) : obstructed(path, 'a file', stats);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      return failureOf(path, error);
    }
  }

  async size(path: string): Promise<Found<number>> {
    try {
      const stats = lstatSync(join(this.root, path), { throwIfNoEntry: false });
      if (stats === undefined) return missing(path);
      return stats.isFile() ? found(stats.size) : obstructed(path, 'a file', stats);
    } catch (error) {
      return failureOf(path, error);
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    const paths: string[] = [];
    const folders = [folder];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      for (const { path, kind } of orThrow(this.#entries(at))) {
        if (kind === 'folder') folders.push(path);
        else paths.push(path);
      }
    }
    return paths.sort();
  }

  async entries(folder: string): Promise<Found<readonly TreeEntry[]>> {
    await setImmediate();
    return this.#entries(folder);
  }

  #entries(folder: string): Found<readonly TreeEntry[]> {
    try {
      const entries = readdirSync(join(this.root, folder), { withFileTypes: true }).map((entry) => ({
        path: folder === '' ? entry.name : `${folder}/${entry.name}`,
        kind: kindOf(entry),
      }));
      return found(entries.sort((a, b) => (a.path < b.path ? -1 : 1)));
    } catch (error) {
      const failure = failureOf(folder, error);
      return failure.why === 'missing' ? found([]) : failure;
    }
  }
}

/** The failure for a system error while reading. */
export function failureOf(path: string, error: unknown): Failure {
  const code = systemCodeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing(path);
  const link = code === 'ELOOP' ? 'a symbolic link' : code === 'ENXIO' ? 'a socket' : null;
  const message = link === null ? `cannot be read: ${messageOf(error)}` : `expected a file, found ${link}`;
  const why = link === null ? 'unreadable' : 'obstructed';
  return { ok: false, why, location: path, message, isReplaceable: link !== null };
}

/** The failure for a path that is not a file, or not a folder, as expected. */
export function obstructed(location: string, expected: 'a file' | 'a folder', stats: Stats): Failure {
  let kind = 'something that is neither file nor folder';
  if (stats.isDirectory()) kind = 'a folder';
  else if (stats.isSymbolicLink()) kind = 'a symbolic link';
  else if (stats.isFile()) kind = 'a file';
  const isReplaceable = expected === 'a file' && !stats.isDirectory();
  return { ok: false, why: 'obstructed', location, message: `expected ${expected}, found ${kind}`, isReplaceable };
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isSymbolicLink()) return 'symbolic-link';
  // Node puts replacement characters into a name that is not UTF-8, so the file cannot be opened.
  if (entry.name.includes('\uFFFD')) return 'other';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isFile()) return 'other';
  return isTemporaryName(entry.name) ? 'temporary' : 'file';
}
