// Opens what `diff` compares: a release of a tree by its name. Reads only.

import { openRelease, type ReleaseView } from '../release/tree/release-view.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';

/**
 * A release by its id, or the current one of the tree in `outPath`; any other name is a folder with a tree, whose current release it is.
 * @throws AppError tree-missing, nothing-published, release-unknown, tree-unreadable, tree-newer-schema
 */
export function openNamedRelease(name: string, outPath: string): Promise<ReleaseView> {
  if (name === 'current') return openRelease(null, DirectoryReader.open(outPath));
  if (/^[0-9a-f]{16}$/.test(name)) return openRelease(name, DirectoryReader.open(outPath));
  return openRelease(null, DirectoryReader.open(name));
}
