// What the history of a tree costs: the editions that are kept although the current release does
// not name them. Takes names and sizes, and reads no manifest.

import type { Release } from '../../contract/release-name.ts';
import type { HistoryJson } from '../../contract/results/parts.ts';
import { editionPath, FRONTS_FOLDER, treeFileOf } from '../../render/paths.ts';
import { orNull } from '../tree/found.ts';
import { keptReleases } from '../tree/releases.ts';
import type { TreeSizes } from '../tree/files.ts';

/**
 * `named`: the paths of the editions that the current release names.
 * @throws AppError tree-unreadable
 */
export async function historyOf(
  current: Pick<Release, 'name'> | null,
  named: ReadonlySet<string>,
  files: TreeSizes,
): Promise<HistoryJson> {
  const { releases, older } = await keptReleases(files);
  const others = [...releases, ...older].filter(({ name }) => name !== current?.name);
  const history = { releases: others.length, files: 0, bytes: 0 };
  for (const path of await files.list(FRONTS_FOLDER)) {
    const file = treeFileOf(path);
    if (file?.kind !== 'edition' || named.has(editionPath(file.front, file.endpoint, file.digest))) continue;
    history.files += 1;
    history.bytes += orNull(await files.size(path)) ?? 0;
  }
  return history;
}
