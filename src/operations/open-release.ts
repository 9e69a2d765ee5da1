// A release by what an operator calls it: its id, `current`, or the folder of another tree.

import { openRelease, type ReleaseView } from '../release/tree/release-view.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';

/** @throws AppError nothing-published, release-unknown, tree-missing, tree-unreadable, tree-newer-schema */
export function openNamedRelease(name: string, out: string): Promise<ReleaseView> {
  if (name === 'current') return openRelease(null, DirectoryReader.open(out));
  if (/^[0-9a-f]{16}$/.test(name)) return openRelease(name, DirectoryReader.open(out));
  return openRelease(null, DirectoryReader.open(name));
}
