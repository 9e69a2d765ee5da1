// Stands in for the reader of folders that tests of `verify`, `show` and `diff` open by themselves:
// the same folder, read from the bucket. A folder that is not there, or is no folder, is refused as
// the real reader does.

import type { TreeFolders } from '../../../src/release/tree/files.ts';
import { DirectoryReader as RealReader } from '../../../src/storage/folder/reader.ts';
import { unlockedStore, whenRead } from './mirror-open-tree.ts';

export const DirectoryReader = {
  open(root: string): TreeFolders {
    RealReader.open(root);
    return whenRead(root, () => unlockedStore(root));
  },
};
