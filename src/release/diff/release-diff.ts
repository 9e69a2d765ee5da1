// Compares two releases front by front, so that memory does not grow with the number of fronts.

import type { FrontDifference } from '../../contract/results/diff.ts';
import type { ManifestFront } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { asOf } from '../tree/as-of.ts';
import { productsDigestAt, type ReleaseView } from '../tree/release-view.ts';
import { diffSnapshots, upcomingChanges, type SnapshotView } from './snapshot-diff.ts';

export type FrontDiff =
  | { readonly state: 'added' | 'gone'; readonly front: string; readonly cards: number }
  | { readonly state: 'same'; readonly front: string }
  | { readonly state: 'changed'; readonly front: string; readonly diff: FrontDifference };

/**
 * Compares two releases of one tree or of two, each at its own `now`. Yields all fronts by code,
 * including those that are the same.
 * @throws AppError nothing-published (a front that neither release has), tree-unreadable
 */
export async function* diffReleases(
  before: ReleaseView,
  after: ReleaseView,
  fronts: readonly string[] | null,
): AsyncGenerator<FrontDiff> {
  const [old, now] = [listingsOf(before), listingsOf(after)];
  const known = [...new Set([...old.keys(), ...now.keys()])].sort();
  for (const front of selectedFronts(fronts, known)) {
    yield await diffFront(front, viewOf(before, old.get(front)), viewOf(after, now.get(front)));
  }
}

/** Compares a front that at least one release has. @throws AppError tree-unreadable */
async function diffFront(front: string, before: SnapshotView | null, after: SnapshotView | null): Promise<FrontDiff> {
  if (before === null || after === null) {
    const only = before ?? after;
    const cards = only && (await only.products(productsDigestAt(only.pointer, only.at))).productCards.length;
    return { front, state: before === null ? 'added' : 'gone', cards: cards ?? 0 };
  }
  const diff = await diffSnapshots(before, after);
  const upcoming = await upcomingChanges(before, after, diff);
  const isSame = diff.clock.length + diff.data.length + diff.ambiguous.length + upcoming.length === 0;
  return isSame ? { front, state: 'same' } : { front, state: 'changed', diff: { ...diff, upcoming } };
}

/**
 * The wanted fronts of a release, by code; all if `wanted` is null.
 * @throws AppError nothing-published
 */
export function selectedFronts(wanted: readonly string[] | null, known: readonly string[]): readonly string[] {
  if (wanted === null) return known;
  const unknown = wanted.find((code) => !known.includes(code));
  if (unknown === undefined) return known.filter((code) => wanted.includes(code));
  throw new AppError(
    'nothing-published',
    `expected a published front, found ${JSON.stringify(unknown)}`,
    known.length === 0 ? 'publish with: playbill build' : `published fronts: ${known.slice(0, 20).join(', ')}`,
  );
}

export function listingsOf({ manifest }: ReleaseView): ReadonlyMap<string, ManifestFront> {
  return new Map(manifest.fronts.map((listing) => [listing.front, listing]));
}

function viewOf({ manifest, documents }: ReleaseView, listing: ManifestFront | undefined): SnapshotView | null {
  if (listing === undefined) return null;
  const { front, pointer } = listing;
  const products = (digest: string) => documents.products(front, digest);
  return { pointer, at: manifest.now, asOf: asOf(pointer, listing, manifest), products };
}
