// The layout of a pointer's entries: `2026-05-01T09:00:00Z 3f2a91c07be455d0`, an edition's start
// and its digest (snapshot.md, "Pointer"). Without zod, and in the syntax of njs, whose edge
// searches them.

export const INSTANT_WIDTH = 20;
export const ENTRY_WIDTH = 37;

/** Splits an entry into its start and its digest. */
export const entryOf = (entry: string): { readonly from: string; readonly digest: string } => ({
  from: entry.slice(0, INSTANT_WIDTH),
  digest: entry.slice(INSTANT_WIDTH + 1),
});

/**
 * When the second edition starts, which is the next change of a pointer just made; null if there is
 * none.
 */
export const nextStartIn = (entries: readonly string[]): string | null =>
  entries[1] === undefined ? null : entryOf(entries[1]).from;
