// One front: its folder, its pointer, every edition in it, and what the kept releases say about them. Each file is read once,
// one document is in memory at a time, and nothing of the front is kept when the next one's turn comes (law 8: no other front
// is looked at either).

import type { Pointer } from '../../contract/pointer.ts';
import { folderOf, pathOf } from '../../render/paths.ts';
import { editionPathsOf } from '../tree/published.ts';
import type { TreeReader } from '../tree/reader.ts';
import { checkEdition, EditionFacts } from './edition.ts';
import { identityPathOf } from './manifest.ts';
import { checkPointer, type CheckedPointer, type SoundPointer, type ZoneOf } from './pointer.ts';
import type { KeptReleases, PointerRecord } from './releases.ts';
import { gathered, type Report } from './report.ts';
import { readTreeFile, reportStrangersBelow, scanFolder, type Scan } from './scan.ts';

/** What was looked at: pointers of fronts, edition files and their bytes, releases. */
export interface Looked {
  fronts: number;
  editions: number;
  bytes: number;
  releases: number;
}

/** What the checks of all fronts share. */
export interface TreeCheck {
  readonly reader: TreeReader;
  readonly releases: KeptReleases;
  readonly zoneOf: ZoneOf;
  readonly looked: Looked;
  readonly report: Report;
}

/** Checks a front. @throws AppError tree-newer-schema */
export async function checkFront(front: string, check: TreeCheck): Promise<void> {
  const { reader, releases, looked, report } = check;
  const scan = await scanFolder(folderOf(front), reader, report);
  await reportStrangersBelow(scan.folders, reader, report);
  const checked = await readPointer(front, scan, check);
  const record = checked === null ? undefined : releases.recordOf(front, checked.pointer);
  const sound = checked?.sound ?? null;
  if (checked !== null) looked.fronts += 1;
  if (checked !== null && sound !== null) compareWithReleases(checked.pointer, record, releases, report);

  const claims = releases.claimsOf(front);
  const inForce = new Set(checked === null ? [] : editionPathsOf(checked.pointer));
  const isNamed = (path: string): boolean => inForce.has(path) || claims.has(path);
  // A pointer or a manifest that cannot be read might name any edition.
  const isEveryNameKnown =
    releases.isEveryRead && (checked !== null || !scan.files.has(pathOf({ kind: 'pointer', front })));
  const facts = new EditionFacts();
  const context = { sound, weekendDays: record?.weekendDays ?? null, reader, report };
  for (const [path, file] of scan.files) {
    if (file.kind !== 'edition') continue;
    if (isEveryNameKnown && !isNamed(path) && !isNamed(identityPathOf(path))) {
      report.warning('stranger', path, 'an edition that no pointer and no kept release names');
    }
    const bytes = await readTreeFile(path, reader, report);
    if (bytes === undefined) continue;
    looked.editions += 1;
    looked.bytes += bytes.length;
    checkEdition(path, file, bytes, claims.get(path) ?? [], facts, context);
  }
  for (const path of [...new Set([...inForce, ...claims.keys()])].sort()) {
    if (scan.files.has(path) || scan.taken.has(path)) continue;
    const by = inForce.has(path) ? 'the pointer' : (claims.get(path)?.[0]?.manifest ?? '');
    report.error('file-missing', path, `expected the file that ${by} names, found none`);
  }
  if (sound === null) return;
  compareEndpoints(sound, facts, report);
  if (record !== undefined) compareCards(front, sound, record, facts, report);
}

async function readPointer(front: string, scan: Scan, check: TreeCheck): Promise<CheckedPointer | null> {
  const { reader, releases, zoneOf, report } = check;
  const path = pathOf({ kind: 'pointer', front });
  if (scan.files.has(path)) {
    const bytes = await readTreeFile(path, reader, report);
    return bytes === undefined ? null : checkPointer(bytes, path, front, zoneOf, report);
  }
  if (scan.taken.has(path) || !releases.isFrontInForce(front)) return null;
  const message = 'the release in force lists the front, but its pointer is missing';
  if (releases.isFrontLeaving(front)) {
    report.warning('pointer-missing', path, `${message}: a run that removes it was stopped; run it again`);
  } else report.error('pointer-missing', path, `${message}; run build again`);
  return null;
}

/** A stop between the pointers and `current` leaves pointers of a newer release: whole, and mended by the next build. */
function compareWithReleases(
  pointer: Pointer,
  record: PointerRecord | undefined,
  releases: KeptReleases,
  report: Report,
): void {
  const { front } = pointer;
  const path = pathOf({ kind: 'pointer', front });
  if (record?.weekendDays === null) {
    const message = `${record.manifest} does not tell which days are weekend: weekendSlot is not checked; run build again`;
    report.warning('weekend-unchecked', path, message);
  }
  if (releases.inForce(front, pointer) === 'same' || releases.count === 0) return;
  if (record === undefined) {
    // A manifest that cannot be read is an error already, and may well be the one that names this pointer.
    if (!releases.isEveryRead) return;
    const message = 'no kept release has this pointer; its weekendSlot is not checked; run build again';
    report.error('pointer-not-current', path, message);
  } else if (releases.isInForceKnown) {
    const message = `the pointer is that of ${record.manifest}, not of the release in force: a run was stopped; run it again`;
    report.warning('pointer-not-current', path, message);
  }
}

/** Both endpoints flip together: at every instant the categories inside products are those of the other document. */
function compareEndpoints({ uses }: SoundPointer, facts: EditionFacts, report: Report): void {
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
  for (const [path, problems] of problemsOf) report.error('endpoints-disagree', path, gathered(problems));
}

/** What the manifest counted against what the editions hold. */
function compareCards(
  front: string,
  { uses }: SoundPointer,
  record: PointerRecord,
  facts: EditionFacts,
  report: Report,
): void {
  const problems = uses.products.flatMap(({ path }, i) => {
    const cards = facts.cards.get(path);
    const told = record.cardsByEdition[i];
    if (cards === undefined || told === undefined || cards === told) return [];
    return [`front ${front}: cardsByEdition says ${told} of ${path}, which has ${cards}`];
  });
  if (problems.length > 0) report.error('manifest-invalid', record.manifest, gathered(problems));
}
