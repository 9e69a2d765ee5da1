// What publishing asks of a place that keeps releases: a folder, or a bucket. Small on purpose. A dry run is a store that writes nothing,
// so that publishing need not know of it.

import type { TreeFiles } from './files.ts';
import type { Found } from './found.ts';

export interface ReleaseStore extends TreeFiles {
  /** The size of a file in bytes. */
  size(path: string): Promise<Found<number>>;
  /**
   * Writes a file that no reader looks for yet. The bytes are the caller's again when the call returns. The file may appear under its
   * name only after `settle`.
   */
  create(file: StoredFile): Promise<void>;
  /** Everything created so far is durable and bears its name. */
  settle(): Promise<void>;
  /**
   * Makes sure that nobody else has begun to write meanwhile, as after a long pause of this machine; asked directly before what readers
   * look for is replaced. @throws AppError tree-locked
   */
  confirmLock(): Promise<void>;
  /**
   * Writes files in the places of others, in any order; durable when done. Of each, a reader sees the old one or the new one, whole.
   */
  replace(files: readonly StoredFile[]): Promise<void>;
  /** Removes files that may be there, in any order. Durable when done, and a folder left empty is removed too. */
  remove(paths: readonly string[]): Promise<void>;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** In hex, where it is known. */
  readonly sha256?: string;
}
