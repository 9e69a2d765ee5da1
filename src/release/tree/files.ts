// What reading asks of a place that keeps a tree. No link is followed, and every failure of a file is a value: what is found is not
// trusted. Paths are those of render/paths.ts, from the tree's root, with forward slashes.

import type { Encoding } from '../../render/paths.ts';
import type { Found } from './found.ts';

export interface TreeFiles {
  /** Where the tree is, for messages. */
  readonly root: string;
  /** The bytes of a file. */
  read(path: string): Promise<Found<Uint8Array>>;
  /** The paths of all files below a folder ('' for all), sorted; none where there is no such folder. @throws AppError tree-unreadable */
  list(folder: string): Promise<readonly string[]>;
}

/** A tree whose folders can be looked into, name by name. */
export interface TreeFolders extends TreeFiles {
  /** The size of a file in bytes; its content is not read. */
  size(path: string): Promise<Found<number>>;
  /** What is directly in a folder ('' for the root), sorted by path; nothing where there is no such folder. */
  entries(folder: string): Promise<Found<readonly TreeEntry[]>>;
}

export interface TreeEntry {
  readonly path: string;
  readonly kind: EntryKind;
}

/** What a name stands for. `temporary` is a file that a stopped run has not finished. */
export type EntryKind = 'file' | 'folder' | 'symbolic-link' | 'temporary' | 'other';

/** How a sibling of an edition is compressed. */
export type Compression = Exclude<Encoding, 'identity'>;
