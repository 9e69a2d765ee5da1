// Checks one front: its folder, its pointer, all its editions, and what the kept releases say about
// them. Reads each file once, a few ahead, and keeps nothing for the next front.

import type { Zones } from '../../catalogue/calendar.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { folderOf, pathOf } from '../../render/paths.ts';
import { editionPathsOf, PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFolders } from '../tree/files.ts';
import { found, type Found } from '../tree/found.ts';
import { readPointer, type ReadPointer } from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { checkEdition, checkSize, EditionFacts, identityPathOf, type EditionFile } from './edition.ts';
import { FindingSink, summary } from './finding-sink.ts';
import { checkPointer, type CheckedPointer } from './pointer.ts';
import type { KeptReleases, PointerRecord } from './releases.ts';
import { reportFilesBelow, scanFolder, type Scan } from './scan.ts';

/** How much was checked. */
export interface VerifyCounts {
  /** Pointers. */
  fronts: number;
  editions: number;
  bytes: number;
  releases: number;
}

/** What the checks of all fronts share. */
export interface TreeCheck {
  readonly tree: TreeFolders;
  readonly releases: KeptReleases;
  readonly zones: Zones;
  readonly counts: VerifyCounts;
  /** Whether editions are checked only by name and size, without reading them. */
  readonly isSizesOnly: boolean;
}

/** What is read ahead of a front's check. */
export interface OpenedFront {
  readonly scan: Scan;
  /** null if there is no such file. */
  readonly pointer: Found<ReadPointer> | null;
  /** Collects the findings of this front. */
  readonly sink: FindingSink;
}

/** Lists a front's folder and reads its pointer. @throws AppError tree-newer-schema */
export async function openFront(front: string, tree: TreeFolders): Promise<OpenedFront> {
  const sink = new FindingSink();
  const scan = await scanFolder(folderOf(front), tree, sink);
  await reportFilesBelow(scan.folders, tree, sink);
  const isThere = scan.files.has(pathOf({ kind: 'pointer', front }));
  return { scan, pointer: isThere ? await readPointer(front, tree) : null, sink };
}

/** Checks a front; the findings go to its sink. */
export async function checkFront(front: string, opened: OpenedFront, check: TreeCheck): Promise<void> {
  const { tree, releases, zones, counts } = check;
  const { scan, sink } = opened;
  const read = pointerOf(front, opened, releases);
  const pointer = read?.pointer ?? null;
  const checked = read === null ? null : checkPointer(read, zones, sink);
  const record = pointer === null ? undefined : releases.recordOf(front, pointer);
  if (pointer !== null) counts.fronts += 1;
  if (pointer !== null && checked !== null) compareWithReleases(pointer, record, releases, sink);

  const listed = releases.filesOf(front);
  const named = new Set(pointer === null ? [] : editionPathsOf(pointer));
  const isNamed = (path: string): boolean => named.has(path) || listed.has(path);
  // A pointer or a manifest that cannot be read might name any edition.
  const isEveryNameKnown =
    releases.isEveryRead && (pointer !== null || !scan.files.has(pathOf({ kind: 'pointer', front })));
  const facts = new EditionFacts();
  const context = { checked, weekendDays: record?.weekendDays ?? null, sink };
  const editions = [...scan.files].flatMap(([path, file]): EditionAt[] =>
    file.kind === 'edition' ? [{ path, file }] : [],
  );
  const look = (edition: EditionAt) => (check.isSizesOnly ? sizeOf(edition, tree) : contentOf(edition, tree));
  for await (const [{ path, file }, seen] of readAhead(editions, look)) {
    if (isEveryNameKnown && !isNamed(path) && !isNamed(identityPathOf(file))) {
      sink.warning('unexpected', path, 'an edition that no pointer and no kept release names');
    }
    if (!seen.ok) {
      // A bucket lists all fronts at once, so an edition may have been pruned since.
      if (seen.why !== 'missing' || isNamed(path)) sink.error('file-unreadable', path, seen.message);
      continue;
    }
    const { size, bytes } = seen.value;
    counts.editions += 1;
    counts.bytes += size;
    const says = listed.get(path) ?? [];
    if (bytes === null) checkSize(path, size, says, sink);
    else checkEdition(path, file, bytes, says, facts, context);
  }
  for (const path of [...new Set([...named, ...listed.keys()])].sort()) {
    if (scan.files.has(path) || scan.misplaced.has(path)) continue;
    // Published since the front was listed; the end of the check reports that the tree has changed.
    if ((await tree.read(path)).ok) continue;
    const by = named.has(path) ? 'the pointer' : (listed.get(path)?.[0]?.manifest ?? '');
    sink.error('file-missing', path, `expected the file that ${by} names, found none`);
  }
  if (checked === null) return;
  compareEndpoints(checked, facts, sink);
  if (record !== undefined) compareCards(front, checked, record, facts, sink);
}

