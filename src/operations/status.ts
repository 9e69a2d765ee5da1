// The state of a tree, for monitoring, and the next changes that the clock brings. Opens no
// database.

import type { Instant } from '../catalogue/instant.ts';
import type { StatusResultJson } from '../contract/results/status.ts';
import type { Finding } from '../findings.ts';
import { historyOf } from '../release/history/history-size.ts';
import { readTreeStatus } from '../release/status/read-status.ts';
import { nextChangesOf, readStatusAt } from '../release/status/status.ts';
import { nothingPublished } from '../release/tree/found.ts';
import type { VerifyCounts } from '../release/verify/front.ts';
import { verifyTree } from '../release/verify/verify.ts';
import { openTree, probeConditions } from '../storage/open-tree.ts';

/**
 * The state of a tree at an instant. `maxAgeSeconds` null sets no limit to the age of a snapshot.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function readStatus(out: string, maxAgeSeconds: number | null, at: Instant): Promise<StatusResultJson> {
  const tree = await openTree(out);
  const { tree: read, status } = await readStatusAt(tree, maxAgeSeconds, at);
  const named = new Set(read.release?.manifest.files.map(({ path }) => path));
  return { ...status, history: await historyOf(read.release, named, tree) };
}

/** What `status --deep` adds. */
export interface DeepStatus {
  /** `kept` if the store of a bucket honours conditional writes; null for a folder. */
  readonly conditions: 'kept' | null;
  readonly checked: VerifyCounts;
  readonly findings: readonly Finding[];
}

/**
 * Checks again that a bucket honours conditional writes, by writing and removing a few small
 * objects, and that every edition exists and has its size.
 * @throws AppError store-not-conditional, tree-missing, tree-unreadable, tree-newer-schema, and
 * those of buckets
 */
export async function readDeepStatus(out: string): Promise<DeepStatus> {
  const checked = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
  const findings: Finding[] = [];
  for await (const finding of verifyTree(await openTree(out), checked, () => undefined, true)) findings.push(finding);
  return { conditions: (await probeConditions(out)) ? 'kept' : null, checked, findings };
}

/**
 * The next change of every front after an instant, and the tree's findings.
 * @throws AppError nothing-published, tree-missing, tree-unreadable, tree-newer-schema
 */
export async function nextChanges(out: string, at: Instant) {
  const tree = await readTreeStatus(await openTree(out));
  if (tree.fronts.length === 0) throw nothingPublished('a published front', out);
  return { next: nextChangesOf(tree, at), findings: tree.findings };
}
