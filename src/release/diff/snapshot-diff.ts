// Compares two snapshots of one front, and separates changes due to time from changes in the data.
// That is possible if the older snapshot has an edition for the newer one's instant: it says what
// time alone would have changed.

import { parseInstant } from '../../catalogue/instant.ts';
import type { DocumentChange, FieldChange, FrontDifference } from '../../contract/results/diff.ts';
import type { ProductsDocument } from '../../contract/documents.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { productsDigestAt } from '../tree/release-view.ts';
import { diffDocuments } from './document-diff.ts';

/** One front's snapshot, seen at an instant (`YYYY-MM-DDTHH:MM:SSZ`, like all instants here). */
export interface SnapshotView {
  readonly pointer: Pointer;
  readonly at: string;
  /** The instant as of which it is right. */
  readonly asOf: string;
  readonly products: (digest: string) => Promise<ProductsDocument>;
}

/**
 * Compares two snapshots of a front, each at its own instant. The instants may be in any order: if
 * `after` is the earlier one, its editions say what time alone would have changed.
 * @throws AppError tree-unreadable
 */
export async function diffSnapshots(
  before: SnapshotView,
  after: SnapshotView,
): Promise<Omit<FrontDifference, 'upcoming'>> {
  const first = await before.products(productsDigestAt(before.pointer, before.at));
  const last = await after.products(productsDigestAt(after.pointer, after.at));
  const common = {
    front: after.pointer.front,
    timezone: after.pointer.timezone,
    cardsBefore: first.productCards.length,
    cardsAfter: last.productCards.length,
  };
  const isForward = before.at <= after.at;
  const [older, newer] = isForward ? [before, after] : [after, before];
  if (!isSameSnapshot(before.pointer, after.pointer) && newer.at >= older.pointer.validUntil) {
    const ambiguous = diffDocuments(first, last);
    const { validUntil } = older.pointer;
    const horizonNeededSeconds = Math.max(0, (parseInstant(newer.at) ?? 0) - (parseInstant(older.asOf) ?? 0));
    return { ...common, clock: [], data: [], ambiguous, comparableUntil: validUntil, horizonNeededSeconds };
  }
  const between = await older.products(productsDigestAt(older.pointer, newer.at));
  const clock = isForward ? diffDocuments(first, between) : diffDocuments(between, last);
  const data = isForward ? diffDocuments(between, last) : diffDocuments(first, between);
  return { ...common, clock, data, ambiguous: [], comparableUntil: null, horizonNeededSeconds: null };
}

function isSameSnapshot(a: Pointer, b: Pointer): boolean {
  return a.now === b.now && a.validUntil === b.validUntil && String(a.products) === String(b.products);
}

/**
 * The differences at later instants that both snapshots reach, without those that show already now.
 * @throws AppError tree-unreadable
 */
export async function upcomingChanges(
  before: SnapshotView,
  after: SnapshotView,
  { data, comparableUntil }: Pick<FrontDifference, 'data' | 'comparableUntil'>,
): Promise<FrontDifference['upcoming']> {
  if (comparableUntil !== null) return [];
  const known = new Set(data.flatMap(keysOf));
  const upcoming: { from: string; changes: DocumentChange[] }[] = [];
  const since = before.at > after.at ? before.at : after.at;
  const starts = [...before.pointer.products, ...after.pointer.products].map((entry) => entryOf(entry).from);
  for (const from of [...new Set(starts)].sort()) {
    if (from <= since || from >= before.pointer.validUntil || from >= after.pointer.validUntil) continue;
    const [old, now] = [productsDigestAt(before.pointer, from), productsDigestAt(after.pointer, from)];
    if (old === now) continue;
    const differences = diffDocuments(await before.products(old), await after.products(now));
    const changes = differences.flatMap((change) => withoutKnown(change, known));
    if (changes.length > 0) upcoming.push({ from, changes });
    for (const key of changes.flatMap(keysOf)) known.add(key);
  }
  return upcoming;
}

/** A change without its known fields; empty if nothing is left. */
function withoutKnown(change: DocumentChange, known: ReadonlySet<string>): DocumentChange[] {
  if (change.change !== 'changed') return keysOf(change).some((key) => known.has(key)) ? [] : [change];
  const fields = change.fields.filter((field) => !known.has(fieldKey(change, field)));
  return fields.length === 0 ? [] : [{ ...change, fields }];
}

/**
 * The keys that identify a change: one for each changed field, or else one. A move's key has no
 * places, which shift with other moves.
 */
function keysOf(change: DocumentChange): string[] {
  if (change.change === 'changed') return change.fields.map((field) => fieldKey(change, field));
  return [`${change.list} ${change.id} ${change.change}`];
}

function fieldKey({ list, id }: DocumentChange, { path, before, after }: FieldChange): string {
  return `${list} ${id} ${path} ${JSON.stringify([before, after])}`;
}
