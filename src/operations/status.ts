// The state of a tree for a monitor, and what the clock brings next to it. Opens no database, writes nothing.

import type { Instant } from '../catalogue/instant.ts';
import type { StatusResultJson } from '../contract/watch-results.ts';
import type { Finding } from '../findings.ts';
import { readTreeStatus } from '../release/status/read-status.ts';
import { nextChangesOf, statusOf } from '../release/status/status.ts';
import { nothingPublished } from '../release/tree/found.ts';
import type { VerifyCounts } from '../release/verify/front.ts';
import { verifyTree } from '../release/verify/verify.ts';
import { openTree, probeConditions } from '../storage/open-tree.ts';

/**
 * The state of a tree at an instant; `maxAgeSeconds` null: a snapshot may have any age.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function readStatus(out: string, maxAgeSeconds: number | null, at: Instant): Promise<StatusResultJson> {
  return statusOf(await readTreeStatus(await openTree(out)), maxAgeSeconds, at);
}

/** What `status --deep` looks at besides. */
export interface DeepStatus {
  /** The store of a bucket keeps the conditions of writes; null for a folder, which has none. */
  readonly conditions: 'kept' | null;
  readonly checked: VerifyCounts;
  readonly findings: readonly Finding[];
}

/**
 * Asks the store of a tree again what publishing rests on, with a few small objects that it writes and removes, and checks that every edition
 * is there with its size. @throws AppError store-not-conditional, tree-missing, tree-unreadable, tree-newer-schema, and those of buckets
 */
export async function readDeepStatus(out: string): Promise<DeepStatus> {
  const checked = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
  const findings: Finding[] = [];
  for await (const finding of verifyTree(await openTree(out), checked, () => undefined, true)) findings.push(finding);
  return { conditions: (await probeConditions(out)) ? 'kept' : null, checked, findings };
}

/**
 * The next change of every front after an instant, and what is wrong with the tree.
 * @throws AppError nothing-published, tree-missing, tree-unreadable, tree-newer-schema
 */
export async function nextChanges(out: string, at: Instant) {
  const tree = await readTreeStatus(await openTree(out));
  if (tree.fronts.length === 0) throw nothingPublished('a published front', out);
  return { next: nextChangesOf(tree, at), findings: tree.findings };
}
