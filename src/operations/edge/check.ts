// Checks a deployed edge over HTTP, and compares it with the tree that it should serve.

import type { EdgeCheck, EdgeCheckResultJson } from '../../contract/results/edge.ts';
import { checkEdge, compareWithTree, type ComparedTree, type EdgeCheckOptions } from '../../edge-check/check-edge.ts';
import type { EdgeAddress, FrontKey } from '../../edge-check/checked-edge.ts';
import { orThrow } from '../../release/tree/found.ts';
import { readKeyRing, readPointer } from '../../release/tree/read.ts';
import { freshTrees } from '../../storage/open-tree.ts';

/**
 * Checks an edge. `out` null skips the checks that need a tree.
 * @throws AppError edge-unreachable, tree-missing, tree-unreadable, tree-newer-schema
 */
export async function checkDeployedEdge(
  out: string | null,
  options: Omit<EdgeCheckOptions, 'tree'>,
): Promise<EdgeCheckResultJson> {
  return checkEdge({ ...options, tree: out === null ? null : await comparedTree(out) });
}

/**
 * Compares what an edge serves for these keys with a tree.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function compareEdge(
  out: string,
  address: EdgeAddress,
  keys: readonly FrontKey[],
): Promise<readonly EdgeCheck[]> {
  return compareWithTree(address, keys, await comparedTree(out));
}

async function comparedTree(out: string): Promise<ComparedTree> {
  const fresh = await freshTrees(out);
  return {
    keyRing: async () => orThrow(await readKeyRing(fresh()), 'tree-unreadable', out),
    pointer: async (front) => {
      const read = await readPointer(front, fresh());
      return !read.ok && read.why === 'missing' ? null : orThrow(read, 'tree-unreadable', out).pointer;
    },
  };
}
