// A tree whose lock this process holds until it releases it.

import type { ReleaseStore } from '../release/tree/store.ts';
import type { RequestsJson } from '../contract/results/parts.ts';
import { EDGE_FOLDER, PUBLIC_FOLDER, RELEASES_FOLDER } from '../render/paths.ts';

export interface LockedTree {
  readonly store: ReleaseStore;
  /** The run's requests to a bucket so far; null for a folder. */
  readonly requests: () => RequestsJson | null;
  /** Seconds since 1970 by the clock of a bucket's store; null for a folder. */
  readonly storeSeconds: () => number | null;
  /**
   * Whether this run has written or removed a file of the tree (`isOfTree`), or may have. Temporary
   * files do not count.
   */
  readonly hasWritten: () => boolean;
  /**
   * Waits for writes in progress and removes temporary files, including those of stopped runs.
   * @throws AppError tree-not-writable
   */
  sweep(): Promise<void>;
  release(): Promise<void>;
}

/** Called after each file is uploaded into a bucket, with totals so far. */
export type OnTransfer = (files: number, filesTotal: number, bytes: number) => void;

/**
 * Whether a path is below the folders of which exit code 2 says that nothing in them was written.
 */
export function isOfTree(path: string): boolean {
  return [PUBLIC_FOLDER, EDGE_FOLDER, RELEASES_FOLDER].some((folder) => path.startsWith(`${folder}/`));
}
