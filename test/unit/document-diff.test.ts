// The comparison of two documents: each planted change is named and nothing else, they are enough
// to make the new document out of the old one, and it stays a file that a page can bundle.

import { build } from 'esbuild';
import * as fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { FieldValue } from '../../src/contract/results/diff.ts';
import type { ProductCard, ProductsDocument } from '../../src/contract/documents.ts';
import {
  changeText,
  countChanges,
  diffDocuments,
  DOCUMENT_LISTS,
  summaryText,
} from '../../src/release/diff/document-diff.ts';
import { anyCharacter } from '../support/any-character.ts';

function card(productId: number, fields: Partial<ProductCard> = {}): ProductCard {
  return {
    productId,
    slug: `show-${productId}`,
    name: `Show ${productId}`,
    ageRating: 6,
    saleSchema: 2,
    featured: false,
    banner: false,
    pushka: false,
    paused: false,
    soldOut: false,
    nextScheduleSlot: '2026-05-01T19:00:00+03:00',
    multiScheduleSlots: true,
    imageUrl: null,
    altText: null,
    copyright: null,
    copyrightUrl: null,
    inventoryItemName: 'Hall',
    multiInventoryItems: false,
    priceFrom: 500,
    badges: ['hit'],
    groups: [{ slug: 'main', sortWeight: 1 }],
    todaySlot: '2026-05-01T19:00:00+03:00',
    todayMultiScheduleSlots: false,
    tomorrowSlot: null,
    tomorrowMultiScheduleSlots: null,
    weekendSlot: null,
    weekendMultiScheduleSlots: null,
    ...fields,
  };
}

function documentOf(cards: readonly ProductCard[], lists: Partial<ProductsDocument> = {}): ProductsDocument {
  return { productCards: [...cards], categories: [], groups: [], tags: [], badges: [], ...lists };
}

const textsOf = (before: ProductsDocument, after: ProductsDocument): string[] =>
  diffDocuments(before, after).map(changeText);

