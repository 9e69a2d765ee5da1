// A tree to which several processes add content at the same time, without the lock. That is safe
// because a file whose name is its digest is the same, whoever writes it.

import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { RequestsJson } from '../contract/results/parts.ts';

export interface SharedTree {
  readonly store: ReleaseStore;
  /**
   * Creates a small file durably; false if a file of that name exists.
   * @throws AppError tree-full, tree-not-writable
   */
  createOnce(file: StoredFile): Promise<boolean>;
  /** The run's requests to a bucket so far; null for a folder. */
  readonly requests: () => RequestsJson | null;
  /**
   * Whether this run has written or removed a file of the tree (`isOfTree`), or may have. Temporary
   * files do not count.
   */
  readonly hasWritten: () => boolean;
  /**
   * Waits for writes in progress and removes unfinished files.
   * @throws AppError tree-not-writable
   */
  release(): Promise<void>;
}
