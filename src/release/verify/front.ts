// One front: its folder, its pointer, every edition in it, and what the kept releases say about them. Each file is read once, a few
// ahead of the one that is looked at, and nothing of the front is kept when the next one's turn comes; no other front is looked at.

import type { Pointer } from '../../contract/pointer.ts';
import { folderOf, pathOf } from '../../render/paths.ts';
import { editionPathsOf, PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFolders } from '../tree/files.ts';
import { found, type Found } from '../tree/found.ts';
import { readPointer, type ReadPointer } from '../tree/read.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { checkEdition, checkSize, EditionFacts, identityPathOf, type EditionFile } from './edition.ts';
import { FindingSink, summary } from './finding-sink.ts';
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
  /** Whether editions are looked for by name and size alone, and not read. */
  readonly isSizesOnly: boolean;
}

/** What is read of a front ahead of its check. */
export interface OpenedFront {
  readonly scan: Scan;
  /** null where no file is in its place. */
  readonly pointer: Found<ReadPointer> | null;
  /** For the findings of this front. */
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

/** Checks a front, and leaves the findings in its sink. */
export async function checkFront(front: string, opened: OpenedFront, check: TreeCheck): Promise<void> {
  const { tree, releases, zoneOf, counts } = check;
  const { scan, sink } = opened;
  const read = checkedPointer(front, opened, releases);
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
  const editions = [...scan.files].flatMap(([path, file]): EditionAt[] =>
    file.kind === 'edition' ? [{ path, file }] : [],
  );
  const look = (edition: EditionAt) => (check.isSizesOnly ? sizeOf(edition, tree) : contentOf(edition, tree));
  for await (const [{ path, file }, seen] of readAhead(editions, look)) {
    if (isEveryNameKnown && !isNamed(path) && !isNamed(identityPathOf(file))) {
      sink.warning('stranger', path, 'an edition that no pointer and no kept release names');
    }
    if (!seen.ok) {
      sink.error('file-unreadable', path, seen.message);
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
    const by = named.has(path) ? 'the pointer' : (listed.get(path)?.[0]?.manifest ?? '');
    sink.error('file-missing', path, `expected the file that ${by} names, found none`);
  }
  if (sound === null) return;
  compareEndpoints(sound, facts, sink);
  if (record !== undefined) compareCards(front, sound, record, facts, sink);
}

interface EditionAt {
  readonly path: string;
  readonly file: EditionFile;
}

/** What is seen of an edition; `bytes` null where it is not read. */
type Seen = Found<{ readonly size: number; readonly bytes: Uint8Array | null }>;

async function contentOf({ path }: EditionAt, tree: TreeFolders): Promise<Seen> {
  const bytes = await tree.read(path);
  return bytes.ok ? found({ size: bytes.value.length, bytes: bytes.value }) : bytes;
}

async function sizeOf({ path }: EditionAt, tree: TreeFolders): Promise<Seen> {
  const size = await tree.size(path);
  return size.ok ? found({ size: size.value, bytes: null }) : size;
}

function checkedPointer(
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
