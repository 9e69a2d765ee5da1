// The interface for writing a tree, implemented for folders and buckets and kept small on purpose.
// A dry run is a store that writes nothing, so that publishing need not know about it.

import type { AppError } from '../../errors.ts';
import type { TreeSizes } from './files.ts';
import type { Found } from './found.ts';

export interface ReleaseStore extends TreeSizes {
  /**
   * The same from the file itself. For stores whose `size` answers from a listing, which may show
   * what has been removed: only what the current release names is certain to be there. null for
   * others.
   */
  readonly askSize: ((path: string) => Promise<Found<number>>) | null;
  /**
   * Writes a file that no reader uses yet. Where `askSize` is not null, it may exist: then it stays
   * as it is. The caller may reuse the bytes when the call returns. The file may not exist under
   * its name until `settle`.
   */
  create(file: StoredFile): Promise<void>;
  /** Makes all created files durable under their names, except those it returns. */
  settle(): Promise<readonly RefusedFile[]>;
  /**
   * Makes sure that no other run writes the tree, as one may after a long pause of this machine.
   * Called just before files that readers use are replaced or removed.
   * @throws AppError tree-locked
   */
  confirmLock(): Promise<void>;
  /**
   * Replaces or creates files durably, in any order. A reader sees the old or the new version of
   * each file, whole.
   */
  replace(files: readonly StoredFile[]): Promise<void>;
  /**
   * Removes files durably, in any order, and folders that become empty. Files that do not exist are
   * ignored.
   */
  remove(paths: readonly string[]): Promise<void>;
}

/**
 * A file that was not written because this run lacks the permission, although it may write others.
 */
export interface RefusedFile {
  readonly path: string;
  readonly error: AppError;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Of the bytes, in hex, if known. */
  readonly sha256?: string;
}
