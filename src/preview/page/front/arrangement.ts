// Arranges a products document in rows, as a storefront would: banner, featured, groups, then the
// rest.

import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';

export const TABS = ['today', 'tomorrow', 'weekend', 'all'] as const;

export type Tab = (typeof TABS)[number];

/** What the viewer filters by. */
export interface Search {
  readonly tab: Tab;
  /** The slug of a badge; null for any. */
  readonly badge: string | null;
  /** Part of a name, venue or slug; '' for any. */
  readonly query: string;
}

export interface Row {
  readonly key: string;
  readonly kind: 'banner' | 'featured' | 'group' | 'rest';
  /** The name of the group; for other kinds, a title. */
  readonly name: string;
  /** The slug of the group; '' for other kinds. */
  readonly slug: string;
  /** The group's `cardType`; 1 for other kinds. */
  readonly cardType: number;
  readonly cards: readonly ProductCard[];
}

/**
 * The session that a tab shows on a card, and whether there are more; null if the card is not on
 * this tab.
 */
export function sessionOf(card: ProductCard, tab: Tab): { readonly start: string; readonly hasMore: boolean } | null {
  if (tab === 'all') return { start: card.nextScheduleSlot, hasMore: card.multiScheduleSlots };
  const start = card[`${tab}Slot`];
  return start === null ? null : { start, hasMore: card[`${tab}MultiScheduleSlots`] === true };
}

/** Cards that match a search, in the document's order. */
export function found(cards: readonly ProductCard[], { tab, badge, query }: Search): readonly ProductCard[] {
  const wanted = query.trim().toLocaleLowerCase('en');
  return cards.filter(
    (card) =>
      sessionOf(card, tab) !== null &&
      (badge === null || card.badges.includes(badge)) &&
      (wanted === '' ||
        [card.name, card.inventoryItemName, card.slug].some((text) => text.toLocaleLowerCase('en').includes(wanted))),
  );
}

/**
 * The rows that have cards: banner, featured, groups in the document's order, then the remaining
 * cards.
 */
export function arrange(document: ProductsDocument, search: Search): readonly Row[] {
  const cards = found(document.productCards, search);
  const rowOf = (kind: Row['kind'], name: string, isIn: (card: ProductCard) => boolean): Row => {
    return { key: kind, kind, name, slug: '', cardType: 1, cards: cards.filter(isIn) };
  };
  const groups = document.groups.map(({ slug, name, cardType }): Row => {
    const weightOf = (card: ProductCard) => card.groups.find((group) => group.slug === slug)?.sortWeight;
    // The sort is stable: cards of the same weight keep the document's order.
    const members = cards
      .filter((card) => weightOf(card) !== undefined)
      .sort((a, b) => (weightOf(a) ?? 0) - (weightOf(b) ?? 0));
    return { key: `group ${slug}`, kind: 'group', name, slug, cardType, cards: members };
  });
  const rows = [
    rowOf('banner', 'On the banner', (card) => card.banner),
    rowOf('featured', 'Featured', (card) => card.featured),
    ...groups,
    rowOf('rest', 'In no group', (card) => !card.banner && !card.featured && card.groups.length === 0),
  ];
  return rows.filter((row) => row.cards.length > 0);
}
