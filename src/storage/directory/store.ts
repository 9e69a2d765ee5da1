// A tree in a folder. Promises: a file bears its final name only when its content is durable; a name is taken in one rename;
// what a stopped run leaves behind is temporary names, which the next run sweeps. Expected system calls of a publish:
// write temporary … fsync (or one sync of the file system) … rename … fsync of folders, and for a pointer the same four alone.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, systemCodeOf } from '../../errors.ts';
import { makeFolder } from '../../make-folder.ts';
import { removeFile } from '../../remove-file.ts';
import { type Failure, type Found } from '../../release/tree/found.ts';
import type { RefusedFile, ReleaseStore, StoredFile } from '../../release/tree/store.ts';
import { FRONTS_FOLDER, PUBLIC_FOLDER, RELEASES_FOLDER, RUNS_FOLDER } from '../../render/paths.ts';
import { DirectoryReader, failureOf, isTemporaryName, obstructed } from './reader.ts';
import { treeError } from './tree-error.ts';

/** From here on one sync of the file system is cheaper than an fsync per file. */
const FILES_FOR_ONE_SYNC = 64;

export class DirectoryStore extends DirectoryReader implements ReleaseStore {
  readonly knownDates = null;
  /** Paths created but not yet settled. */
  readonly #unsettled = new Set<string>();
  readonly #knownFolders = new Set<string>();
  /** Folders that may be new, and whose own names are not yet sure to be on the disk. */
  readonly #newFolders = new Set<string>();
  /** Begins every temporary name of this store; null where each stands beside the name that it is for. */
  readonly #temporaries: string | null;

  /**
   * `sharedFolder`: where temporary names stand of a store that does not have the lock. Those below `public` belong to who has it, who sweeps
   * them; here each store has names of its own, as two processes may write the same file.
   */
  constructor(root: string, sharedFolder: string | null = null) {
    super(root);
    this.#temporaries = sharedFolder && `${sharedFolder}/.${randomUUID()}.`;
  }

  override async size(path: string): Promise<Found<number>> {
    try {
      return this.#folderObstruction(dirname(path)) ?? (await super.size(path));
    } catch (error) {
      return failureOf(path, error);
    }
  }

  async create({ path, bytes }: StoredFile): Promise<void> {
    this.#writeTemporary(path, bytes);
    this.#unsettled.add(path);
  }

  async settle(): Promise<readonly RefusedFile[]> {
    // State after a stop here: temporary names, which the next run sweeps, and content that nothing points at.
    this.#nameDurably([...this.#unsettled]);
    this.#unsettled.clear();
    return [];
  }

  /** The system keeps the lock for as long as the process lives. */
  async confirmLock(): Promise<void> {}

  async replace(files: readonly StoredFile[]): Promise<void> {
    for (const { path, bytes } of files) this.#writeTemporary(path, bytes);
    this.#nameDurably(files.map(({ path }) => path));
  }

