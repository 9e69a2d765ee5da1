// A products document as a visitor's page lays it out: banner, featured, groups in their weight, each with its cards in their order.

import type { ProductCard, ProductsDocument } from '../../contract/documents.ts';

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

export type RowKind = 'banner' | 'featured' | 'group' | 'rest';

export interface Row {
  readonly key: string;
  readonly kind: RowKind;
  /** Name and slug of the group; '' for the other kinds. */
  readonly name: string;
  readonly slug: string;
  /** The document's `cardType` of a group; 1 for the other kinds. */
  readonly cardType: number;
  readonly cards: readonly ProductCard[];
}

/** The session that a tab shows of a card, and whether there are more; null where the card is not under this tab. */
export function sessionOf(card: ProductCard, tab: Tab): { readonly start: string; readonly hasMore: boolean } | null {
  switch (tab) {
    case 'all':
      return { start: card.nextScheduleSlot, hasMore: card.multiScheduleSlots };
    case 'today':
      return slot(card.todaySlot, card.todayMultiScheduleSlots);
    case 'tomorrow':
      return slot(card.tomorrowSlot, card.tomorrowMultiScheduleSlots);
    case 'weekend':
      return slot(card.weekendSlot, card.weekendMultiScheduleSlots);
  }
}

function slot(start: string | null, hasMore: boolean | null): { start: string; hasMore: boolean } | null {
  return start === null ? null : { start, hasMore: hasMore === true };
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
  const rowOf = (kind: RowKind, isIn: (card: ProductCard) => boolean): Row => {
    return { key: kind, kind, name: '', slug: '', cardType: 1, cards: cards.filter(isIn) };
  };
  const byGroup = new Map<string, { readonly card: ProductCard; readonly weight: number }[]>();
  for (const card of cards) {
    for (const { slug, sortWeight } of card.groups) {
      const members = byGroup.get(slug) ?? [];
      members.push({ card, weight: sortWeight });
      byGroup.set(slug, members);
    }
  }
  const groups = document.groups.map(({ slug, name, cardType }): Row => {
    // Sorting is stable: cards of the same weight keep the document's order.
    const members = (byGroup.get(slug) ?? []).sort((a, b) => a.weight - b.weight).map(({ card }) => card);
    return { key: `group ${slug}`, kind: 'group', name, slug, cardType, cards: members };
  });
  const rows = [
    rowOf('banner', (card) => card.banner),
    rowOf('featured', (card) => card.featured),
    ...groups,
    rowOf('rest', (card) => !card.banner && !card.featured && card.groups.length === 0),
  ];
  return rows.filter((row) => row.cards.length > 0);
}
