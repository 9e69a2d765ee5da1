// What differs between two documents, as the cards need it: by product, with the fields in a visitor's words. The comparison itself is
// release/document-diff.ts, as everywhere.

import type { ProductsDocument } from '../../contract/documents.ts';
import type { DocumentChange } from '../../contract/diff-results.ts';
import { diffDocuments, summaryText } from '../../release/diff/document-diff.ts';

/** What a card says of itself: `new`, `gone`, `moved` or the fields that changed. */
export interface CardChange {
  readonly words: string;
}

export interface Changes {
  readonly list: readonly DocumentChange[];
  /** In one line; '' where nothing differs. */
  readonly summary: string;
  readonly byProduct: ReadonlyMap<number, CardChange>;
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  ageRating: 'age rating',
  saleSchema: 'way of sale',
  pushka: 'Pushkin card',
  soldOut: 'sold out',
  nextScheduleSlot: 'next session',
  multiScheduleSlots: 'more dates',
  imageUrl: 'picture',
  altText: 'picture’s text',
  copyright: 'credit',
  copyrightUrl: 'credit',
  inventoryItemName: 'venue',
  multiInventoryItems: 'more venues',
  priceFrom: 'price',
  todaySlot: 'today',
  todayMultiScheduleSlots: 'more today',
  tomorrowSlot: 'tomorrow',
  tomorrowMultiScheduleSlots: 'more tomorrow',
  weekendSlot: 'weekend',
  weekendMultiScheduleSlots: 'more at the weekend',
};

export function changesOf(before: ProductsDocument, after: ProductsDocument): Changes {
  const list = diffDocuments(before, after);
  const byProduct = new Map<number, CardChange>();
  for (const change of list) {
    if (change.list !== 'productCards') continue;
    const words = [byProduct.get(change.id)?.words, wordsOf(change)].filter((part) => part !== undefined);
    byProduct.set(change.id, { words: words.join(', ') });
  }
  return { list, summary: summaryText(list), byProduct };
}

function wordsOf(change: DocumentChange): string {
  switch (change.change) {
    case 'added':
      return 'new';
    case 'gone':
      return 'gone';
    case 'moved':
      return 'moved';
    case 'changed':
      return [...new Set(change.fields.map(({ path }) => fieldName(path)))].join(', ');
  }
}

function fieldName(path: string): string {
  const [field = ''] = path.split('.');
  return FIELD_WORDS[field] ?? field;
}
