// The products of two documents side by side, with what differs.

import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import type { Changes } from '../text/changes.ts';
import { found, type Search, type SearchFacts } from './search.ts';

/** A product in two documents; null where it has no card. */
export interface Pair {
  readonly key: string;
  readonly slug: string;
  readonly name: string;
  readonly before: ProductCard | null;
  readonly after: ProductCard | null;
  /** What differs, a sentence each; empty if nothing does. */
  readonly texts: readonly string[];
}

/**
 * The products of which a search finds a card in either document: in the order of the later one,
 * then those that only the earlier one has.
 */
export function pairsOf(
  documents: readonly [earlier: ProductsDocument, later: ProductsDocument],
  changes: Changes,
  search: Search,
  facts: SearchFacts,
): readonly Pair[] {
  const [befores, afters] = documents.map(
    ({ productCards }) => new Map(found(productCards, search, facts).map((card) => [card.productId, card])),
  );
  const [allBefores, allAfters] = documents.map(
    ({ productCards }) => new Map(productCards.map((card) => [card.productId, card])),
  );
  const ids = new Set([...(afters?.keys() ?? []), ...(befores?.keys() ?? [])]);
  return [...ids].flatMap((id): Pair[] => {
    const [before, after] = [allBefores?.get(id) ?? null, allAfters?.get(id) ?? null];
    const card = after ?? before;
    if (card === null) return [];
    return [{ key: String(id), slug: card.slug, name: card.name, before, after, texts: changes.textsOf.get(id) ?? [] }];
  });
}
