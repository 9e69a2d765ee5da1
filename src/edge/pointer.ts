// Finds in a pointer's text the edition that is in force (snapshot.md, "Pointer"). The text is searched, never parsed: entries have a
// fixed width, and objects for forty of them at every request would halve what an nginx worker serves. A torn pointer throws.

import type { Endpoint } from '../snapshot/paths.ts';

/** `"2026-05-01T09:00:00Z 3f2a91c07be455d0"`, and the comma or bracket behind it. */
const ENTRY_WIDTH = 40;
const INSTANT_WIDTH = 20;
const BEFORE_VALID_UNTIL = '","validUntil":"';

export interface Edition {
  readonly digest: string;
  /** When the next edition starts; for the last one `validUntil`. */
  readonly until: string;
  /** The pointer's `now`: the instant that the build was for. */
  readonly asOf: string;
  readonly validUntil: string;
}

/** A pointer's text: a string is one, and so is what searches the bytes of a file without decoding them all. */
export interface PointerText {
  readonly length: number;
  indexOf(text: string, from?: number): number;
  slice(start: number, end?: number): string;
}

/** Where the rule reads pointers. A runtime may keep a text for up to 10 s (snapshot.md, "Copying elsewhere"). */
export interface Pointers {
  /** The pointer's text; null when nothing is published for the front. Throws or rejects when it cannot be read. `instant`: as text. */
  read(front: string, instant: string): PointerText | null | Promise<PointerText | null>;
}

/**
 * The edition in force at an instant; before the first one's start it is the first, after the last one's it is the last.
 * Throws Error for a text that is torn, of another schema, or another front's.
 */
export const findEdition = (text: PointerText, front: string, endpoint: Endpoint, instant: string): Edition => {
  const head = `{"schema":1,"front":"${front}","now":"`;
  const list = `"${endpoint}":[`;
  const asOfEnd = head.length + INSTANT_WIDTH;
  const validUntilStart = asOfEnd + BEFORE_VALID_UNTIL.length;
  const start = text.indexOf(list) + list.length + 1;
  const instantAt = (position: number): string => text.slice(position, position + INSTANT_WIDTH);

  // The last entry that has started, or the first: `from` ascends strictly.
  let low = 0;
  let high = Math.floor((text.indexOf(']', start) - start) / ENTRY_WIDTH);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (instantAt(start + middle * ENTRY_WIDTH) <= instant) low = middle;
    else high = middle - 1;
  }
  const entry = start + low * ENTRY_WIDTH;
  const next = entry + ENTRY_WIDTH;
  const digest = text.slice(entry + INSTANT_WIDTH + 1, next - 3);
  const isWhole =
    text.slice(0, head.length) === head &&
    text.slice(asOfEnd, validUntilStart) === BEFORE_VALID_UNTIL &&
    text.slice(text.length - 3) === ']}\n';
  if (!isWhole || !/^[\da-f]{16}$/.test(digest)) throw new Error('pointer');
  const validUntil = instantAt(validUntilStart);
  const isLast = text.slice(next - 2, next - 1) === ']';
  return { digest, until: isLast ? validUntil : instantAt(next), asOf: instantAt(head.length), validUntil };
};
