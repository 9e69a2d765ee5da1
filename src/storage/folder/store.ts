// A tree in a folder. A file gets its final name, in one rename, only when its content is durable.
// A stopped run leaves temporary files, which the next run removes. The system calls of a publish
// are: write temporary files; fsync each, or sync the file system once; rename them; fsync their
// folders.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, shellWord, systemCodeOf } from '../../errors.ts';
import { fsyncPath } from '../../fsync-path.ts';
import { removeFile } from '../../remove-file.ts';
import { type Failure, type Found } from '../../release/tree/found.ts';
import type { RefusedFile, ReleaseStore, StoredFile } from '../../release/tree/store.ts';
import { EDGE_FOLDER, FRONTS_FOLDER, PUBLIC_FOLDER, RELEASES_FOLDER, RUNS_FOLDER } from '../../render/paths.ts';
import { isOfTree } from '../locked-tree.ts';
import { makePublicFolder } from '../public-mode.ts';
import { writeTemporaryFile } from '../temporary-file.ts';
import { DirectoryReader, failureOf, isTemporaryName, obstructed } from './reader.ts';
import { treeError } from './tree-error.ts';

/** From this number of files on, one sync of the file system is cheaper than an fsync per file. */
const FILES_FOR_ONE_SYNC = 64;

/** The folders of every tree. */
const FOLDERS = [PUBLIC_FOLDER, FRONTS_FOLDER, RELEASES_FOLDER, EDGE_FOLDER, RUNS_FOLDER];

export class DirectoryStore extends DirectoryReader implements ReleaseStore {
  readonly askSize = null;
  /** Paths created but not yet settled. */
  readonly #unsettled = new Set<string>();
  readonly #knownFolders = new Set<string>();
  /** New folders whose names may not be durable yet. */
  readonly #newFolders = new Set<string>();
  #hasWritten = false;
  /**
   * The prefix of all temporary files, if this store does not have the lock; null if each is beside
   * its final name.
   */
  readonly #temporaries: string | null;

  /**
   * `sharedFolder`: where a store without the lock writes temporary files. It must not do so below
   * `public`, where the holder of the lock removes them. The names are unique to this store,
   * because two processes may write the same file. The key ring has its own lock.
   */
  constructor(root: string, sharedFolder: string | null = null) {
    super(root);
    this.#temporaries = sharedFolder && `${sharedFolder}/.${randomUUID()}.`;
  }

  /**
   * A store for a folder that may not exist yet. `sharedFolder`: as for the constructor.
   * @throws AppError tree-not-writable: a folder of the tree is a link, so that files would be
   * written and removed elsewhere
   */
  static forWriting(root: string, sharedFolder: string | null = null): DirectoryStore {
    const store = new DirectoryStore(root, sharedFolder);
    for (const folder of FOLDERS) {
      const obstruction = store.#knownObstruction(folder);
      if (obstruction !== null) throw folderError(root, obstruction);
    }
    return store;
  }

  /** Whether a file of the tree has got its name, or was removed. */
  get hasWritten(): boolean {
    return this.#hasWritten;
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
    // State after a stop here: temporary files, which the next run removes, and content that no
    // pointer names.
    this.#nameDurably([...this.#unsettled]);
    this.#unsettled.clear();
    return [];
  }

  /** Nothing to do: the system holds the lock as long as the process lives. */
  async confirmLock(): Promise<void> {}

  async replace(files: readonly StoredFile[]): Promise<void> {
    for (const { path, bytes } of files) this.#writeTemporary(path, bytes);
    this.#nameDurably(files.map(({ path }) => path));
  }

  /**
   * Creates a file durably; false if the name is taken. If several processes try, exactly one
   * succeeds.
   */
  async createOnce({ path, bytes }: StoredFile): Promise<boolean> {
    const temporary = this.#temporary(path);
    this.#writeTemporary(path, bytes);
    try {
      return this.#writing(path, () => {
        fsyncPath(temporary);
        // Not a rename, which would replace an existing file.
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

  /** Removes the temporary files of this store, if it does not have the lock. */
  async sweepOwn(): Promise<void> {
    const own = this.#temporaries;
    if (own === null) return;
    for (const path of await this.list(dirname(own)))
      if (path.startsWith(own)) this.#writing(path, () => removeFile(join(this.root, path)));
  }

  async remove(paths: readonly string[]): Promise<void> {
    // What is beyond a link is not in the tree.
    const own = paths.filter((path) => this.#knownObstruction(dirname(path)) === null);
    this.#hasWritten ||= own.some(isOfTree);
    for (const path of own) this.#writing(path, () => removeFile(join(this.root, path)));
    const folders = new Set(own.map((path) => dirname(path)));
    for (const folder of folders) this.#removeEmptyFolder(folder);
    this.#writing('', () => {
      if (folders.size >= FILES_FOR_ONE_SYNC && syncFileSystem(this.root)) return;
      for (const folder of folders) fsyncPath(this.#nearestFolder(folder));
    });
  }

  /**
   * Removes the temporary files of stopped runs below `folders`. Only the holder of the lock may
   * call this.
   */
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
      const prefix = this.#prefixFor(path);
      if (prefix !== null) this.#makeFolder(dirname(prefix));
      writeTemporaryFile(this.#temporary(path), bytes);
    });
  }

