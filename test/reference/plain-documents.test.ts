// The plain documents against everything that was worked out by hand: one card at a time, the
// decimals, and both documents of a front byte for byte.

import { describe, expect, test } from 'vitest';

import { catalogueOf, noon, session, tier } from '../support/reference/hand-case.ts';
import { DATES, EXAMPLES } from '../support/reference/hand-dates.ts';
import { BADGES, CHANNELS, LANGUAGES, QUOTAS } from '../support/reference/hand-differences.ts';
import { DROPS, PAUSES, PRICES } from '../support/reference/hand-prices.ts';
import { renderPlain, type DropReason, type PlainDocuments } from '../support/reference/plain-documents.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { decimal } from '../support/reference/plain-values.ts';
import { createCatalogue, insertRows, type CatalogueRow } from '../support/catalogue.ts';

async function render(rows: Iterable<CatalogueRow>, code: string, now: string): Promise<PlainDocuments> {
  const database = createCatalogue(':memory:');
  insertRows(database, rows);
  const db = plainKysely(database);
  try {
    return await renderPlain(db, code, now);
  } finally {
    await db.destroy();
  }
}

const NOTHING_DROPPED: Record<DropReason, number> = {
  'not-published': 0,
  'bad-data': 0,
  'not-visible': 0,
  'no-sessions': 0,
  'not-scheduled': 0,
  'not-announced': 0,
  'not-on-channel': 0,
  excluded: 0,
  over: 0,
  'prices-expired': 0,
};

describe.each([
  ['the examples of the design', EXAMPLES],
  ['dates', DATES],
  ['prices', PRICES],
  ['pauses', PAUSES],
  ['cards and none', DROPS],
  ['channels', CHANNELS],
  ['contingents', QUOTAS],
  ['languages', LANGUAGES],
  ['badges by rule', BADGES],
])('%s', (_title, cases) => {
  test.each(cases)('$name', async (row) => {
    const { products, dropped } = await render(catalogueOf(row), 'here', row.now);
    const { productCards, categories }: { productCards: unknown[]; categories: Record<string, unknown>[] } =
      JSON.parse(products);
    expect(categories.map(({ nameSingular, namePlural }) => [nameSingular, namePlural])).toEqual(row.categories ?? []);
    if (row.dropped === undefined) {
      expect(dropped).toEqual(NOTHING_DROPPED);
      expect(productCards).toEqual([expect.objectContaining(row.card ?? {})]);
    } else {
      expect(productCards).toEqual([]);
      expect(dropped).toEqual({ ...NOTHING_DROPPED, [row.dropped]: 1 });
    }
  });
});

test.each([
  [0, 2, '0'],
  [1, 2, '0.01'],
  [10, 2, '0.1'],
  [50_000, 2, '500'],
  [123_410, 2, '1234.1'],
  [1, 4, '0.0001'],
  [1001, 3, '1.001'],
  [700, 0, '700'],
  [99_999_999_999_999, 4, '9999999999.9999'],
  [99_999_999_999_999, 0, '99999999999999'],
])('%i with %i decimals is printed as %s', (amount, exponent, text) => {
  expect(JSON.stringify(decimal(amount, exponent))).toBe(text);
});

/**
 * One front with everything that the documents show, and beside each thing its like that must not
 * be shown.
 */
