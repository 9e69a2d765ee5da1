// A tree whose lock this process holds until it releases it.

import type { ReleaseStore } from '../release/tree/store.ts';
import type { RequestsJson } from '../contract/results.ts';

export interface LockedTree {
  readonly store: ReleaseStore;
  /** The run's requests to a bucket so far; null for a folder. */
  readonly requests: () => RequestsJson | null;
  /** Waits for writes in progress and removes temporary files, including those of stopped runs. @throws AppError tree-not-writable */
  sweep(): Promise<void>;
  release(): Promise<void>;
}

/** Called after each file is uploaded into a bucket, with totals so far. */
export type OnTransfer = (files: number, filesTotal: number, bytes: number) => void;
