// What time will change in a published release: its later editions, each with what it changes.
// Renders nothing.

import type { DocumentChange } from '../../contract/results/diff.ts';
import { diffDocuments } from '../diff/document-diff.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { listingsOf, selectedFronts } from '../diff/release-diff.ts';
import { productsDigestAt, type ReleaseView } from '../tree/release-view.ts';

export interface FrontForecast {
  readonly front: string;
  readonly timezone: string;
  readonly validUntil: string;
  /** Cards at `from`. */
  readonly cards: number;
  /**
   * Every edition that begins in (from, until], with what it changes and the cards from then on.
   */
  readonly steps: readonly {
    readonly at: string;
    readonly changes: readonly DocumentChange[];
    readonly cards: number;
  }[];
}

/**
 * The editions of each front that begin in (from, until], by time. Nothing is known after the
 * front's validUntil.
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
      // The first edition is also served before its instant, so it changes nothing when it begins.
      if (at <= from || at > until || at === pointer.now) continue;
      const next = await release.documents.products(front, digest);
      steps.push({ at, changes: diffDocuments(document, next), cards: next.productCards.length });
      document = next;
    }
    yield { front, timezone: pointer.timezone, validUntil: pointer.validUntil, cards, steps };
  }
}
