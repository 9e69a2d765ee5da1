// Finds in a pointer's text the edition in force (snapshot.md, "Pointer"). The text is searched,
// never parsed: entries have a fixed width, and objects for forty of them at every request would
// halve what an nginx worker serves.

import { ENTRY_WIDTH, INSTANT_WIDTH } from '../../contract/pointer-entry.ts';
import type { Endpoint } from '../../render/paths.ts';

/** An entry in its quotes, and the comma or bracket behind it. */
const STEP = ENTRY_WIDTH + 3;
const BEFORE_VALID_UNTIL = '","validUntil":"';

export interface EditionInForce {
  readonly digest: string;
  /** When the next edition starts; for the last one `validUntil`. */
  readonly until: string;
  /** The pointer's `now`: the instant that the build was for. */
  readonly asOf: string;
  readonly validUntil: string;
}

/**
 * A pointer's text: a string, or something that searches the bytes of a file without decoding them
 * all.
 */
export interface PointerText {
  indexOf(text: string): number;
  lastIndexOf(text: string): number;
  /** From the end where `start` is negative. */
  slice(start: number, end?: number): string;
}

/**
 * The edition in force at an instant; before the first one's start it is the first, after the last
 * one's it is the last. Throws Error for a text that is torn, of another schema, or another
 * front's.
 */
export const findEdition = (text: PointerText, front: string, endpoint: Endpoint, instant: string): EditionInForce => {
  const list = '"' + endpoint + '":[';
  // The list of categories is the last one: njs takes as long to search two kilobytes as for an
  // HMAC.
  const start = (endpoint === 'products' ? text.indexOf(list) : text.lastIndexOf(list)) + list.length + 1;
  // An entry of the list is preceded by `,"`. Text behind the end of the list never sorts between a
  // comma and `limit`.
  const limit = ',"' + instant;
  const hasStarted = (index: number): boolean => {
    const position = start + index * STEP;
    const entry = text.slice(position - 2, position + INSTANT_WIDTH);
    return entry > ',' && entry <= limit;
  };

  // The last entry that has started, or the first: `from` ascends strictly. It is near the
  // beginning unless builds have long failed.
  let high = 1;
  while (hasStarted(high)) high *= 2;
  let low = high >> 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (hasStarted(middle)) low = middle;
    else high = middle;
  }
  const position = start + low * STEP;
  const entry = text.slice(position, position + STEP + INSTANT_WIDTH);
  const digest = entry.slice(INSTANT_WIDTH + 1, ENTRY_WIDTH);

  const head = '{"schema":1,"front":"' + front + '","now":"';
  const frame = text.slice(0, head.length + BEFORE_VALID_UNTIL.length + 2 * INSTANT_WIDTH);
  const asOf = frame.slice(head.length, head.length + INSTANT_WIDTH);
  const validUntil = frame.slice(-INSTANT_WIDTH);
  const isWhole = frame === head + asOf + BEFORE_VALID_UNTIL + validUntil && text.slice(-3) === ']}\n';
  if (!isWhole || !/^[\da-f]{16}$/.test(digest)) throw new Error('pointer');
  const isLast = entry[ENTRY_WIDTH + 1] === ']';
  return { digest, until: isLast ? validUntil : entry.slice(STEP), asOf, validUntil };
};
