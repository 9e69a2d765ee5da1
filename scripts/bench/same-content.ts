// Compares the editions of two trees: a reference program that produces something else measures
// nothing.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The file of an edition (render/paths.ts). Pointers are not compared: they say how they were made.
 */
const EDITION = /^public\/fronts\/[^/]+\/[a-z]+\.[0-9a-f]{16}\.json$/;

/**
 * Says how two trees (folders) differ in the names or bytes of their editions; null if they are
 * equal. Trees without editions count as different.
 */
export function contentDifference(a: string, b: string): string | null {
  const editions = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => EDITION.test(path))
      .toSorted();
  const [ofA, ofB] = [editions(a), editions(b)];
  if (ofA.length === 0) return `no edition in ${a}`;
  const lone = ofA.find((path) => !ofB.includes(path)) ?? ofB.find((path) => !ofA.includes(path));
  if (lone !== undefined) return `${lone} in one tree only`;
  const unequal = ofA.find((path) => !readFileSync(join(a, path)).equals(readFileSync(join(b, path))));
  return unequal === undefined ? null : `${unequal} has different bytes`;
}
