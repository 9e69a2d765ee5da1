// Opens what `diff` compares: a release of a tree by its name. Reads only.

import { RELEASE_NAME } from '../release/tree/read.ts';
import { openRelease, type ReleaseView } from '../release/tree/release-view.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';

/**
 * The release of the tree in `outPath` that a name means; any other word is a folder with a tree, whose current release it is.
 * @throws AppError tree-missing, nothing-published, release-unknown, tree-unreadable, tree-newer-schema
 */
export function openNamedRelease(name: string, outPath: string): Promise<ReleaseView> {
  if (RELEASE_NAME.test(name)) return openRelease(name, DirectoryReader.open(outPath));
  return openRelease('current', DirectoryReader.open(name));
}
