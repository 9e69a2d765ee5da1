// Arranges the cards of a document in rows: the groups, then the rest. A product stands once, in
// the first of its groups. What a search finds is one row.

import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';
import { found, inGroup, isNarrowed, type Search, type SearchFacts } from './search.ts';

export interface Row {
  readonly key: string;
  /** The group's name; null for a row without a title. */
  readonly title: { readonly name: string; readonly slug: string } | null;
  readonly cards: readonly ProductCard[];
}

/** The rows that have cards. */
export function arrange(document: ProductsDocument, search: Search, facts: SearchFacts): readonly Row[] {
  const cards = found(document.productCards, search, facts);
  if (isNarrowed(search)) return cards.length === 0 ? [] : [{ key: 'found', title: null, cards }];
  const byGroup = new Map<string, ProductCard[]>(document.groups.map(({ slug }) => [slug, []]));
  const rest: ProductCard[] = [];
  for (const card of cards) {
    const own = new Set(card.groups.map(({ slug }) => slug));
    const first = document.groups.find(({ slug }) => own.has(slug));
    (byGroup.get(first?.slug ?? '') ?? rest).push(card);
  }
  const groups = document.groups.map(({ slug, name }): Row => {
    return { key: `group ${slug}`, title: { name, slug }, cards: inGroup(byGroup.get(slug) ?? [], slug) };
  });
  const others: Row = { key: 'rest', title: { name: 'In no group', slug: '' }, cards: rest };
  return [...groups, others].filter((row) => row.cards.length > 0);
}

/** A title, or cards that stand side by side. */
export type Line =
  | { readonly key: string; readonly kind: 'title'; readonly title: NonNullable<Row['title']> }
  | { readonly key: string; readonly kind: 'cards'; readonly cards: readonly ProductCard[] };

/** The rows as lines of at most `width` cards. */
export function linesOf(rows: readonly Row[], width: number): readonly Line[] {
  return rows.flatMap(({ key, title, cards }): Line[] => [
    ...(title === null ? [] : [{ key, kind: 'title', title } as const]),
    ...Array.from({ length: Math.ceil(cards.length / width) }, (_, i) => {
      return { key: `${key} ${i}`, kind: 'cards', cards: cards.slice(i * width, (i + 1) * width) } as const;
    }),
  ]);
}
