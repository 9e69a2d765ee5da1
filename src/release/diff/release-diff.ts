// What differs between two releases, front by front, so that memory does not grow with the number of fronts.

import type { Pointer } from '../../contract/pointer.ts';
import { AppError } from '../../errors.ts';
import { productsDigestAt, type ReleaseView } from '../tree/release-view.ts';
import { diffSnapshots, isAnyDifference, type SnapshotDiff, type SnapshotView } from './snapshot-diff.ts';

export type FrontDiff =
  | { readonly front: string; readonly state: 'added' | 'gone'; readonly cards: number }
  | { readonly front: string; readonly state: 'same' }
  | { readonly front: string; readonly state: 'changed'; readonly timezone: string; readonly diff: SnapshotDiff };

/**
 * Compares two releases, each at its own now; of one tree or of two. Fronts come by code, those that are the same included.
 * @throws AppError nothing-published (a front that neither has), tree-unreadable
 */
export async function* diffReleases(
  before: ReleaseView,
  after: ReleaseView,
  fronts: readonly string[] | null,
): AsyncGenerator<FrontDiff> {
  const [old, now] = [pointersOf(before), pointersOf(after)];
  const known = [...new Set([...old.keys(), ...now.keys()])].sort();
  for (const front of selectedFronts(fronts, known)) {
    const [pointerBefore, pointerAfter] = [old.get(front), now.get(front)];
    const viewBefore = pointerBefore === undefined ? null : viewOf(before, pointerBefore);
    const viewAfter = pointerAfter === undefined ? null : viewOf(after, pointerAfter);
    if (viewBefore === null || viewAfter === null) {
      const only = viewBefore ?? viewAfter;
      if (only === null) continue;
      const { productCards } = await only.products(productsDigestAt(only.pointer, only.at));
      yield { front, state: viewBefore === null ? 'added' : 'gone', cards: productCards.length };
      continue;
    }
    const diff = await diffSnapshots(viewBefore, viewAfter);
    if (isAnyDifference(diff)) yield { front, state: 'changed', timezone: viewAfter.pointer.timezone, diff };
    else yield { front, state: 'same' };
  }
}

/** Those of a release's fronts that were asked for, by code; all where none was. @throws AppError nothing-published */
export function selectedFronts(wanted: readonly string[] | null, known: readonly string[]): readonly string[] {
  if (wanted === null) return known;
  const unknown = wanted.find((code) => !known.includes(code));
  if (unknown === undefined) return known.filter((code) => wanted.includes(code));
  throw new AppError(
    'nothing-published',
    `expected a published front, found ${JSON.stringify(unknown)}`,
    known.length === 0 ? 'publish with: playbill build' : `published are: ${known.slice(0, 20).join(', ')}`,
  );
}

export function pointersOf(release: ReleaseView): ReadonlyMap<string, Pointer> {
  return new Map(release.manifest.fronts.map(({ front, pointer }) => [front, pointer]));
}

function viewOf(release: ReleaseView, pointer: Pointer): SnapshotView {
  const products = (digest: string) => release.documents.products(pointer.front, digest);
  return { pointer, at: release.manifest.now, products };
}