describe('each planted change is named, and nothing else', () => {
  const cards = [card(1), card(2), card(3), card(4)];
  test.each<readonly [string, readonly ProductCard[], readonly string[]]>([
    ['none', cards, []],
    ['a product gone', cards.slice(1), ['product "Show 1" (show-1) gone']],
    ['a product added', [...cards, card(9)], ['product "Show 9" (show-9) added']],
    [
      'a price',
      [card(1, { priceFrom: 600.5 }), ...cards.slice(1)],
      ['product "Show 1" (show-1): priceFrom 500 → 600.5'],
    ],
    [
      'no price any more',
      [card(1, { priceFrom: null, soldOut: true }), ...cards.slice(1)],
      ['product "Show 1" (show-1): soldOut false → true; priceFrom 500 → none'],
    ],
    [
      'the date of a session',
      [card(1, { nextScheduleSlot: '2026-05-03T19:00:00+03:00' }), ...cards.slice(1)],
      ['product "Show 1" (show-1): nextScheduleSlot.date 2026-05-01 → 2026-05-03'],
    ],
    [
      'time and offset of a session',
      [card(1, { nextScheduleSlot: '2026-05-01T20:00:30+04:00' }), ...cards.slice(1)],
      ['product "Show 1" (show-1): nextScheduleSlot.time 19:00 → 20:00:30; nextScheduleSlot.offset +03:00 → +04:00'],
    ],
    [
      'a session that is no longer today',
      [card(1, { todaySlot: null, todayMultiScheduleSlots: null }), ...cards.slice(1)],
      ['product "Show 1" (show-1): todaySlot 2026-05-01T19:00+03:00 → none; todayMultiScheduleSlots false → none'],
    ],
    [
      'badges',
      [card(1, { badges: ['last', 'new'] }), ...cards.slice(1)],
      ['product "Show 1" (show-1): badges + last, + new, - hit'],
    ],
    [
      'the weight of a group',
      [card(1, { groups: [{ slug: 'main', sortWeight: 3 }] }), ...cards.slice(1)],
      ['product "Show 1" (show-1): groups main.sortWeight 1 → 3'],
    ],
    ['a name', [card(1, { name: 'New' }), ...cards.slice(1)], ['product "New" (show-1): name "Show 1" → "New"']],
    [
      'one product moved to the end',
      [card(2), card(3), card(4), card(1)],
      ['product "Show 1" (show-1) moved from place 1 to 4'],
    ],
  ])('%s', (_, after, texts) => {
    expect(textsOf(documentOf(cards), documentOf(after))).toEqual(texts);
  });

  test('badges in another order are named as such', () => {
    const [before, after] = [
      documentOf([card(1, { badges: ['a', 'b'] })]),
      documentOf([card(1, { badges: ['b', 'a'] })]),
    ];
    expect(textsOf(before, after)).toEqual(['product "Show 1" (show-1): badges in another order: b, a']);
  });

  test('facets are removed, added and changed', () => {
    const before = documentOf(cards, {
      categories: [{ id: 1, slug: 'opera', nameSingular: 'Opera', namePlural: 'Operas' }],
      badges: [{ id: 5, slug: 'hit', name: 'Hit', color: '#ffffff' }],
    });
    const after = documentOf(cards, {
      tags: [{ id: 7, slug: 'ice', name: 'On ice' }],
      badges: [{ id: 5, slug: 'hit', name: 'Hit', color: '#000000' }],
    });
    expect(textsOf(before, after)).toEqual([
      'category "Operas" (opera) gone',
      'tag "On ice" (ice) added',
      'badge "Hit" (hit): color "#ffffff" → "#000000"',
    ]);
  });

  test('the summary counts them by list and by field', () => {
    const after = [
      card(2, { priceFrom: 1 }),
      card(3, { priceFrom: 2, nextScheduleSlot: '2026-06-01T20:00:00+03:00' }),
      card(4),
      card(9),
    ];
    const tags = [{ id: 7, slug: 'ice', name: 'On ice' }];
    const changes = diffDocuments(documentOf(cards), documentOf(after, { tags }));
    expect(summaryText(changes)).toBe(
      '1 product added, 1 gone, 2 changed (priceFrom 2, nextScheduleSlot 1); 1 tag added',
    );
    expect(countChanges(changes)).toEqual({
      productCards: { added: 1, gone: 1, changed: 2, moved: 0 },
      tags: { added: 1, gone: 0, changed: 0, moved: 0 },
    });
    expect(summaryText([])).toBe('');
  });
});

const start = fc.constantFrom('2026-05-01T19:00:00+03:00', '2026-05-02T19:00:00+03:00', '2026-05-02T21:30:00+10:00');
const slug = fc.constantFrom('a', 'b', 'c');
const fieldsArbitrary: fc.Arbitrary<Partial<ProductCard>> = fc.record({
  name: fc.string({ unit: anyCharacter, maxLength: 3 }),
  soldOut: fc.boolean(),
  nextScheduleSlot: start,
  todaySlot: fc.option(start, { nil: null }),
  priceFrom: fc.option(fc.constantFrom(0, 1.5, 500), { nil: null }),
  badges: fc.uniqueArray(slug, { maxLength: 3 }),
  groups: fc.uniqueArray(fc.record({ slug, sortWeight: fc.nat(2) }), { maxLength: 3, selector: (group) => group.slug }),
});
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 7 });
const named = ids.chain((chosen) =>
  fc.tuple(...chosen.map((id) => slug.map((name) => ({ id, slug: `s-${id}`, name })))),
);
const documentArbitrary: fc.Arbitrary<ProductsDocument> = fc.record({
  productCards: ids.chain((chosen) =>
    fc.tuple(...chosen.map((id) => fieldsArbitrary.map((fields) => card(id, fields)))),
  ),
  categories: named.map((list) => list.map(({ name, ...rest }) => ({ ...rest, nameSingular: name, namePlural: name }))),
  groups: named.map((list) => list.map((group) => ({ ...group, cardType: 1 }))),
  tags: named,
  badges: named.map((list) => list.map((badge) => ({ ...badge, color: '#abcdef' }))),
});

