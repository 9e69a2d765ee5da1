// Which edition a pointer names for an instant: every reader of a tree decides it here (snapshot.md, "Pointer"). Entries have a fixed
// width and instants one form, so that they compare as text.

/** The instant at the start of an entry. */
const INSTANT_LENGTH = 20;

/**
 * The index of the entry in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`) among a pointer's entries, ascending and at least one:
 * the last that has begun. Before the first it is the first, after `validUntil` the last (edge.md, "Headers of a 200").
 */
export function editionIndexAt(entries: readonly string[], at: string): number {
  const begun = entries.findLastIndex((entry) => entry.slice(0, INSTANT_LENGTH) <= at);
  return Math.max(0, begun);
}