const WHOLE: CatalogueRow[] = [
  {
    table: 'fronts',
    row: { id: 1, code: 'here', name: 'Here', timezone: 'Europe/Moscow', currency: 'JPY', currency_exponent: 0 },
  },
  { table: 'venues', row: { id: 1, name: 'Зал «А»\u00a0№\u00a01', timezone: 'Asia/Tokyo' } },
  { table: 'images', row: { id: 1, url: 'https://i.test/1.jpg', alt_text: 'Alt', copyright: '© "N"' } },
  {
    table: 'products',
    row: {
      id: 10,
      slug: 'ten',
      name: 'a\\b "c"\u2028\u0007🎭',
      age_rating: 12,
      sale_schema: 3,
      pushka: 1,
      image_id: 1,
    },
  },
  { table: 'products', row: { id: 9, slug: 'nine', name: '</script>', age_rating: 0, sale_schema: 1 } },
  { table: 'products', row: { id: 1, slug: 'one', name: 'Heavy', age_rating: 0, sale_schema: 1 } },
  { table: 'products', row: { id: 2, slug: 'draft', name: 'Draft', age_rating: 0, sale_schema: 1, status: 'draft' } },
  { table: 'products', row: { id: 3, slug: 'apart', name: 'Not here', age_rating: 0, sale_schema: 1 } },
  { table: 'front_products', row: { front_id: 1, product_id: 10, featured: 1 } },
  { table: 'front_products', row: { front_id: 1, product_id: 9, banner: 1 } },
  {
    table: 'front_products',
    row: { front_id: 1, product_id: 1, sort_weight: 1, visible_until: '2026-05-01T09:00:00Z' },
  },
  { table: 'front_products', row: { front_id: 1, product_id: 2 } },
  ...[10, 9, 1, 2, 3].map((id) => session(id, '2026-05-02T10:00:00Z', { product_id: id })),
  tier(1, 1500, { product_id: 10, currency: 'JPY' }),
  ...[1, 2, 3, 4].map((id) => ({
    table: 'categories',
    row: { id, slug: `c${id}`, name_singular: `One ${id}`, name_plural: `Many ${id}` },
  })),
  { table: 'front_categories', row: { front_id: 1, category_id: 1, sort_weight: 5 } },
  { table: 'front_categories', row: { front_id: 1, category_id: 2, sort_weight: -1 } },
  { table: 'front_categories', row: { front_id: 1, category_id: 3 } },
  ...[
    [10, 1],
    [9, 1],
    [9, 2],
    [2, 3],
    [9, 4],
  ].map(([product_id = 0, category_id = 0]) => ({ table: 'product_categories', row: { product_id, category_id } })),
  ...[7, 20, 3, 4].map((id) => ({ table: 'groups', row: { id, slug: `g${id}`, name: `Group ${id}`, card_type: 2 } })),
  { table: 'front_groups', row: { front_id: 1, group_id: 7, sort_weight: 0 } },
  { table: 'front_groups', row: { front_id: 1, group_id: 20, sort_weight: 0 } },
  { table: 'front_groups', row: { front_id: 1, group_id: 3, sort_weight: 0 } },
  { table: 'product_groups', row: { product_id: 10, group_id: 20, sort_weight: 1 } },
  { table: 'product_groups', row: { product_id: 10, group_id: 7, sort_weight: 30 } },
  { table: 'product_groups', row: { product_id: 1, group_id: 3, sort_weight: 1 } },
  { table: 'product_groups', row: { product_id: 10, group_id: 4, sort_weight: 1 } },
  { table: 'tags', row: { id: 1, slug: 't1', name: 'Tag 1', sort_weight: 2 } },
  { table: 'tags', row: { id: 2, slug: 't2', name: 'Tag 2', sort_weight: 1 } },
  { table: 'tags', row: { id: 3, slug: 't3', name: 'Tag 3' } },
  { table: 'product_tags', row: { product_id: 10, tag_id: 1 } },
  { table: 'product_tags', row: { product_id: 9, tag_id: 1 } },
  { table: 'product_tags', row: { product_id: 9, tag_id: 2 } },
  { table: 'product_tags', row: { product_id: 3, tag_id: 3 } },
  { table: 'badges', row: { id: 5, slug: 'b5', name: 'Hit', color: '#00aaFF', sort_weight: 1 } },
  { table: 'badges', row: { id: 6, slug: 'b6', name: 'New', color: '#000000' } },
  { table: 'badges', row: { id: 8, slug: 'b8', name: 'Last day', color: '#000000' } },
  { table: 'product_badges', row: { product_id: 9, badge_id: 5, valid_from: '2026-05-01T09:00:00Z' } },
  { table: 'product_badges', row: { product_id: 9, badge_id: 6 } },
  { table: 'product_badges', row: { product_id: 10, badge_id: 8, valid_until: '2026-05-01T09:00:00Z' } },
];

const WHOLE_CATEGORIES =
  '[{"id":2,"slug":"c2","nameSingular":"One 2","namePlural":"Many 2"},' +
  '{"id":1,"slug":"c1","nameSingular":"One 1","namePlural":"Many 1"}]';

