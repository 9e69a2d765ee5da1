// The plan: what publishing puts, keeps and removes, file by file, with reasons.

import type { PruneResultJson } from '../../contract/release-results.ts';
import type { PlanEntry } from '../../contract/results.ts';

/** How many files a plan has for an action, and how many bytes. */
export function totalsOf(
  plan: readonly PlanEntry[],
  action: PlanEntry['action'],
): { readonly files: number; readonly bytes: number } {
  const entries = plan.filter((entry) => entry.action === action);
  return { files: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** What of a plan is pruning. */
export function prunedTotals(plan: readonly PlanEntry[]): PruneResultJson['pruned'] {
  const pruned = plan.filter(({ reason }) => ['not-kept', 'not-named', 'run-over'].includes(reason));
  return { releases: pruned.filter(({ reason }) => reason === 'not-kept').length, ...totalsOf(pruned, 'remove') };
}
