// A mark of a tree by which a later run knows that nobody has touched it: what the system says of every file that a build would read
// or whose size it would check, not their content. It does not see: a change of content that leaves length and both times as they were, which
// takes the clock or the disk itself (or a write within the tick of the clock, at most 10 ms, in which the run wrote the file); a
// damage beneath the file system; strangers and temporary names in a front's folder. `verify` reads everything.

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, FRONTS_FOLDER, pathOf, PUBLIC_FOLDER, RELEASES_FOLDER } from '../snapshot/paths.ts';

export interface TreeMark {
  /** What was looked at, one path a line. */
  readonly paths: string;
  readonly digest: string;
}

/**
 * Marks the tree in a folder as a build leaves it: its release, the fronts that it lists and their files. The caller holds the lock.
 * Null where something is not there.
 */
export function markTree(
  root: string,
  releaseId: string,
  fronts: readonly string[],
  files: readonly string[],
): TreeMark | null {
  const listed = new Set(fronts);
  // Folders without a pointer: one that comes would be a front that is gone. In the others the pointer itself tells.
  const others = readdirSync(join(root, FRONTS_FOLDER)).filter((name) => !listed.has(name));
  const paths = [
    PUBLIC_FOLDER,
    FRONTS_FOLDER,
    RELEASES_FOLDER,
    pathOf({ kind: 'key-ring' }),
    pathOf({ kind: 'current' }),
    pathOf({ kind: 'manifest', id: releaseId }),
    ...others.map((name) => folderOf(name)),
    ...fronts.map((front) => pathOf({ kind: 'pointer', front })),
    ...files,
  ].join('\n');
  const digest = digestOf(root, paths);
  return digest === null ? null : { paths, digest };
}

/** Whether a tree is as it was when it was marked. */
export function isAsMarked(root: string, mark: TreeMark): boolean {
  return digestOf(root, mark.paths) === mark.digest;
}

function digestOf(root: string, paths: string): string | null {
  const list = paths.split('\n');
  const numbers = new Float64Array(list.length * 4);
  let at = 0;
  for (const path of list) {
    const stats = statSync(`${root}/${path}`, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    numbers[at++] = stats.isFile() ? stats.size : -1;
    numbers[at++] = stats.mtimeMs;
    // Set by the system alone at every change, also of the other time.
    numbers[at++] = stats.ctimeMs;
    numbers[at++] = stats.ino;
  }
  return createHash('sha256').update(numbers).digest('hex');
}