type ListName = (typeof DOCUMENT_LISTS)[number];
type Item = Record<string, FieldValue>;
const itemsOf = (document: ProductsDocument, list: ListName): Item[] =>
  document[list].map((item): Item => ({ ...item }));
const idOf = (item: Item): FieldValue => item['productId'] ?? item['id'] ?? null;

/** Puts a value where a path says: a field, or a part of a session's start. */
function put(item: Item, path: string, value: FieldValue): void {
  const [field = '', part] = path.split('.');
  const text = item[field];
  if (part === undefined || typeof text !== 'string' || typeof value !== 'string') item[field] = value;
  else if (part === 'date') item[field] = value + text.slice(10);
  else if (part === 'time') item[field] = text.slice(0, 11) + value + text.slice(19);
  else item[field] = text.slice(0, 19) + value;
}

/**
 * The length of the longest run of `after` that keeps the order of `before`, by trying every
 * subset.
 */
function longestKept(before: readonly unknown[], after: readonly unknown[]): number {
  let longest = 0;
  for (let mask = 0; mask < 1 << after.length; mask++) {
    const places = after.filter((_, i) => (mask >> i) & 1).map((id) => before.indexOf(id));
    if (places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1)))
      longest = Math.max(longest, places.length);
  }
  return longest;
}

describe('laws', () => {
  test('a document differs from itself in nothing', () => {
    fc.assert(
      fc.property(documentArbitrary, (document) => {
        expect(diffDocuments(document, document)).toEqual([]);
      }),
    );
  });

  test('the changes make the new document out of the old one, with the fewest moves', () => {
    let movesSeen = 0;
    fc.assert(
      fc.property(documentArbitrary, documentArbitrary, (before, after) => {
        const changes = diffDocuments(before, after);
        for (const list of DOCUMENT_LISTS) {
          const own = changes.filter((change) => change.list === list);
          const idsOf = (kind: string) => own.filter(({ change }) => change === kind).map(({ id }): FieldValue => id);
          const [old, now] = [itemsOf(before, list), itemsOf(after, list)];
          const beforeIds = old.map(idOf);
          const afterIds = now.map(idOf);
          expect(idsOf('gone')).toEqual(beforeIds.filter((id) => !afterIds.includes(id)));
          expect(idsOf('added')).toEqual(afterIds.filter((id) => !beforeIds.includes(id)));
          for (const item of old) {
            const change = own.find(({ change: kind, id }) => kind === 'changed' && id === idOf(item));
            for (const field of change?.change === 'changed' ? change.fields : []) put(item, field.path, field.after);
            const same = now.find((other) => idOf(other) === idOf(item));
            if (same !== undefined) expect(item).toEqual(same);
          }
          const isStaying = (id: FieldValue) => !['gone', 'added', 'moved'].some((kind) => idsOf(kind).includes(id));
          expect(beforeIds.filter(isStaying)).toEqual(afterIds.filter(isStaying));
          const moved = own.flatMap((change) => (change.change === 'moved' ? [change] : []));
          const common = afterIds.filter((id) => beforeIds.includes(id));
          expect(moved.length).toBe(common.length - longestKept(beforeIds, afterIds));
          for (const { id, placeBefore, placeAfter } of moved) {
            expect([beforeIds[placeBefore - 1], afterIds[placeAfter - 1]]).toEqual([id, id]);
          }
          movesSeen += moved.length;
        }
        expect(changes.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
      }),
      { numRuns: 150 },
    );
    expect(movesSeen).toBeGreaterThan(50);
  });
});

test('a page can bundle it without anything else', async () => {
  const entry = fileURLToPath(new URL('../../src/release/diff/document-diff.ts', import.meta.url));
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs)).toHaveLength(1);
});