  /**
   * Gives temporary files their final names: syncs the contents, renames, then syncs the folders.
   */
  #nameDurably(paths: readonly string[]): void {
    this.#writing('', () => {
      const isOneSync = paths.length >= FILES_FOR_ONE_SYNC && syncFileSystem(this.root);
      if (!isOneSync) for (const path of paths) fsyncPath(this.#temporary(path));
      this.#hasWritten ||= paths.some(isOfTree);
      for (const path of paths) renameSync(this.#temporary(path), join(this.root, path));
      if (!isOneSync || !syncFileSystem(this.root)) this.#syncFolders(paths);
      this.#newFolders.clear();
    });
  }

  /** Makes the names of files and of new folders durable. */
  #syncFolders(paths: readonly string[]): void {
    const holding = [...paths, ...this.#newFolders].map((path) => dirname(join(this.root, path)));
    for (const folder of new Set(holding)) fsyncPath(folder);
  }

  /**
   * The failure if a folder's path is taken by something else; null if not. A link counts: files
   * written there would be elsewhere.
   */
  #folderObstruction(folder: string): Failure | null {
    if (this.#knownFolders.has(folder)) return null;
    // The root itself may be a link.
    const stats = (folder === '.' ? statSync : lstatSync)(join(this.root, folder), { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (!stats.isDirectory()) return obstructed(folder, 'a folder', stats);
    this.#knownFolders.add(folder);
    return null;
  }

  /**
   * The same. Null also if the system does not let it be looked at: whoever reads or writes there
   * reports that.
   */
  #knownObstruction(folder: string): Failure | null {
    try {
      return this.#folderObstruction(folder);
    } catch {
      return null;
    }
  }

  /** Makes a folder and its parents. Their names become durable with the next `#syncFolders`. */
  #makeFolder(folder: string): void {
    if (this.#knownFolders.has(folder)) return;
    if (folder !== '.') this.#makeFolder(dirname(folder));
    const obstruction = this.#folderObstruction(folder);
    if (obstruction !== null) throw folderError(this.root, obstruction);
    if (this.#knownFolders.has(folder)) return;
    makePublicFolder(join(this.root, folder));
    this.#newFolders.add(folder);
    this.#knownFolders.add(folder);
  }

  /**
   * Removes the folder of a front or a run if it is empty, so that the tree is the same as in a
   * bucket, which has no empty folders.
   */
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

  /** The folder, or its nearest existing parent. */
  #nearestFolder(folder: string): string {
    const path = join(this.root, folder);
    return folder === '.' || statSync(path, { throwIfNoEntry: false }) !== undefined
      ? path
      : this.#nearestFolder(dirname(folder));
  }

  /**
   * The prefix of a file's temporary name; null if that is beside its final name, as always for the
   * key ring, which has its own lock.
   */
  #prefixFor(path: string): string | null {
    return path.startsWith(`${EDGE_FOLDER}/`) ? null : this.#temporaries;
  }

  #temporary(path: string): string {
    const prefix = this.#prefixFor(path);
    if (prefix !== null) return join(this.root, `${prefix}${path.replaceAll('/', ',')}.tmp`);
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

function folderError(root: string, { location, message }: Failure): AppError {
  const path = join(root, location);
  const hint = `move it away: mv ${shellWord(path)} ${shellWord(`${path}.old`)}; a tree on several disks needs mounts, not links`;
  return new AppError('tree-not-writable', `${path}: ${message}`, hint);
}

/** Syncs the file system that holds a folder; false if this machine's `sync` cannot do that. */
function syncFileSystem(root: string): boolean {
  return spawnSync('sync', ['-f', root], { stdio: 'ignore' }).status === 0;
}
