// Whether two trees publish the same: the guard of a yardstick, since a script that makes something else measures nothing.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An edition's file (render/paths.ts): the pointers beside them differ in what they say of their making. */
const EDITION = /^public\/fronts\/[^/]+\/[a-z]+\.[0-9a-f]{16}\.json$/;

/**
 * Why two trees (folders) do not hold the same editions under the same names, byte for byte; null where they do.
 * Two trees without any are a difference too: they would agree about nothing.
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
  return unequal === undefined ? null : `${unequal} has other bytes`;
}
