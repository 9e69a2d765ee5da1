// What the viewer filters by, and the cards that match.

import type { ProductCard } from '../../../contract/documents.ts';
import type { MissingProduct, ProductLabels } from '../../messages.ts';

export const TABS = ['today', 'tomorrow', 'weekend', 'all'] as const;

export type Tab = (typeof TABS)[number];

/** Flags of a card, and what is known of it besides. */
export const FLAGS = [
  'sold-out',
  'paused',
  'banner',
  'featured',
  'pushka',
  'changed',
  'changes-later',
  'without-card',
] as const;

export type Flag = (typeof FLAGS)[number];

export interface Search {
  readonly tab: Tab;
  /** Part of a name, venue or slug; '' for any. */
  readonly query: string;
  readonly only: Flag | null;
  /** Slugs; null for any. */
  readonly group: string | null;
  readonly category: string | null;
  readonly tag: string | null;
  readonly badge: string | null;
}

export const NO_SEARCH: Search = {
  tab: 'all',
  query: '',
  only: null,
  group: null,
  category: null,
  tag: null,
  badge: null,
};

/** What a search needs to know that the document does not say. */
export interface SearchFacts {
  /** Products whose cards this edition changes. */
  readonly changed: { readonly has: (productId: number) => boolean };
  /** Products whose cards a later edition changes. */
  readonly changesLater: ReadonlySet<number>;
  /** By slug; null without a catalogue. */
  readonly labels: ReadonlyMap<string, ProductLabels> | null;
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

/** Whether anything is filtered out. */
export function isNarrowed({ query, ...chosen }: Search): boolean {
  const any: Omit<Search, 'query'> = NO_SEARCH;
  return query.trim() !== '' || Object.entries(chosen).some(([name, value]) => value !== any[name as keyof typeof any]);
}

/** Cards that match a search, in the document's order; those of a group by their weight there. */
export function found(cards: readonly ProductCard[], search: Search, facts: SearchFacts): readonly ProductCard[] {
  if (!isNarrowed(search)) return cards;
  const { tab, badge, group, only, query } = search;
  const wanted = query.trim().toLocaleLowerCase('en');
  const matching = cards.filter(
    (card) =>
      sessionOf(card, tab) !== null &&
      (badge === null || card.badges.includes(badge)) &&
      (group === null || card.groups.some(({ slug }) => slug === group)) &&
      hasLabels(card.slug, search, facts) &&
      (only === null || hasFlag(card, only, facts)) &&
      hasText([card.name, card.inventoryItemName, card.slug], wanted),
  );
  return group === null ? matching : inGroup(matching, group);
}

/** Products without a card that match a search. What only cards have matches none. */
export function foundMissing(
  missing: readonly MissingProduct[],
  search: Search,
  facts: SearchFacts,
): readonly MissingProduct[] {
  const { tab, badge, group, only, query } = search;
  if (tab !== 'all' || badge !== null || group !== null || (only !== null && only !== 'without-card')) return [];
  const wanted = query.trim().toLocaleLowerCase('en');
  return missing.filter(
    ({ name, slug, verdict }) => hasLabels(slug, search, facts) && hasText([name, slug, verdict], wanted),
  );
}

/** Cards of a group by their weight there; cards of one weight stay in their order. */
export function inGroup(cards: readonly ProductCard[], group: string): readonly ProductCard[] {
  const weightOf = (card: ProductCard): number => card.groups.find(({ slug }) => slug === group)?.sortWeight ?? 0;
  return cards.toSorted((a, b) => weightOf(a) - weightOf(b));
}

function hasText(texts: readonly string[], wanted: string): boolean {
  return wanted === '' || texts.some((text) => text.toLocaleLowerCase('en').includes(wanted));
}

function hasLabels(slug: string, { category, tag }: Search, { labels }: SearchFacts): boolean {
  if (labels === null) return true;
  const own = labels.get(slug);
  return (
    (category === null || own?.categories.includes(category) === true) &&
    (tag === null || own?.tags.includes(tag) === true)
  );
}

function hasFlag(card: ProductCard, flag: Flag, { changed, changesLater }: SearchFacts): boolean {
  switch (flag) {
    case 'sold-out':
      return card.soldOut;
    case 'paused':
    case 'banner':
    case 'featured':
    case 'pushka':
      return card[flag];
    case 'changed':
      return changed.has(card.productId);
    case 'changes-later':
      return changesLater.has(card.productId);
    case 'without-card':
      return false;
  }
}
