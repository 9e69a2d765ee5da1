// What is in a folder of the tree, name by name: files of the tree, subfolders, and what does not belong there. Opens no file.

import { treeFileOf, type TreeFile } from '../../render/paths.ts';
import type { EntryKind, TreeEntry, TreeReader } from '../tree/reader.ts';
import type { Report } from './report.ts';

export interface Scan {
  /** Files under names of the tree, by path. */
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly folders: readonly string[];
  /** Everything else, by path. Each is a finding already; none may be opened. */
  readonly taken: ReadonlyMap<string, EntryKind>;
}

const KIND_TEXT: Readonly<Record<EntryKind, string>> = {
  file: 'a file',
  folder: 'a folder',
  'symbolic-link': 'a symbolic link, which is not followed: the tree has none',
  temporary: 'a temporary name',
  other: 'something that is neither file nor folder, or whose name is no text,',
};

/**
 * Lists a folder. Strangers, links and temporary names are reported, and what stands in the place of a folder that is needed;
 * folders themselves are left to the caller.
 */
export async function scanFolder(
  folder: string,
  reader: TreeReader,
  report: Report,
  isFolderNeeded: (path: string) => boolean = () => false,
): Promise<Scan> {
  const files = new Map<string, TreeFile>();
  const taken = new Map<string, EntryKind>();
  const folders: string[] = [];
  const { entries, problem } = await reader.entries(folder);
  if (problem !== null) report.error('file-unreadable', folder, problem);
  for (const { path, kind } of entries) {
    const file = treeFileOf(path);
    if (file !== undefined && kind === 'file') files.set(path, file);
    else if (file === undefined && kind === 'folder') folders.push(path);
    else {
      taken.set(path, kind);
      if (file !== undefined) report.error('file-kind-wrong', path, `expected a file, found ${KIND_TEXT[kind]}`);
      else if (isFolderNeeded(path)) {
        report.error('file-kind-wrong', path, `expected a folder, found ${KIND_TEXT[kind]}`);
      } else reportStranger({ path, kind }, report);
    }
  }
  return { files, taken, folders };
}

/** Reports every file below folders that are no part of a tree. */
export async function reportStrangersBelow(
  folders: readonly string[],
  reader: TreeReader,
  report: Report,
): Promise<void> {
  // A list of what is still to do, not a recursion: strangers may be nested as deep as the system allows.
  const waiting = [...folders];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const { folders: deeper } = await scanFolder(folder, reader, report);
    waiting.push(...deeper);
  }
}

function reportStranger({ path, kind }: TreeEntry, report: Report): void {
  if (kind === 'symbolic-link')
    report.error('file-kind-wrong', path, `expected a file or folder, found ${KIND_TEXT[kind]}`);
  else if (kind === 'temporary') {
    report.warning('temporary-name', path, 'a temporary name that a stopped run has left; the next build removes it');
  } else report.warning('stranger', path, `${KIND_TEXT[kind]} that is no part of a tree`);
}

/** Reads a file of the tree; undefined where it cannot be read, which is then a finding. */
export async function readTreeFile(path: string, reader: TreeReader, report: Report): Promise<Uint8Array | undefined> {
  const { bytes, problem } = await reader.read(path);
  if (problem === null) return bytes;
  report.error('file-unreadable', path, problem);
  return undefined;
}
