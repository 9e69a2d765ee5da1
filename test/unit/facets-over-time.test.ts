// What a document lists besides its cards (categories, groups, tags, badges) follows the cards,
// from one edition to the next.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productsDocumentSchema } from '../../src/contract/documents.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const LATER = '2026-05-01T09:30:00Z';

/** One product that stays as it is, and one of everything for another. */
const ROWS: readonly CatalogueRow[] = [
  { table: 'fronts', row: { id: 1, code: 'here', name: 'H', timezone: 'Europe/Moscow', currency: 'RUB' } },
  { table: 'venues', row: { id: 1, name: 'Stage', timezone: 'Europe/Moscow', city: null } },
  { table: 'categories', row: { id: 1, slug: 'play', name_singular: 'Play', name_plural: 'Plays' } },
  { table: 'front_categories', row: { front_id: 1, category_id: 1 } },
  { table: 'tags', row: { id: 1, slug: 'late', name: 'Late' } },
  { table: 'badges', row: { id: 1, slug: 'new', name: 'New', color: '#000000' } },
  ...[1, 2].flatMap((id): readonly CatalogueRow[] => [
    { table: 'products', row: { id, slug: `p-${id}`, name: `P ${id}`, age_rating: 0, sale_schema: 2 } },
    { table: 'sessions', row: { id, product_id: id, venue_id: 1, starts_at: '2026-05-01T12:00:00Z' } },
  ]),
  { table: 'front_products', row: { front_id: 1, product_id: 1 } },
];

type Period = readonly [from: string | null, until: string | null];
const badge = ([valid_from, valid_until]: Period): readonly CatalogueRow[] => [
  { table: 'product_badges', row: { product_id: 2, badge_id: 1, valid_from, valid_until } },
];
const shown = ([visible_from, visible_until]: Period): readonly CatalogueRow[] => [
  { table: 'front_products', row: { front_id: 1, product_id: 2, visible_from, visible_until } },
];
const linked: readonly CatalogueRow[] = [
  { table: 'product_categories', row: { product_id: 2, category_id: 1 } },
  { table: 'product_tags', row: { product_id: 2, tag_id: 1 } },
];
const ALWAYS: Period = [null, null];

test.each([
  ['a badge that begins', [...shown(ALWAYS), ...badge([LATER, null])], [], ['new']],
  ['a badge that ends', [...shown(ALWAYS), ...badge([null, LATER])], ['new'], []],
  ['a card that comes', [...shown([LATER, null]), ...badge(ALWAYS), ...linked], [], ['play', 'late', 'new']],
  ['a card that goes', [...shown([null, LATER]), ...badge(ALWAYS), ...linked], ['play', 'late', 'new'], []],
] as const)('%s', async (_, rows, before, after) => {
  const root = temporaryFolder();
  const database = catalogueAt(join(root, 'catalogue.sqlite'), [...ROWS, ...rows]);
  await buildTree(database, join(root, 'out'), instant(NOW), { horizonSeconds: 3600 });
  const listedAt = (at: string): string[] => {
    const text = documentAt(filesOf(join(root, 'out')), 'here', 'products', at);
    const { categories, tags, badges } = productsDocumentSchema.parse(JSON.parse(text));
    return [...categories, ...tags, ...badges].map(({ slug }) => slug);
  };
  expect([listedAt(NOW), listedAt(LATER)]).toEqual([before, after]);
});
