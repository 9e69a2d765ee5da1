// A tree in a folder as a checker sees it: it follows no link, waits for no pipe, writes nothing, and gives what the system
// refuses back as text. Only the root itself may be a link: the operator has named it.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { AppError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import type { Compression, EntryKind, TreeListing, TreeRead, TreeReader } from '../../release/tree/reader.ts';
import { isTemporaryName } from './store.ts';

export class DirectoryReader implements TreeReader {
  readonly place: string;

  private constructor(root: string) {
    this.place = root;
  }

  /** @throws AppError tree-missing, tree-unreadable */
  static open(root: string): DirectoryReader {
    let found = 'nothing';
    try {
      const stats = statSync(root, { throwIfNoEntry: false });
      if (stats?.isDirectory() === true) return new DirectoryReader(root);
      if (stats !== undefined) found = 'something that is no folder';
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOTDIR') {
        const message = `expected to read ${root}, found: ${messageOf(error)}`;
        throw new AppError('tree-unreadable', message, 'check its owner and permissions', error);
      }
    }
    throw new AppError(
      'tree-missing',
      `expected a tree at ${root}, found ${found}`,
      `make one: playbill build --out ${shellWord(root)} (or name another with --out)`,
    );
  }

  async entries(folder: string): Promise<TreeListing> {
    // Lets the process hear its signals between two folders: everything else here is synchronous.
    await setImmediate();
    try {
      const entries = readdirSync(join(this.place, folder), { withFileTypes: true }).map((entry) => ({
        path: folder === '' ? entry.name : `${folder}/${entry.name}`,
        kind: kindOf(entry),
      }));
      return { entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)), problem: null };
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return { entries: [], problem: null };
      return { entries: [], problem: `cannot be listed: ${messageOf(error)}` };
    }
  }

  async read(path: string): Promise<TreeRead> {
    let descriptor: number | undefined;
    try {
      // Without O_NONBLOCK a pipe in a file's place would make us wait for ever.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      descriptor = openSync(join(this.place, path), flags);
      if (!fstatSync(descriptor).isFile()) return { bytes: null, problem: 'expected a file, found something else' };
      return { bytes: readFileSync(descriptor), problem: null };
    } catch (error) {
      return { bytes: null, problem: `cannot be read: ${messageOf(error)}` };
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  unfold(bytes: Uint8Array, compression: Compression, bytesMax: number): Uint8Array | null {
    // The limit keeps a few bytes of a hostile file from becoming gigabytes here.
    const options = { maxOutputLength: Math.max(1, bytesMax) };
    try {
      return compression === 'gzip' ? gunzipSync(bytes, options) : brotliDecompressSync(bytes, options);
    } catch {
      return null;
    }
  }
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isSymbolicLink()) return 'symbolic-link';
  // A name that is no UTF-8 comes with replacement characters, and cannot be opened by what is left of it.
  if (entry.name.includes('\uFFFD')) return 'other';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isFile()) return 'other';
  return isTemporaryName(entry.name) ? 'temporary' : 'file';
}
