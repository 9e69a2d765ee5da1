// A tree that is written by nobody else until it is released.

import type { ReleaseStore } from '../release/tree/store.ts';
import type { RequestTotals } from './objects/request-totals.ts';

export interface LockedTree {
  readonly store: ReleaseStore;
  /** What the run has asked of a bucket so far; null for a folder. */
  readonly requests: () => RequestTotals | null;
  /** Ends what is on its way and removes temporary names, those that a stopped run has left too. @throws AppError tree-not-writable */
  sweep(): Promise<void>;
  release(): Promise<void>;
}

/** Called as files get into a bucket. */
export type OnTransfer = (files: number, filesTotal: number, bytes: number) => void;
