// Checks a tree. Opens no database, writes nothing.

import { join } from 'node:path';
import type { Instant } from '../catalogue/instant.ts';
import type { Finding } from '../findings.ts';
import type { VerifyCounts } from '../release/verify/front.ts';
import { verifyTree } from '../release/verify/verify.ts';
import { isInBucket, openTree } from '../storage/open-tree.ts';

/**
 * Yields whatever is wrong with a tree, as it is found. `isSizesOnly` checks that editions exist
 * and have their size, without reading them. `now`: when a front must have a valid key; null: that
 * is not checked.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema, and those of buckets
 */
export async function* verify(
  out: string,
  counts: VerifyCounts,
  onFront: (done: number, total: number) => void,
  isSizesOnly = false,
  now: Instant | null = null,
): AsyncGenerator<Finding> {
  yield* verifyTree(await openTree(out), counts, onFront, isSizesOnly, now);
}

/** The full path, or address, of a file in the tree. */
export function wholePath(out: string, path: string): string {
  return isInBucket(out) ? `${out.replace(/\/+$/, '')}/${path}` : join(out, path);
}
