// Which edition a pointer names for an instant: the one decision that every reader of a tree takes (snapshot.md, "Pointer").
// Text in, text out: entries have a fixed width and instants one form, so that they compare as they are.

/** The part of an entry that says from when. */
const INSTANT_LENGTH = 20;

/**
 * The place of the entry in force at an instant (`YYYY-MM-DDTHH:MM:SSZ`) among a pointer's entries, ascending and at least one:
 * the last that has begun. Before the first it is the first, after `validUntil` the last (edge.md, "Headers of a 200").
 */
export function editionIndexAt(entries: readonly string[], at: string): number {
  const begun = entries.findLastIndex((entry) => entry.slice(0, INSTANT_LENGTH) <= at);
  return Math.max(0, begun);
}
