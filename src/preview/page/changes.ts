// What differs between two documents, by product, with the fields in a visitor's terms. The comparison itself is
// release/diff/document-diff.ts, as everywhere.

import type { ProductsDocument } from '../../contract/documents.ts';
import type { DocumentChange } from '../../contract/diff-results.ts';
import { diffDocuments, summaryText } from '../../release/diff/document-diff.ts';

export type Changes = ReturnType<typeof changesOf>;

const FIELD_NAMES: Readonly<Record<string, string>> = {
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

/** The changes; a summary in one line, '' where nothing differs; by product `new`, `gone`, `moved` or the fields that changed. */
export function changesOf(earlier: ProductsDocument, later: ProductsDocument) {
  const list = diffDocuments(earlier, later);
  const byProduct = new Map<number, string>();
  for (const change of list) {
    if (change.list !== 'productCards') continue;
    const before = byProduct.get(change.id);
    byProduct.set(change.id, before === undefined ? describe(change) : `${before}, ${describe(change)}`);
  }
  return { list, summary: summaryText(list), byProduct };
}

function describe(change: DocumentChange): string {
  if (change.change !== 'changed') return change.change === 'added' ? 'new' : change.change;
  const fields = change.fields.map(({ path }) => path.split('.')[0] ?? '');
  return [...new Set(fields.map((field) => FIELD_NAMES[field] ?? field))].join(', ');
}