  /** Writes a file, durably, unless something has its name; whether it did. Of several that try one does, whichever process it is in. */
  async createOnce({ path, bytes }: StoredFile): Promise<boolean> {
    const temporary = this.#temporary(path);
    this.#writeTemporary(path, bytes);
    try {
      return this.#writing(path, () => {
        fsyncPath(temporary);
        // A rename would take the place of what is there.
        linkSync(temporary, join(this.root, path));
        this.#syncFolders([path]);
        return true;
      });
    } catch (error) {
      if (error instanceof AppError && systemCodeOf(error.cause) === 'EEXIST') return false;
      throw error;
    } finally {
      removeFile(temporary);
    }
  }

  /** Removes the temporary names of this store, which does not have the lock. */
  async sweepOwn(): Promise<void> {
    const own = this.#temporaries;
    if (own === null) return;
    for (const path of await this.list(dirname(own)))
      if (path.startsWith(own)) this.#writing(path, () => removeFile(join(this.root, path)));
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#writing(path, () => removeFile(join(this.root, path)));
    const folders = new Set(paths.map((path) => dirname(path)));
    for (const folder of folders) this.#removeEmptyFolder(folder);
    this.#writing('', () => {
      if (folders.size >= FILES_FOR_ONE_SYNC && syncFileSystem(this.root)) return;
      for (const folder of folders) fsyncPath(this.#nearestFolder(folder));
    });
  }

  /** Removes the temporary names that a stopped run has left, below `folders`. For the holder of their lock only. */
  async sweep(folders: readonly string[] = [PUBLIC_FOLDER, RELEASES_FOLDER]): Promise<void> {
    for (const folder of folders) {
      for (const path of await this.list(folder)) {
        if (isTemporaryName(basename(path))) this.#writing(path, () => removeFile(join(this.root, path)));
      }
    }
  }

  #writeTemporary(path: string, bytes: Uint8Array): void {
    this.#writing(path, () => {
      this.#makeFolder(dirname(path));
      if (this.#temporaries !== null) this.#makeFolder(dirname(this.#temporaries));
      const temporary = this.#temporary(path);
      try {
        writeFileSync(temporary, bytes, { mode: 0o644 });
      } catch (error) {
        removeFile(temporary);
        throw error;
      }
    });
  }

  /** Gives written temporaries their names: first the contents durable, then the names, then the folders durable. */
  #nameDurably(paths: readonly string[]): void {
    this.#writing('', () => {
      const isOneSync = paths.length >= FILES_FOR_ONE_SYNC && syncFileSystem(this.root);
      if (!isOneSync) for (const path of paths) fsyncPath(this.#temporary(path));
      for (const path of paths) renameSync(this.#temporary(path), join(this.root, path));
      if (!isOneSync || !syncFileSystem(this.root)) this.#syncFolders(paths);
      this.#newFolders.clear();
    });
  }

  /** Makes names durable that files have got, and those of new folders. */
  #syncFolders(paths: readonly string[]): void {
    const holding = [...paths, ...this.#newFolders].map((path) => dirname(join(this.root, path)));
    for (const folder of new Set(holding)) fsyncPath(folder);
  }

  /** What is in the place of a folder, a link to one included: what is written there would be elsewhere. null where nothing is. */
  #folderObstruction(folder: string): Failure | null {
    if (this.#knownFolders.has(folder)) return null;
    const stats = lstatSync(join(this.root, folder), { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (!stats.isDirectory()) return obstructed(folder, 'a folder', stats);
    this.#knownFolders.add(folder);
    return null;
  }

  /** Makes a folder and its parents. A name is only as lasting as the folder that holds it: they are made sure with what they hold. */
  #makeFolder(folder: string): void {
    if (this.#knownFolders.has(folder)) return;
    const path = join(this.root, folder);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) {
      if (folder !== '.') this.#makeFolder(dirname(folder));
      makeFolder(path);
      this.#newFolders.add(folder);
    }
    this.#knownFolders.add(folder);
  }

  /** Removes the folder of a front, or of a run, in which nothing is any more: a bucket, too, has no folders but those of its files. */
  #removeEmptyFolder(folder: string): void {
    if (dirname(folder) !== FRONTS_FOLDER && dirname(folder) !== RUNS_FOLDER) return;
    this.#writing(folder, () => {
      try {
        rmdirSync(join(this.root, folder));
      } catch (error) {
        if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY'].includes(systemCodeOf(error))) throw error;
      }
    });
    this.#knownFolders.delete(folder);
  }

  /** A folder, or the nearest one above it that is there. */
  #nearestFolder(folder: string): string {
    const path = join(this.root, folder);
    return folder === '.' || statSync(path, { throwIfNoEntry: false }) !== undefined
      ? path
      : this.#nearestFolder(dirname(folder));
  }

  #temporary(path: string): string {
    if (this.#temporaries !== null) return join(this.root, `${this.#temporaries}${path.replaceAll('/', ',')}.tmp`);
    return join(this.root, dirname(path), `.${basename(path)}.tmp`);
  }

  #writing<T>(path: string, write: () => T): T {
    try {
      return write();
    } catch (error) {
      throw treeError(join(this.root, path), error);
    }
  }
}

function fsyncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** One sync of the file system that holds a folder; false where this machine has no such command. */
function syncFileSystem(root: string): boolean {
  return spawnSync('sync', ['-f', root], { stdio: 'ignore' }).status === 0;
}
