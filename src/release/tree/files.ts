// The interface for reading a tree. Implementations do not follow links, and return failures as
// values, because a tree may contain anything. Paths come from render/paths.ts: relative to the
// root, with forward slashes.

import type { Encoding } from '../../render/paths.ts';
import type { Found } from './found.ts';

export interface TreeFiles {
  /** Where the tree is, for messages. */
  readonly root: string;
  /**
   * The content of a file. `likely` is a text that it probably has: where a listing proves that, the
   * file itself need not be read.
   */
  read(path: string, likely?: string): Promise<Found<Uint8Array>>;
  /**
   * The paths of all files below a folder ('' for all), sorted; empty if there is no such folder.
   * @throws AppError tree-unreadable
   */
  list(folder: string): Promise<readonly string[]>;
}

/** A tree that tells the sizes of files. */
export interface TreeSizes extends TreeFiles {
  /** The size of a file in bytes, without reading it. */
  size(path: string): Promise<Found<number>>;
}

/** A tree whose folders can be listed. */
export interface TreeFolders extends TreeSizes {
  /**
   * The entries directly in a folder ('' for the root), sorted by path; empty if there is no such
   * folder.
   */
  entries(folder: string): Promise<Found<readonly TreeEntry[]>>;
}

export interface TreeEntry {
  readonly path: string;
  readonly kind: EntryKind;
}

/** `temporary` is a file that a stopped run did not finish. */
export type EntryKind = 'file' | 'folder' | 'symbolic-link' | 'temporary' | 'other';

/** The compression of an edition's sibling. */
export type Compression = Exclude<Encoding, 'identity'>;
