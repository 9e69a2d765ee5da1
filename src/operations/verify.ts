// Checks a tree. Opens no database, writes nothing.

import type { Finding } from '../findings.ts';
import type { VerifyCounts } from '../release/verify/front.ts';
import { verifyTree } from '../release/verify/verify.ts';
import { openTree } from '../storage/open-tree.ts';

/** Everything that is wrong with a tree, as it is found. @throws AppError tree-missing, tree-unreadable, tree-newer-schema */
export async function* verify(
  out: string,
  counts: VerifyCounts,
  onFront: (done: number, total: number) => void,
): AsyncGenerator<Finding> {
  yield* verifyTree(await openTree(out), counts, onFront);
}
