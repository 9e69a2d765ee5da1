// Checks a tree. Opens no database, writes nothing.

import { join } from 'node:path';
import type { Finding } from '../findings.ts';
import type { VerifyCounts } from '../release/verify/front.ts';
import { verifyTree } from '../release/verify/verify.ts';
import { isInBucket, openTree } from '../storage/open-tree.ts';

/**
 * Everything that is wrong with a tree, as it is found. `isSizesOnly`: editions are looked for by name and size, and not read.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema, and those of buckets
 */
export async function* verify(
  out: string,
  counts: VerifyCounts,
  onFront: (done: number, total: number) => void,
  isSizesOnly = false,
): AsyncGenerator<Finding> {
  yield* verifyTree(await openTree(out), counts, onFront, isSizesOnly);
}

/** The whole path of a file, by its path in the tree. */
export function wholePath(out: string, path: string): string {
  return isInBucket(out) ? `${out.replace(/\/+$/, '')}/${path}` : join(out, path);
}
