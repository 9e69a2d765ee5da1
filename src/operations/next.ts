// When each published front changes next, by the pointers of a tree alone. Reads only.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { NextResultJson } from '../contract/watch-results.ts';
import type { Finding } from '../findings.ts';
import { readTreeStatus } from '../release/status/read-status.ts';
import { nextChangesOf } from '../release/status/status.ts';
import { nothingPublished } from '../release/tree/found.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';

/**
 * The next change of every front after an instant, and what is wrong with the tree.
 * @throws AppError nothing-published, tree-missing, tree-unreadable, tree-newer-schema
 */
export async function nextChanges(
  outPath: string,
  at: Instant,
): Promise<{ readonly next: NextResultJson; readonly findings: readonly Finding[] }> {
  const { fronts, ...tree } = await readTreeStatus(DirectoryReader.open(outPath));
  if (fronts.length === 0) throw nothingPublished('a published front', outPath);
  const changes = nextChangesOf({ fronts, ...tree }, at);
  const [first] = changes.flatMap(({ instant }) => instant ?? []).sort((a, b) => a - b);
  return {
    next: {
      at: formatInstant(at),
      next: first === undefined ? null : formatInstant(first),
      fronts: changes.map(({ code, kind, instant, endpoints }) => ({
        front: code,
        kind,
        next: instant === null ? null : formatInstant(instant),
        endpoints: [...endpoints],
      })),
    },
    findings: tree.findings,
  };
}
