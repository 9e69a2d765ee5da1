// What publishing asks of a place that keeps releases: a folder today, a bucket tomorrow. Small on purpose. A dry run is a store that
// writes nothing, so that publishing need not know of it.

import type { TreeFiles } from './files.ts';
import type { Found } from './found.ts';

export interface ReleaseStore extends TreeFiles {
  /** The size of a file in bytes. */
  size(path: string): Promise<Found<number>>;
  /**
   * Writes a file that no reader looks for yet. The bytes are the caller's again when the call returns. The file may appear under its
   * name only after `settle`.
   */
  create(path: string, bytes: Uint8Array): Promise<void>;
  /** Everything created so far is durable and bears its name. */
  settle(): Promise<void>;
  /**
   * Writes files in the places of others, in the order given; durable when done. Of each, a reader sees the old one or the new one,
   * whole.
   */
  replace(files: readonly StoredFile[]): Promise<void>;
  /** Removes files that may be there, in the order given. Durable when done, and a folder left empty is removed too. */
  remove(paths: readonly string[]): Promise<void>;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}
