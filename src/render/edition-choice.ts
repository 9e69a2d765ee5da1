// Chooses the edition that a pointer names for an instant, for every reader of a tree (snapshot.md, "Pointer"). Instants have one form,
// so they compare as text.

const INSTANT_LENGTH = 20;

/**
 * The index of a pointer's entry in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`): the last entry that has begun. Before the first entry it
 * is the first, after `validUntil` the last (edge.md, "Headers of a 200"). There must be at least one entry, and they must ascend.
 */
export function editionIndexAt(entries: readonly string[], at: string): number {
  const begun = entries.findLastIndex((entry) => entry.slice(0, INSTANT_LENGTH) <= at);
  return Math.max(0, begun);
}
