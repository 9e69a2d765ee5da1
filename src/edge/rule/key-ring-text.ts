// Finds a key in the text of a key ring, for a runtime that keeps nothing between requests and so
// reads the ring at each of them: a binary search over lines of one width
// (contract/key-ring-layout.ts). It parses nothing, decodes as little as possible, and takes as
// long for a key that is not there.

import { HEAD, LINE_WIDTH, TAIL } from '../../contract/key-ring-layout.ts';
import { findKey, HMAC, type KeyFacts, keyRingFrom } from './key-store.ts';

/** The text of a file, a part at a time. */
export interface FileText {
  readonly length: number;
  slice(start: number, end: number): string;
  /** A part that can be read when the file has been closed. */
  part(start: number, end: number): { slice(start: number, end: number): string };
}

/** A key by its line. */
export interface LineKey extends KeyFacts {
  /** The name of an hmac key's secret; empty for other keys. */
  readonly secretRef?: string;
}

/** What was looked for, and what stands where it is, or would be. */
export interface FoundLine {
  /** null when the ring has no such keyid. */
  readonly key: LineKey | null;
  /**
   * The public key in SPKI, base64, of the line that the search ended at: cutting it out takes as
   * long when that is another key's.
   */
  readonly spki: () => string;
}

/**
 * The key of a keyid. A ring in any other form is parsed as a whole. Throws Error for any other
 * text, such as a ring whose end is missing, and for a line that is not exactly as it is written:
 * read on trust, what says that a key is revoked would be overlooked.
 */
export const findKeyIn = (text: FileText, keyid: string): FoundLine => {
  const width = widthOf(text);
  if (width === 0) return findInWhole(text, keyid);
  // Lines are sorted by keyid, and quotes do not change that order. Either outcome of a comparison
  // leaves as many lines.
  const wanted = '"' + keyid + '"';
  let start = HEAD.length;
  let found = text.slice(start, start + wanted.length);
  for (let count = (text.length - HEAD.length - TAIL.length) / width; count > 1; count -= count >> 1) {
    const middle = start + (count >> 1) * width;
    const name = text.slice(middle, middle + wanted.length);
    if (name <= wanted) {
      start = middle;
      found = name;
    }
  }
  const row = text.part(start, start + width);
  const key = keyOf(row.slice(0, width / 2));
  if (!key) throw new Error('a line has another form');
  return {
    key: found === wanted ? key : null,
    spki: () => {
      const line = row.slice(0, width);
      return textAt(line, line.indexOf('"spki":') + 7);
    },
  };
};

/** The width of the lines; 0 where they have no such width. */
const widthOf = (text: FileText): number => {
  const isWhole = text.slice(0, HEAD.length) === HEAD && text.slice(text.length - TAIL.length, text.length) === TAIL;
  if (!isWhole) return 0;
  const rows = text.length - HEAD.length - TAIL.length;
  for (let width = LINE_WIDTH; width <= rows; width += LINE_WIDTH) {
    const end = HEAD.length + width;
    if (text.slice(end - 1, end) === '\n') return rows % width === 0 ? width : 0;
  }
  return 0;
};

/**
 * The first half of a line, which has all but the public keys: keyid, front, the three instants,
 * the algorithm, and of an hmac key the name of its secret.
 */
const FACTS =
  /^"[^"]*" *:\{"front":"([^"\\]*)" *,"notBefore":(null {18}|"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),"notAfter":(null {18}|"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),"revokedAt":(null {18}|"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),"alg":"(ecdsa-p256-sha256|ed25519|hmac-sha256)" *,"(?:jwk":|secretRef":"([^"]*)")/;

/** null for any other text. */
const keyOf = (line: string): LineKey | null => {
  const facts = FACTS.exec(line);
  // Each instant is cut out even if it is not used: njs takes longer to make a text of more than 14
  // characters, and that would show.
  const instantOf = (text: string): string | null => {
    const instant = text.slice(1, 21);
    return text.charAt(0) === '"' ? instant : null;
  };
  return (
    facts && {
      front: facts[1] ?? '',
      notBefore: instantOf(facts[2] ?? ''),
      notAfter: instantOf(facts[3] ?? ''),
      revokedAt: instantOf(facts[4] ?? ''),
      alg: facts[5] as LineKey['alg'],
      secretRef: facts[6] ?? '',
    }
  );
};

/** The text in the quotes that open at a place. */
const textAt = (line: string, position: number): string => line.slice(position + 1, line.indexOf('"', position + 1));

const findInWhole = (text: FileText, keyid: string): FoundLine => {
  const key = findKey(keyRingFrom(JSON.parse(text.slice(0, text.length))), keyid);
  return { key, spki: () => (key === null || key.alg === HMAC ? '' : key.spki) };
};
