// A tree to which several processes add content at the same time, and nothing else: a file whose name is its digest is the same whoever
// writes it. None of them has the lock.

import type { ReleaseStore, StoredFile } from '../release/tree/store.ts';
import type { RequestTotals } from './objects/request-totals.ts';

export interface SharedTree {
  readonly store: ReleaseStore;
  /** Writes a small file, durably, unless there is one of its name; false: another one is there. @throws AppError tree-full, tree-not-writable */
  createOnce(file: StoredFile): Promise<boolean>;
  /** What has been asked of a bucket so far; null for a folder. */
  readonly requests: () => RequestTotals | null;
  /** Ends what is on its way, and removes what was not finished. @throws AppError tree-not-writable */
  release(): Promise<void>;
}
