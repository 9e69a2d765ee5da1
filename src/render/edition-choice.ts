// Chooses the edition that a pointer names for an instant, for every reader of a tree (snapshot.md,
// "Pointer"). Instants have one form, so they compare as text.

import { entryOf } from '../contract/pointer-entry.ts';

/**
 * The index of a pointer's entry in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`): the last entry
 * that has begun. Before the first entry it is the first, after `validUntil` the last (edge.md,
 * "Headers of a 200"). There must be at least one entry, and they must ascend.
 */
export function editionIndexAt(entries: readonly string[], at: string): number {
  const begun = entries.findLastIndex((entry) => entryOf(entry).from <= at);
  return Math.max(0, begun);
}
