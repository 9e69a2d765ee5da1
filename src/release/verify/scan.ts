// Sorts the entries of a folder into files of the tree, subfolders, and those that do not belong
// there. Opens no file.

import { treeFileOf, type TreeFile } from '../../render/paths.ts';
import type { EntryKind, TreeEntry, TreeFolders } from '../tree/files.ts';
import type { FindingSink } from './finding-sink.ts';

export interface Scan {
  /** Files with names that belong to the tree, by path. */
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly folders: readonly string[];
  /** Everything else, by path. Each has been reported as a finding; none may be opened. */
  readonly misplaced: ReadonlyMap<string, EntryKind>;
}

const KIND_TEXT: Readonly<Record<EntryKind, string>> = {
  file: 'a file',
  folder: 'a folder',
  'symbolic-link': 'a symbolic link, which is not followed: the tree has none',
  temporary: 'a temporary file',
  other: 'something that is neither file nor folder, or whose name is not text,',
};

/**
 * Lists a folder. Reports unexpected files, links, temporary files, and whatever is at the path of
 * a needed folder. The caller handles folders.
 */
export async function scanFolder(
  folder: string,
  tree: TreeFolders,
  sink: FindingSink,
  isFolderNeeded: (path: string) => boolean = () => false,
): Promise<Scan> {
  const files = new Map<string, TreeFile>();
  const misplaced = new Map<string, EntryKind>();
  const folders: string[] = [];
  const entries = await tree.entries(folder);
  if (!entries.ok) sink.error('file-unreadable', folder, entries.message);
  for (const { path, kind } of entries.ok ? entries.value : []) {
    const file = treeFileOf(path);
    if (file !== undefined && kind === 'file') files.set(path, file);
    else if (file === undefined && kind === 'folder') folders.push(path);
    else {
      misplaced.set(path, kind);
      if (file !== undefined) sink.error('file-kind-wrong', path, `expected a file, found ${KIND_TEXT[kind]}`);
      else if (isFolderNeeded(path)) {
        sink.error('file-kind-wrong', path, `expected a folder, found ${KIND_TEXT[kind]}`);
      } else reportUnexpected({ path, kind }, sink);
    }
  }
  return { files, misplaced, folders };
}

/** Reports every file below folders that are not part of a tree. */
export async function reportFilesBelow(
  folders: readonly string[],
  tree: TreeFolders,
  sink: FindingSink,
): Promise<void> {
  // Not recursive, since such folders may be nested as deep as the system allows.
  const waiting = [...folders];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    waiting.push(...(await scanFolder(folder, tree, sink)).folders);
  }
}

function reportUnexpected({ path, kind }: TreeEntry, sink: FindingSink): void {
  if (kind === 'symbolic-link') {
    sink.error('file-kind-wrong', path, `expected a file or folder, found ${KIND_TEXT[kind]}`);
  } else if (kind === 'temporary') {
    sink.warning('temporary-name', path, 'a temporary file of a stopped run; the next build removes it');
  } else sink.warning('unexpected', path, `${KIND_TEXT[kind]} that is not part of a tree`);
}
