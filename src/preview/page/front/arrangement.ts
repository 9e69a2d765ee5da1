// A products document as a visitor's page lays it out: banner, featured, groups in their weight, each with its cards in their order.

import type { ProductCard, ProductsDocument } from '../../../contract/documents.ts';

export const TABS = ['today', 'tomorrow', 'weekend', 'all'] as const;

export type Tab = (typeof TABS)[number];

/** What a visitor looks for. */
export interface Search {
  readonly tab: Tab;
  /** Slug of a badge, or null for any. */
  readonly badge: string | null;
  /** Part of a name, of a venue or of a slug; '' for any. */
  readonly query: string;
}

export interface Row {
  readonly key: string;
  readonly kind: 'banner' | 'featured' | 'group' | 'rest';
  /** Name and slug of the group; a title of our own and '' for the other kinds. */
  readonly name: string;
  readonly slug: string;
  /** The document's `cardType` of a group; 1 for the other kinds. */
  readonly cardType: number;
  readonly cards: readonly ProductCard[];
}

/** The session that a tab shows of a card, and whether there are more; null where the card is not under this tab. */
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

/** Rows that hold a card, from the top: banner, featured, groups in the document's order, then the remaining cards. */
export function arrange(document: ProductsDocument, search: Search): readonly Row[] {
  const cards = found(document.productCards, search);
  const rowOf = (kind: Row['kind'], name: string, isIn: (card: ProductCard) => boolean): Row => {
    return { key: kind, kind, name, slug: '', cardType: 1, cards: cards.filter(isIn) };
  };
  const groups = document.groups.map(({ slug, name, cardType }): Row => {
    const weightOf = (card: ProductCard) => card.groups.find((group) => group.slug === slug)?.sortWeight;
    // Sorting is stable: cards of the same weight keep the document's order.
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
