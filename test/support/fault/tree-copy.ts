// Trees before and after: copies to break, and what must not have been touched.

import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file as it is in its place: its bytes, and whether it is still the same file. */
interface FileStamp {
  /** As Latin-1 text, so that differences can be read. */
  readonly bytes: string;
  readonly inode: bigint;
  readonly modifiedNs: bigint;
}

/** Copies a tree, the locks included, with the times of its files. */
export function copyTree(from: string, to: string): string {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  return to;
}

export function stampsOf(root: string): Map<string, FileStamp> {
  const stamps = new Map<string, FileStamp>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /^\.lock(-keyring)?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    stamps.set(path.slice(root.length + 1), { bytes: readFileSync(path, 'latin1'), inode: ino, modifiedNs: mtimeNs });
  }
  return stamps;
}

/** Files that were written again although their bytes are what they were: there should be none. */
export function rewrittenInVain(
  before: ReadonlyMap<string, FileStamp>,
  after: ReadonlyMap<string, FileStamp>,
): string[] {
  return [...before].flatMap(([path, old]) => {
    const now = after.get(path);
    if (now === undefined || now.bytes !== old.bytes) return [];
    return now.inode === old.inode && now.modifiedNs === old.modifiedNs ? [] : [path];
  });
}

/** Editions that have changed in their place: law 5 knows none. */
export function changedEditions(
  before: ReadonlyMap<string, FileStamp>,
  after: ReadonlyMap<string, FileStamp>,
): string[] {
  return [...before].flatMap(([path, old]) => {
    const isEdition = /\/(?:products|categories)\.[0-9a-f]{16}\.json(?:\.gz|\.br)?$/.test(path);
    const now = after.get(path);
    return isEdition && now !== undefined && now.bytes !== old.bytes ? [path] : [];
  });
}