const WHOLE_PRODUCTS = [
  '{"productCards":[',
  '{"productId":9,"slug":"nine","name":"</script>","ageRating":0,"saleSchema":1,"featured":false,"banner":true,',
  '"pushka":false,"paused":false,"soldOut":false,"nextScheduleSlot":"2026-05-02T19:00:00+09:00",',
  '"multiScheduleSlots":false,"imageUrl":null,"altText":null,"copyright":null,"copyrightUrl":null,',
  '"inventoryItemName":"Зал «А»\u00a0№\u00a01","multiInventoryItems":false,"priceFrom":null,"badges":["b6","b5"],"groups":[],',
  '"todaySlot":null,"todayMultiScheduleSlots":null,"tomorrowSlot":"2026-05-02T19:00:00+09:00",',
  '"tomorrowMultiScheduleSlots":false,"weekendSlot":"2026-05-02T19:00:00+09:00","weekendMultiScheduleSlots":false},',
  '{"productId":10,"slug":"ten","name":"a\\\\b \\"c\\"\u2028\\u0007🎭","ageRating":12,"saleSchema":3,"featured":true,',
  '"banner":false,"pushka":true,"paused":false,"soldOut":false,"nextScheduleSlot":"2026-05-02T19:00:00+09:00",',
  '"multiScheduleSlots":false,"imageUrl":"https://i.test/1.jpg","altText":"Alt","copyright":"© \\"N\\"",',
  '"copyrightUrl":null,"inventoryItemName":"Зал «А»\u00a0№\u00a01","multiInventoryItems":false,"priceFrom":1500,"badges":[],',
  '"groups":[{"slug":"g7","sortWeight":30},{"slug":"g20","sortWeight":1}],',
  '"todaySlot":null,"todayMultiScheduleSlots":null,"tomorrowSlot":"2026-05-02T19:00:00+09:00",',
  '"tomorrowMultiScheduleSlots":false,"weekendSlot":"2026-05-02T19:00:00+09:00","weekendMultiScheduleSlots":false}],',
  `"categories":${WHOLE_CATEGORIES},`,
  '"groups":[{"id":7,"slug":"g7","name":"Group 7","cardType":2},{"id":20,"slug":"g20","name":"Group 20","cardType":2}],',
  '"tags":[{"id":2,"slug":"t2","name":"Tag 2"},{"id":1,"slug":"t1","name":"Tag 1"}],',
  '"badges":[{"id":6,"slug":"b6","name":"New","color":"#000000"},{"id":5,"slug":"b5","name":"Hit","color":"#00aaFF"}]}',
].join('');

test('both documents of a front, byte for byte', async () => {
  const documents = await render(WHOLE, 'here', noon);
  expect(documents.products).toBe(`${WHOLE_PRODUCTS}\n`);
  expect(documents.categories).toBe(`${WHOLE_CATEGORIES}\n`);
  expect(documents.dropped).toEqual({ ...NOTHING_DROPPED, 'not-visible': 1, 'not-published': 1 });
});

test('cards go by weight on the front, then by id as a number, whatever their slugs and sessions', async () => {
  const rows = [
    [10, 0],
    [9, 0],
    [1, 5],
    [20, -1],
  ].flatMap(([id = 0, sort_weight = 0]) => [
    { table: 'products', row: { id, slug: `s${30 - id}`, name: '', age_rating: 0, sale_schema: 1 } },
    { table: 'front_products', row: { front_id: 1, product_id: id, sort_weight } },
    session(id, `2026-05-02T10:00:${40 - id}Z`, { product_id: id }),
  ]);
  const { products } = await render([...WHOLE.slice(0, 2), ...rows], 'here', noon);
  const { productCards }: { productCards: { productId: number }[] } = JSON.parse(products);
  expect(productCards.map((card) => card.productId)).toEqual([20, 9, 10, 1]);
});

test('a front with nothing to show has empty lists', async () => {
  const front = { id: 1, code: 'here', name: 'Here', timezone: 'UTC', currency: 'RUB', status: 'disabled' };
  const documents = await render([{ table: 'fronts', row: front }], 'here', noon);
  expect(documents.products).toBe('{"productCards":[],"categories":[],"groups":[],"tags":[],"badges":[]}\n');
  expect(documents.categories).toBe('[]\n');
});

test.each(['2026-05-01', '2026-05-01T09:00:00.000Z', '2026-05-01T12:00:00+03:00'])(
  'an instant that is not canonical is refused: %s',
  async (now) => {
    await expect(render(WHOLE, 'here', now)).rejects.toThrow('expected YYYY-MM-DDTHH:MM:SSZ');
  },
);
