// Finds a key in the text of a key ring, for a runtime that keeps nothing between requests and so reads the ring at each of them: a binary
// search over lines of one width (`keyRingText`, release/tree/codec.ts). It parses nothing, decodes as little as possible, and takes as long
// for a key that is not there.

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
  /** The name of an hmac key's secret; of other keys some other text, or nothing. */
  readonly secretRef?: string;
}

/** What was looked for, and what stands where it is, or would be. */
export interface FoundLine {
  /** null when the ring has no such keyid. */
  readonly key: LineKey | null;
  /** The public key in SPKI, base64, of the line that the search ended at: cutting it out takes as long when that is another key's. */
  readonly spki: () => string;
}

const HEAD = '{"schema":1,"keys":{\n';
const TAIL = '}}\n';
/** Lines have this width, or several times as much. What all keys have is in their first half, the name of a secret included. */
const WIDTH = 512;

/** The key of a keyid. A ring in any other form is parsed as a whole. Throws Error for any other text. */
export const findKeyIn = (text: FileText, keyid: string): FoundLine => {
  const width = widthOf(text);
  if (width === 0) return findInWhole(text, keyid);
  // Lines are sorted by keyid, and quotes do not change that order. Either outcome of a comparison leaves as many lines.
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
  if (text.slice(0, HEAD.length) !== HEAD) return 0;
  const rows = text.length - HEAD.length - TAIL.length;
  for (let width = WIDTH; width <= rows; width += WIDTH) {
    const end = HEAD.length + width;
    if (text.slice(end - 1, end) === '\n') return rows % width === 0 ? width : 0;
  }
  return 0;
};

/** By the beginnings of their names. */
const ALGORITHMS: { readonly [name: string]: LineKey['alg'] } = { ec: 'ecdsa-p256-sha256', ed: 'ed25519', hm: HMAC };

const INSTANT_WIDTH = 22;
const ALGORITHM_WIDTH = 19;

const keyOf = (line: string): LineKey => {
  // The text is cut out even if it is not used: njs takes longer to make one of more than 14 characters, and that would show.
  const instantAt = (position: number): string | null => {
    const instant = line.slice(position + 1, position + INSTANT_WIDTH - 1);
    return line[position] === '"' ? instant : null;
  };
  const front = line.indexOf(':{"front":') + 10;
  const notBefore = line.indexOf(',"notBefore":', front) + 13;
  const notAfter = notBefore + INSTANT_WIDTH + 12;
  const revokedAt = notAfter + INSTANT_WIDTH + 13;
  const alg = revokedAt + INSTANT_WIDTH + 7;
  return {
    front: textAt(line, front),
    notBefore: instantAt(notBefore),
    notAfter: instantAt(notAfter),
    revokedAt: instantAt(revokedAt),
    alg: ALGORITHMS[line.slice(alg + 1, alg + 3)] ?? 'ed25519',
    secretRef: textAt(line, alg + ALGORITHM_WIDTH + 13),
  };
};

/** The text in the quotes that open at a place. */
const textAt = (line: string, position: number): string => line.slice(position + 1, line.indexOf('"', position + 1));

const findInWhole = (text: FileText, keyid: string): FoundLine => {
  const key = findKey(keyRingFrom(JSON.parse(text.slice(0, text.length))), keyid);
  return { key, spki: () => (key === null || key.alg === HMAC ? '' : key.spki) };
};
