// What differs between two snapshots of one front, and why. A snapshot's own editions say what it shows later on: where the older
// one reaches to the newer one's instant, what the clock changed is told apart from what the data changed.

import type { ProductsDocument } from '../../contract/documents.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { diffDocuments, type DocumentChange, type FieldChange } from './document-diff.ts';
import { entryOf } from '../tree/published.ts';
import { productsDigestAt } from '../tree/release-view.ts';

/** One front's snapshot, seen at an instant (`YYYY-MM-DDTHH:MM:SSZ`, like all instants here). */
export interface SnapshotView {
  readonly pointer: Pointer;
  readonly at: string;
  readonly products: (digest: string) => Promise<ProductsDocument>;
}

/** What differs between the documents of two snapshots, each at its instant. */
export interface SnapshotDiff extends InstantDiff {
  /** What other data will change later on, each change from the instant at which it first shows. */
  readonly upcoming: readonly { readonly from: string; readonly changes: readonly DocumentChange[] }[];
}

/** The same without what is still to come. */
export interface InstantDiff {
  readonly cardsBefore: number;
  readonly cardsAfter: number;
  /** What time alone changed, on the data of the older snapshot. */
  readonly clock: readonly DocumentChange[];
  /** What other data changed, at one and the same instant. */
  readonly data: readonly DocumentChange[];
  /** Changes that cannot be told apart, since the older snapshot does not reach that far; then the two above are empty. */
  readonly ambiguous: readonly DocumentChange[];
  /** Until when the older snapshot is known to be right, where that is why nothing can be told apart; else null. */
  readonly comparableUntil: string | null;
}

/**
 * Compares two snapshots of a front, at their instants and at every later one that both reach. The instants may be in any order:
 * backwards, it is the editions of the second snapshot that say what it shows at the instant of the first.
 * @throws AppError tree-unreadable
 */
export async function diffSnapshots(before: SnapshotView, after: SnapshotView): Promise<SnapshotDiff> {
  const diff = await diffAtInstants(before, after);
  return { ...diff, upcoming: diff.comparableUntil === null ? await upcomingChanges(before, after, diff.data) : [] };
}

/** The comparison at the two instants alone. @throws AppError tree-unreadable */
export async function diffAtInstants(before: SnapshotView, after: SnapshotView): Promise<InstantDiff> {
  const first = await before.products(productsDigestAt(before.pointer, before.at));
  const last = await after.products(productsDigestAt(after.pointer, after.at));
  const counts = { cardsBefore: first.productCards.length, cardsAfter: last.productCards.length };
  const isForward = before.at <= after.at;
  const [older, newer] = isForward ? [before, after] : [after, before];
  if (!isSameSnapshot(before.pointer, after.pointer) && newer.at >= older.pointer.validUntil) {
    const ambiguous = diffDocuments(first, last);
    return { ...counts, clock: [], data: [], ambiguous, comparableUntil: older.pointer.validUntil };
  }
  const between = await older.products(productsDigestAt(older.pointer, newer.at));
  const clock = isForward ? diffDocuments(first, between) : diffDocuments(between, last);
  const data = isForward ? diffDocuments(between, last) : diffDocuments(first, between);
  return { ...counts, clock, data, ambiguous: [], comparableUntil: null };
}

/** Whether anything differs, now or later. */
export function isAnyDifference({ clock, data, ambiguous, upcoming }: SnapshotDiff): boolean {
  return clock.length + data.length + ambiguous.length + upcoming.length > 0;
}

function isSameSnapshot(a: Pointer, b: Pointer): boolean {
  return a.now === b.now && a.validUntil === b.validUntil && String(a.products) === String(b.products);
}

/**
 * The instants after both views' own, and before either's validUntil, at which an edition begins and the two snapshots show
 * different documents: by the pointers alone, with the digests of both.
 */
export function laterDifferences(
  before: Omit<SnapshotView, 'products'>,
  after: Omit<SnapshotView, 'products'>,
): readonly { readonly from: string; readonly digests: readonly [before: string, after: string] }[] {
  const since = before.at > after.at ? before.at : after.at;
  const starts = [...before.pointer.products, ...after.pointer.products].map((entry) => entryOf(entry).from);
  return [...new Set(starts)].sort().flatMap((from) => {
    if (from <= since || from >= before.pointer.validUntil || from >= after.pointer.validUntil) return [];
    const digests = [productsDigestAt(before.pointer, from), productsDigestAt(after.pointer, from)] as const;
    return digests[0] === digests[1] ? [] : [{ from, digests }];
  });
}

/** What differs at later instants and has not been told before. */
async function upcomingChanges(
  before: SnapshotView,
  after: SnapshotView,
  known: readonly DocumentChange[],
): Promise<SnapshotDiff['upcoming']> {
  const told = new Set(known.flatMap(keysOf));
  const upcoming: { from: string; changes: DocumentChange[] }[] = [];
  for (const { from, digests } of laterDifferences(before, after)) {
    const documents = [await before.products(digests[0]), await after.products(digests[1])] as const;
    const changes = diffDocuments(...documents).flatMap((change) => untold(change, told));
    if (changes.length > 0) upcoming.push({ from, changes });
    for (const key of changes.flatMap(keysOf)) told.add(key);
  }
  return upcoming;
}

/** A change without those of its fields that were told before; nothing where that leaves nothing. */
function untold(change: DocumentChange, told: ReadonlySet<string>): DocumentChange[] {
  if (change.change !== 'changed') return keysOf(change).some((key) => told.has(key)) ? [] : [change];
  const fields = change.fields.filter((field) => !told.has(fieldKey(change, field)));
  return fields.length === 0 ? [] : [{ ...change, fields }];
}

/** What is told by a change: one key, or one for each field. Of a move it is the element: its places shift with the others'. */
function keysOf(change: DocumentChange): string[] {
  if (change.change === 'changed') return change.fields.map((field) => fieldKey(change, field));
  return [`${change.list} ${change.id} ${change.change}`];
}

function fieldKey({ list, id }: DocumentChange, { path, before, after }: FieldChange): string {
  return `${list} ${id} ${path} ${JSON.stringify([before, after])}`;
}
