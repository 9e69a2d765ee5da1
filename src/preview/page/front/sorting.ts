// The products of the list, with a card or without, and their order.

import type { ProductCard } from '../../../contract/documents.ts';
import type { MissingProduct } from '../../messages.ts';

export const COLUMNS = [
  'name',
  'next',
  'today',
  'tomorrow',
  'weekend',
  'price',
  'venue',
  'flags',
  'badges',
  'changed',
] as const;

export type Column = (typeof COLUMNS)[number];

export interface Sort {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** A row of the list: a card, or a product that has none. */
export type ListedProduct =
  | { readonly key: string; readonly card: ProductCard; readonly missing: null; readonly change: string | null }
  | { readonly key: string; readonly card: null; readonly missing: MissingProduct; readonly change: null };

export function listedProducts(
  cards: readonly ProductCard[],
  changes: ReadonlyMap<number, string>,
  missing: readonly MissingProduct[],
): readonly ListedProduct[] {
  return [
    ...cards.map((card) => {
      const change = changes.get(card.productId) ?? null;
      return { key: `card ${card.productId}`, card, missing: null, change };
    }),
    ...missing.map((one) => ({ key: `missing ${one.slug}`, card: null, missing: one, change: null })),
  ];
}

/** The words for a card's flags, those that stop sales first. */
export function flagsOf({ soldOut, paused, banner, featured, pushka }: ProductCard): readonly string[] {
  return [
    ...(soldOut ? ['Sold out'] : []),
    ...(paused ? ['Paused'] : []),
    ...(banner ? ['Banner'] : []),
    ...(featured ? ['Featured'] : []),
    ...(pushka ? ['Pushkin'] : []),
  ];
}

const names = new Intl.Collator('en', { numeric: true });

type Value = string | number | null;

/**
 * Sorted by a column; rows that are equal there stay in their order, and rows without a value come
 * last in either direction. null keeps the document's order.
 */
export function sorted(rows: readonly ListedProduct[], sort: Sort | null): readonly ListedProduct[] {
  if (sort === null) return rows;
  const { column, isDescending } = sort;
  const keyed = rows.map((row) => ({ row, value: valueOf(row, column) }));
  return keyed
    .sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return (isDescending ? -1 : 1) * compared(a, b);
    })
    .map(({ row }) => row);
}

function compared(a: NonNullable<Value>, b: NonNullable<Value>): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : names.compare(String(a), String(b));
}

function valueOf({ card, missing, change }: ListedProduct, column: Column): Value {
  if (column === 'name') return card?.name ?? missing?.name ?? null;
  // The last column says what has changed, and of products without a card why they have none.
  if (column === 'changed') return missing === null ? change : `${missing.reason} ${missing.verdict}`;
  if (card === null) return null;
  switch (column) {
    case 'next':
      return card.nextScheduleSlot;
    case 'today':
    case 'tomorrow':
    case 'weekend':
      return card[`${column}Slot`];
    case 'price':
      return card.priceFrom;
    case 'venue':
      return card.inventoryItemName;
    case 'flags':
      return flagsOf(card).join() || null;
    case 'badges':
      return card.badges.join() || null;
  }
}
