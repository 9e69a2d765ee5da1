// Sums over a plan: what publishing puts, keeps and removes, file by file.

import type { PruneResultJson } from '../../contract/results/history.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';

/** The number of files and bytes that a plan has for an action. */
export function totalsOf(
  plan: readonly PlanEntry[],
  action: PlanEntry['action'],
): { readonly files: number; readonly bytes: number } {
  const entries = plan.filter((entry) => entry.action === action);
  return { files: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The part of a plan that is pruning. */
export function prunedTotals(plan: readonly PlanEntry[]): PruneResultJson['pruned'] {
  const pruned = plan.filter(({ reason }) => ['not-kept', 'not-named', 'run-over'].includes(reason));
  return { releases: pruned.filter(({ reason }) => reason === 'not-kept').length, ...totalsOf(pruned, 'remove') };
}
