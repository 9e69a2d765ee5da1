// What publishing asks of a place that keeps releases: a folder, or a bucket. Small on purpose. A dry run is a store that writes nothing,
// so that publishing need not know of it.

import type { Instant } from '../../catalogue/instant.ts';
import type { AppError } from '../../errors.ts';
import type { TreeFiles } from './files.ts';
import type { Found } from './found.ts';

export interface ReleaseStore extends TreeFiles {
  /** Kept where reading is slow, and paid; null elsewhere. */
  readonly knownDates: KnownDates | null;
  /** The size of a file in bytes. */
  size(path: string): Promise<Found<number>>;
  /**
   * Writes a file that no reader looks for yet. The bytes are the caller's again when the call returns. The file may appear under its
   * name only after `settle`.
   */
  create(file: StoredFile): Promise<void>;
  /** Everything created so far is durable and bears its name, but for the files that are given back. */
  settle(): Promise<readonly RefusedFile[]>;
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

/** Instants of releases whose manifests have not changed since they were read and found whole. */
export interface KnownDates {
  get(manifestPath: string): Promise<Instant | null>;
  /** Of a manifest that this run has read. */
  set(manifestPath: string, now: Instant): void;
}

/** A file that this run may not write, although it may write others: it is not there. */
export interface RefusedFile {
  readonly path: string;
  readonly error: AppError;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** In hex, where it is known. */
  readonly sha256?: string;
}
