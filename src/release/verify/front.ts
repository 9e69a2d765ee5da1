// One front: its folder, its pointer, every edition in it, and what the kept releases say about them. Each file is read once,
// one document is in memory at a time, and nothing of the front is kept when the next one's turn comes; no other front is looked at.

import type { Pointer } from '../../contract/pointer.ts';
import { folderOf, pathOf } from '../../render/paths.ts';
import { editionPathsOf, PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFolders } from '../tree/files.ts';
import { readPointer, type ReadPointer } from '../tree/read.ts';
import { checkEdition, EditionFacts, identityPathOf } from './edition.ts';
import { summary, type FindingSink } from './finding-sink.ts';
import { checkPointer, type SoundPointer, type ZoneOf } from './pointer.ts';
import type { KeptReleases, PointerRecord } from './releases.ts';
import { reportFilesBelow, scanFolder, type Scan } from './scan.ts';

/** How many pointers, edition files with their bytes, and releases were checked. */
export interface VerifyCounts {
  fronts: number;
  editions: number;
  bytes: number;
  releases: number;
}

/** What the checks of all fronts share. */
export interface TreeCheck {
  readonly tree: TreeFolders;
  readonly releases: KeptReleases;
  readonly zoneOf: ZoneOf;
  readonly counts: VerifyCounts;
  readonly sink: FindingSink;
}

/** Checks a front. @throws AppError tree-newer-schema */
export async function checkFront(front: string, check: TreeCheck): Promise<void> {
  const { tree, releases, zoneOf, counts, sink } = check;
  const scan = await scanFolder(folderOf(front), tree, sink);
  await reportFilesBelow(scan.folders, tree, sink);
  const read = await checkedPointer(front, scan, check);
  const pointer = read?.pointer ?? null;
  const sound = read === null ? null : checkPointer(read, zoneOf, sink);
  const record = pointer === null ? undefined : releases.recordOf(front, pointer);
  if (pointer !== null) counts.fronts += 1;
  if (pointer !== null && sound !== null) compareWithReleases(pointer, record, releases, sink);

  const listed = releases.filesOf(front);
  const named = new Set(pointer === null ? [] : editionPathsOf(pointer));
  const isNamed = (path: string): boolean => named.has(path) || listed.has(path);
  // A pointer or a manifest that cannot be read might name any edition.
  const isEveryNameKnown =
    releases.isEveryRead && (pointer !== null || !scan.files.has(pathOf({ kind: 'pointer', front })));
  const facts = new EditionFacts();
  const context = { sound, weekendDays: record?.weekendDays ?? null, sink };
  for (const [path, file] of scan.files) {
    if (file.kind !== 'edition') continue;
    if (isEveryNameKnown && !isNamed(path) && !isNamed(identityPathOf(file))) {
      sink.warning('stranger', path, 'an edition that no pointer and no kept release names');
    }
    const bytes = await tree.read(path);
    if (!bytes.ok) {
      sink.error('file-unreadable', path, bytes.message);
      continue;
    }
    counts.editions += 1;
    counts.bytes += bytes.value.length;
    checkEdition(path, file, bytes.value, listed.get(path) ?? [], facts, context);
  }
  for (const path of [...new Set([...named, ...listed.keys()])].sort()) {
    if (scan.files.has(path) || scan.misplaced.has(path)) continue;
    const by = named.has(path) ? 'the pointer' : (listed.get(path)?.[0]?.manifest ?? '');
    sink.error('file-missing', path, `expected the file that ${by} names, found none`);
  }
  if (sound === null) return;
  compareEndpoints(sound, facts, sink);
  if (record !== undefined) compareCards(front, sound, record, facts, sink);
}

async function checkedPointer(front: string, scan: Scan, check: TreeCheck): Promise<ReadPointer | null> {
  const { tree, releases, sink } = check;
  const path = pathOf({ kind: 'pointer', front });
  if (scan.files.has(path)) {
    const read = await readPointer(front, tree);
    if (read.ok) return read.value;
    sink.error(read.why === 'damaged' ? PROBLEM_CODE.pointer : 'file-unreadable', path, read.message);
    return null;
  }
  if (scan.misplaced.has(path) || !releases.isListed(front)) return null;
  const message = 'the current release lists the front, but its pointer is missing';
  if (releases.isFrontLeaving(front)) {
    sink.warning('pointer-missing', path, `${message}: a run that removes it was stopped; run it again`);
  } else sink.error('pointer-missing', path, `${message}; run build again`);
  return null;
}

/** A stop between the pointers and `current` leaves pointers of a newer release: whole, and mended by the next build. */
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
    // A manifest that cannot be read is an error already, and may well be the one that names this pointer.
    if (!releases.isEveryRead) return;
    const message = 'no kept release has this pointer; its weekendSlot is not checked; run build again';
    sink.error('pointer-not-current', path, message);
  } else if (releases.isCurrentKnown) {
    const message = `the pointer is that of ${record.manifest}, not of the current release: a run was stopped; run it again`;
    sink.warning('pointer-not-current', path, message);
  }
}

/** Both endpoints change together: at every instant the categories inside products are those of the other document. */
function compareEndpoints({ uses }: SoundPointer, facts: EditionFacts, sink: FindingSink): void {
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

/** What the manifest counted against what the editions hold. */
function compareCards(
  front: string,
  { uses }: SoundPointer,
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
  if (problems.length > 0) sink.error('manifest-invalid', record.manifest, summary(problems));
}
