// The result of the build after this one, where nothing changes in between.

import type { BuildResultJson } from '../contract/results.ts';

/**
 * What the same build finds once this one is done: nothing to put, the same to keep. Null where that is not sure: a guard that was
 * overridden, a tree that was mended, and files that went leave their lines in one run and not in the next.
 */
export function nothingToDo(result: BuildResultJson): BuildResultJson | null {
  const { put, kept, removed, fronts, findings, findingsTotal } = result;
  const isDone = put.files === 0 && removed.files === 0;
  if (isDone) return result;
  const isOfCatalogue = findings.every(({ place }) => !isOfTree(place));
  if (removed.files > 0 || findingsTotal > findings.length || !isOfCatalogue) return null;
  if (fronts.some((front) => front.guards.length > 0)) return null;
  const none = { files: 0, bytes: 0 };
  const both = (one: typeof put, other: typeof kept): typeof put => ({
    files: one.files + other.files,
    bytes: one.bytes + other.bytes,
  });
  return {
    ...result,
    fronts: fronts.map((front) => ({ ...front, put: none, kept: both(front.put, front.kept) })),
    put: none,
    kept: both(put, kept),
  };
}

/** Findings in a tree are placed by its paths. */
function isOfTree(place: string): boolean {
  return /^(public|edge|releases)(\/|$)/.test(place);
}