interface EditionAt {
  readonly path: string;
  readonly file: EditionFile;
}

/** What was read of an edition; `bytes` is null if only its size was. */
type Seen = Found<{ readonly size: number; readonly bytes: Uint8Array | null }>;

async function contentOf({ path }: EditionAt, tree: TreeFolders): Promise<Seen> {
  const bytes = await tree.read(path);
  return bytes.ok ? found({ size: bytes.value.length, bytes: bytes.value }) : bytes;
}

async function sizeOf({ path }: EditionAt, tree: TreeFolders): Promise<Seen> {
  const size = await tree.size(path);
  return size.ok ? found({ size: size.value, bytes: null }) : size;
}

function pointerOf(
  front: string,
  { scan, pointer: read, sink }: OpenedFront,
  releases: KeptReleases,
): ReadPointer | null {
  const path = pathOf({ kind: 'pointer', front });
  if (read !== null) {
    if (read.ok) return read.value;
    sink.error(read.why === 'damaged' ? PROBLEM_CODE.pointer : 'file-unreadable', path, read.message);
    return null;
  }
  if (scan.misplaced.has(path) || !releases.isListed(front)) return null;
  const message = 'the current release lists the front, but its pointer is missing';
  if (releases.isFrontLeaving(front)) {
    sink.warning('pointer-missing', path, `${message}: the run that was removing it was stopped; run it again`);
  } else sink.error('pointer-missing', path, `${message}; run build again`);
  return null;
}

/**
 * Compares a pointer with the kept releases. A stop before `current` leaves pointers of a newer
 * release, which the next build fixes.
 */
function compareWithReleases(
  pointer: Pointer,
  record: PointerRecord | undefined,
  releases: KeptReleases,
  sink: FindingSink,
): void {
  const { front } = pointer;
  const path = pathOf({ kind: 'pointer', front });
  if (record?.weekendDays === null) {
    const message = `${record.manifest} does not say which days are weekend: weekendSlot is not checked; run build again`;
    sink.warning('weekend-unchecked', path, message);
  }
  if (releases.isCurrent(front, pointer) || releases.count === 0) return;
  if (record === undefined) {
    // A manifest that cannot be read is reported already, and may be the one with this pointer.
    if (!releases.isEveryRead || releases.isAnyOlder) return;
    const message = 'no kept release has this pointer; its weekendSlot is not checked; run build again';
    sink.error('pointer-not-current', path, message);
  } else if (releases.isCurrentKnown) {
    const message = `the pointer belongs to ${record.manifest}, not to the current release: a run was stopped; run it again`;
    sink.warning('pointer-not-current', path, message);
  }
}

/**
 * Checks that at every instant the products document has the same categories as the categories
 * document.
 */
function compareEndpoints({ uses }: CheckedPointer, facts: EditionFacts, sink: FindingSink): void {
  const problemsOf = new Map<string, string[]>();
  let begun = 0;
  for (const use of uses.products) {
    while ((uses.categories[begun]?.until ?? use.until) <= use.from) begun += 1;
    const inside = facts.categories.get(use.path);
    for (let i = begun; ; i += 1) {
      const other = uses.categories[i];
      if (other === undefined || other.from >= use.until) break;
      const alone = facts.categories.get(other.path);
      if (inside === undefined || alone === undefined || inside === alone) continue;
      const problems = problemsOf.get(use.path) ?? [];
      problems.push(`categories differ from those of ${other.path}, which is in force at the same time`);
      problemsOf.set(use.path, problems);
    }
  }
  for (const [path, problems] of problemsOf) sink.error('endpoints-disagree', path, summary(problems));
}

/** Compares the manifest's numbers of cards, and their prices, with the editions. */
function compareCards(
  front: string,
  { uses }: CheckedPointer,
  record: PointerRecord,
  facts: EditionFacts,
  sink: FindingSink,
): void {
  const problems = uses.products.flatMap(({ path }, i) => {
    const cards = facts.cards.get(path);
    const listed = record.cardsByEdition[i];
    if (cards === undefined || listed === undefined || cards === listed) return [];
    return [`front ${front}: cardsByEdition says ${listed} of ${path}, which has ${cards}`];
  });
  for (const [i, { path }] of uses.products.entries()) {
    const [found, listed] = [facts.prices.get(path), record.prices?.[i]].map((summary) => JSON.stringify(summary));
    if (found === undefined || listed === undefined || found === listed) continue;
    problems.push(`front ${front}: prices says ${listed} of ${path}, which has ${found}`);
  }
  if (problems.length > 0) sink.error('manifest-invalid', record.manifest, summary(problems));
}
