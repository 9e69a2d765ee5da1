// What the clock will do to a release that is published already: edition by edition, each with what it changes. Nothing is
// rendered: the editions have been there since the build.

import type { DocumentChange } from '../../contract/diff-results.ts';
import { diffDocuments } from '../diff/document-diff.ts';
import { entryOf } from '../tree/codec.ts';
import { listingsOf, selectedFronts } from '../diff/release-diff.ts';
import { productsDigestAt, type ReleaseView } from '../tree/release-view.ts';

export interface FrontForecast {
  readonly front: string;
  readonly timezone: string;
  readonly validUntil: string;
  /** Cards at the beginning. */
  readonly cards: number;
  /** Every edition that begins after `from` and not after `until`, with what it changes. */
  readonly steps: readonly {
    readonly at: string;
    readonly changes: readonly DocumentChange[];
    readonly cards: number;
  }[];
}

/**
 * The editions of each front in (from, until], by time. Those after the front's validUntil are not known and not there.
 * @throws AppError nothing-published, tree-unreadable
 */
export async function* forecast(
  release: ReleaseView,
  fronts: readonly string[] | null,
  from: string,
  until: string,
): AsyncGenerator<FrontForecast> {
  const listings = listingsOf(release);
  for (const front of selectedFronts(fronts, [...listings.keys()])) {
    const pointer = listings.get(front)?.pointer;
    if (pointer === undefined) continue;
    let document = await release.documents.products(front, productsDigestAt(pointer, from));
    const cards = document.productCards.length;
    const steps: { at: string; changes: readonly DocumentChange[]; cards: number }[] = [];
    for (const entry of pointer.products) {
      const { from: at, digest } = entryOf(entry);
      // Before the first edition's instant the first is served: it changes nothing when it begins.
      if (at <= from || at > until || at === pointer.now) continue;
      const next = await release.documents.products(front, digest);
      steps.push({ at, changes: diffDocuments(document, next), cards: next.productCards.length });
      document = next;
    }
    yield { front, timezone: pointer.timezone, validUntil: pointer.validUntil, cards, steps };
  }
}
