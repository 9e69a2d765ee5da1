// Compares two releases, and opens a release by name. Reads only.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DiffResultJson } from '../contract/results/diff.ts';
import { AppError, shellWord } from '../errors.ts';
import { diffReleases } from '../release/diff/release-diff.ts';
import { openRelease, type ReleaseView } from '../release/tree/release-view.ts';
import { RELEASE_WORD } from '../release/tree/releases.ts';
import { pathOf, RELEASES_FOLDER } from '../render/paths.ts';
import { isInBucket, openTree } from '../storage/open-tree.ts';

/**
 * Opens a release of the tree at `outPath` by name. What cannot be such a name is the folder or
 * bucket of another tree: opens its current release.
 * @throws AppError usage (could be either), tree-missing, nothing-published, release-unknown,
 * tree-unreadable, tree-newer-schema
 */
export async function openNamedRelease(name: string, outPath: string): Promise<ReleaseView> {
  if (/^[0-9a-f]{4,15}$/.test(name) && existsSync(name)) {
    const hint = `type ./${name} for the folder, or all digits of the id`;
    throw new AppError('usage', `expected a release or a folder, found "${name}", which may be either`, hint);
  }
  if (RELEASE_WORD.test(name)) return openRelease(name, await openTree(outPath));
  const files = await openTree(name);
  const parent = join(name, '..');
  if (
    !isInBucket(name) &&
    !existsSync(join(name, RELEASES_FOLDER)) &&
    existsSync(join(parent, pathOf({ kind: 'current' })))
  ) {
    const message = `expected a tree at ${name}, found a folder of the tree ${parent}`;
    throw new AppError('tree-missing', message, `did you mean ${shellWord(parent)}?`);
  }
  return openRelease('current', files);
}

/**
 * Compares two releases, on these fronts or on all (null).
 * @throws AppError nothing-published, tree-unreadable
 */
export async function diff(before: ReleaseView, after: ReleaseView, frontCodes: readonly string[] | null) {
  const json: DiffResultJson = {
    before: describe(before),
    after: describe(after),
    isDifferent: false,
    same: [],
    added: [],
    gone: [],
    changed: [],
  };
  for await (const one of diffReleases(before, after, frontCodes)) {
    if (one.state === 'same') json.same.push(one.front);
    else if (one.state === 'changed') json.changed.push(one.diff);
    else json[one.state].push({ front: one.front, cards: one.cards });
  }
  return { ...json, isDifferent: json.added.length + json.gone.length + json.changed.length > 0 };
}

function describe({ id, manifest: { now, horizonSeconds } }: ReleaseView): DiffResultJson['before'] {
  return { release: id, now, horizonSeconds };
}
