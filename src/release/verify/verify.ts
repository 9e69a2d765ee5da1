// Checking a tree with nothing but its files (snapshot.md, "Going back"): what can be derived again is derived, what is said
// twice is compared, what nobody names is reported. All findings come in one run. Writes nothing, follows no link.

import type { Finding } from '../../findings.ts';
import { AppError, shellWord } from '../../errors.ts';
import {
  EDGE_FOLDER,
  folderOf,
  FRONTS_FOLDER,
  isFrontCode,
  pathOf,
  PUBLIC_FOLDER,
  RELEASES_FOLDER,
} from '../../render/paths.ts';
import type { TreeReader } from '../tree/reader.ts';
import { checkFront, type Looked, type TreeCheck } from './front.ts';
import { checkEdgeFolder } from './key-ring.ts';
import { rememberedZones } from './pointer.ts';
import { KeptReleases, readReleases } from './releases.ts';
import { Report } from './report.ts';
import { reportStrangersBelow, scanFolder } from './scan.ts';
import { parseCurrent } from '../tree/codec.ts';

const CURRENT = pathOf({ kind: 'current' });
const TOP_FOLDERS = [PUBLIC_FOLDER, EDGE_FOLDER, RELEASES_FOLDER] as const;

/**
 * Checks a tree. Findings come in the order of the files: releases, key ring, front by front; what has been looked at is counted
 * along the way. @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function* verifyTree(
  reader: TreeReader,
  looked: Looked,
  onFront: (done: number, total: number) => void,
): AsyncGenerator<Finding> {
  const report = new Report();
  const usable = await usableFolders(reader, report);
  const releases = usable.has(RELEASES_FOLDER) ? await readReleases(reader, report) : KeptReleases.unknown();
  looked.releases = releases.count;
  if (usable.has(EDGE_FOLDER)) await checkEdgeFolder(releases.count > 0, reader, report);
  yield* report.take();
  if (usable.has(PUBLIC_FOLDER)) {
    const fronts = await frontsOf(releases, reader, report);
    const check: TreeCheck = { reader, releases, zoneOf: rememberedZones(), looked, report };
    for (const [done, front] of fronts.entries()) {
      onFront(done, fronts.length);
      await checkFront(front, check);
      yield* report.take();
    }
  }

  if (releases.count === 0 && releases.isEveryRead && releases.currentId === null && looked.fronts > 0) {
    report.error('current-invalid', CURRENT, `found ${looked.fronts} pointers, but no release that they belong to`);
  }
  if (releases.currentId !== null) {
    const { bytes } = await reader.read(CURRENT);
    if (bytes === null || parseCurrent(bytes).value !== releases.currentId) {
      const message = 'another release was published while the tree was being checked; run verify again';
      report.warning('tree-changed', CURRENT, message);
    }
  }
  yield* report.take();
}

/** Those of the tree's three folders that are folders; one that is something else is a finding. */
async function usableFolders(reader: TreeReader, report: Report): Promise<ReadonlySet<string>> {
  const { entries, problem } = await reader.entries('');
  if (problem !== null) {
    const message = `expected to read ${reader.place}: ${problem}`;
    throw new AppError('tree-unreadable', message, 'check its owner and permissions');
  }
  const usable = new Set<string>(TOP_FOLDERS);
  let isAnyThere = false;
  for (const { path, kind } of entries) {
    const isOfTree = usable.has(path);
    isAnyThere ||= isOfTree;
    // What else lies beside the tree (a .gitignore, the lock) is none of our business, but a link might lead into it.
    if (kind !== 'symbolic-link' && (kind === 'folder' || !isOfTree)) continue;
    const found = kind === 'symbolic-link' ? 'a symbolic link, which is not followed: the tree has none' : 'no folder';
    report.error('file-kind-wrong', path, `expected a folder, found ${found}`);
    usable.delete(path);
  }
  if (isAnyThere) return usable;
  throw new AppError(
    'tree-missing',
    `expected a tree at ${reader.place}, found a folder with none of ${TOP_FOLDERS.join(', ')} in it`,
    `make one: playbill build --out ${shellWord(reader.place)} (or name another with --out)`,
  );
}

/** The fronts that have a folder or should have one, by code; whatever else is below `public/` is reported. */
async function frontsOf(releases: KeptReleases, reader: TreeReader, report: Report): Promise<readonly string[]> {
  const top = await scanFolder(PUBLIC_FOLDER, reader, report, (path) => path === FRONTS_FOLDER);
  const beside = top.folders.filter((folder) => folder !== FRONTS_FOLDER);
  await reportStrangersBelow(beside, reader, report);
  // What stands in the place of `fronts` is a finding already, and must not be looked into.
  if (top.taken.has(FRONTS_FOLDER)) return [];

  const needed = new Set([...releases.fronts()].map(folderOf));
  const scan = await scanFolder(FRONTS_FOLDER, reader, report, (path) => needed.has(path));
  const codeOf = (folder: string): string => folder.slice(FRONTS_FOLDER.length + 1);
  const strange = scan.folders.filter((folder) => !isFrontCode(codeOf(folder)));
  await reportStrangersBelow(strange, reader, report);
  // A front whose folder is gone altogether is still listed by the releases that need it.
  const gone = [...needed].filter((folder) => !scan.taken.has(folder));
  return [...new Set([...scan.folders, ...gone])].map(codeOf).filter(isFrontCode).sort();
}
