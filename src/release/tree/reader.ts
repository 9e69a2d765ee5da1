// What checking asks of a place that keeps a tree: names and kinds as they are, without following links, and every failure as
// a value. Apart from ReleaseStore, which trusts what it finds: a checker must not, and never writes.

import type { Encoding } from '../../render/paths.ts';

/** What a name stands for. `temporary` is a file that a stopped run has not finished. */
export type EntryKind = 'file' | 'folder' | 'symbolic-link' | 'temporary' | 'other';

export interface TreeEntry {
  /** From the tree's root, with forward slashes. */
  readonly path: string;
  readonly kind: EntryKind;
}

export type TreeRead =
  | { readonly bytes: Uint8Array; readonly problem: null }
  | { readonly bytes: null; readonly problem: string };

export type TreeListing =
  | { readonly entries: readonly TreeEntry[]; readonly problem: null }
  | { readonly entries: readonly []; readonly problem: string };

/** How a sibling of an edition is compressed. */
export type Compression = Exclude<Encoding, 'identity'>;

export interface TreeReader {
  /** Where the tree is, for messages. */
  readonly place: string;
  /** What is directly in a folder ('' for the root), sorted by path; nothing where there is no such folder. */
  entries(folder: string): Promise<TreeListing>;
  /** The bytes of a file; a link in its place is a problem. */
  read(path: string): Promise<TreeRead>;
  /** What a compressed file unfolds to; null where it does not, or to more than `bytesMax`. */
  unfold(bytes: Uint8Array, compression: Compression, bytesMax: number): Uint8Array | null;
}
