// Checks a tree without the database (snapshot.md, "Going back"): digests, schemas, order, dates,
// references between files, and unexpected files. Reports all findings in one run. Writes nothing
// and follows no links.

import { Zones } from '../../catalogue/calendar.ts';
import { isFrontCode } from '../../contract/front-code.ts';
import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import { AppError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { EDGE_FOLDER, folderOf, FRONTS_FOLDER, pathOf, PUBLIC_FOLDER, RELEASES_FOLDER } from '../../render/paths.ts';
import type { TreeFolders } from '../tree/files.ts';
import { treeMissing } from '../tree/found.ts';
import { missingKeys } from '../tree/key-validity.ts';
import { readCurrent } from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { FindingSink } from './finding-sink.ts';
import { checkFront, openFront, type TreeCheck, type VerifyCounts } from './front.ts';
import { checkEdgeFolder } from './key-ring.ts';
import { KeptReleases, readReleases } from './releases.ts';
import { reportFilesBelow, scanFolder } from './scan.ts';

const CURRENT = pathOf({ kind: 'current' });
const TOP_FOLDERS = [PUBLIC_FOLDER, EDGE_FOLDER, RELEASES_FOLDER] as const;

/**
 * Checks a tree and updates `counts` along the way. Findings come in the order of the files:
 * releases, key ring, front by front. If `isSizesOnly`, editions are checked by name and size only.
 * `at`: when each front must have a valid key; null: that is not checked.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function* verifyTree(
  tree: TreeFolders,
  counts: VerifyCounts,
  onFront: (done: number, total: number) => void,
  isSizesOnly = false,
  at: Instant | null = null,
): AsyncGenerator<Finding> {
  const sink = new FindingSink();
  const usable = await usableFolders(tree, sink);
  const releases = usable.has(RELEASES_FOLDER) ? await readReleases(tree, sink) : KeptReleases.unknown();
  counts.releases = releases.count;
  const keyRing = usable.has(EDGE_FOLDER)
    ? await checkEdgeFolder(releases.count > 0 || releases.isAnyOlder, tree, sink)
    : null;
  yield* sink.take();
  const published: string[] = [];
  if (usable.has(PUBLIC_FOLDER)) {
    const fronts = await frontsOf(releases, tree, sink);
    yield* sink.take();
    const check: TreeCheck = { tree, releases, zones: new Zones(), counts, isSizesOnly };
    let done = 0;
    for await (const [front, opened] of readAhead(fronts, (code) => openFront(code, tree))) {
      onFront(done, fronts.length);
      await checkFront(front, opened, check);
      if (opened.pointer?.ok === true) published.push(front);
      yield* opened.sink.take();
      done += 1;
    }
  }

  if (keyRing !== null && at !== null) yield* missingKeys(published, keyRing, formatInstant(at));
  const { current, isAnyOlder } = releases;
  if (releases.count === 0 && !isAnyOlder && releases.isEveryRead && current === null && counts.fronts > 0) {
    sink.error('current-invalid', CURRENT, `found ${counts.fronts} pointers, but no release that they belong to`);
  }
  const now = await readCurrent(tree);
  if (current !== null && !(now.ok && now.value.name === current.name)) {
    const message = 'another release was published while the tree was being checked; run verify again';
    sink.warning('tree-changed', CURRENT, message);
  }
  yield* sink.take();
}

/** The tree's three top folders, without those that are something else: these are reported. */
async function usableFolders(tree: TreeFolders, sink: FindingSink): Promise<ReadonlySet<string>> {
  const entries = await tree.entries('');
  if (!entries.ok) {
    const message = `expected to read ${tree.root}: ${entries.message}`;
    throw new AppError('tree-unreadable', message, entries.hint ?? 'check its owner and permissions');
  }
  const usable = new Set<string>(TOP_FOLDERS);
  let isAnyThere = false;
  for (const { path, kind } of entries.value) {
    const isOfTree = usable.has(path);
    isAnyThere ||= isOfTree;
    // Other entries (a .gitignore, the lock) do not matter, except links, which might point into
    // the tree.
    if (kind !== 'symbolic-link' && (kind === 'folder' || !isOfTree)) continue;
    const what =
      kind === 'symbolic-link' ? 'a symbolic link, which is not followed: the tree has none' : 'something else';
    sink.error('file-kind-wrong', path, `expected a folder, found ${what}`);
    usable.delete(path);
  }
  if (isAnyThere) return usable;
  throw treeMissing(tree.root, `a folder with none of ${TOP_FOLDERS.join(', ')} in it`);
}

/**
 * The fronts that have or should have a folder, by code. Reports everything else below `public/`.
 */
async function frontsOf(releases: KeptReleases, tree: TreeFolders, sink: FindingSink): Promise<readonly string[]> {
  const top = await scanFolder(PUBLIC_FOLDER, tree, sink, (path) => path === FRONTS_FOLDER);
  await reportFilesBelow(
    top.folders.filter((folder) => folder !== FRONTS_FOLDER),
    tree,
    sink,
  );
  // If `fronts` is not a folder, it has been reported and must not be opened.
  if (top.misplaced.has(FRONTS_FOLDER)) return [];

  const needed = new Set([...releases.fronts()].map(folderOf));
  const scan = await scanFolder(FRONTS_FOLDER, tree, sink, (path) => needed.has(path));
  const codeOf = (folder: string): string => folder.slice(FRONTS_FOLDER.length + 1);
  await reportFilesBelow(
    scan.folders.filter((folder) => !isFrontCode(codeOf(folder))),
    tree,
    sink,
  );
  // Include fronts whose folder is missing although a release needs it.
  const missing = [...needed].filter((folder) => !scan.misplaced.has(folder));
  return [...new Set([...scan.folders, ...missing])].map(codeOf).filter(isFrontCode).sort();
}
