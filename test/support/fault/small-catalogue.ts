// A catalogue small enough to be built hundreds of times: any number of fronts, each with shows of
// its own at a venue of its own, and one show that all share. The `edition` word changes every
// document, so that a new release is wholly new.

import type { CatalogueRow } from '../catalogue.ts';

export const NOW = '2026-05-01T09:00:00Z';

export interface SmallCatalogue {
  /** Codes; the first has id 1. */
  readonly fronts: readonly string[];
  readonly productsPerFront: number;
  /**
   * Within the next hours, twenty minutes apart: each gives an edition. One more of each product
   * lies days ahead.
   */
  readonly sessionsPerProduct: number;
  /** Stands in every name, price and secret's name. */
  readonly edition: string;
}

/**
 * Ids: venue of front f is f (0 is shared); its products are 1000 f + 1, 2 …, the shared one is 1;
 * sessions 100 × product + 1, 2 ….
 */
export function smallCatalogue({
  fronts,
  productsPerFront,
  sessionsPerProduct,
  edition,
}: SmallCatalogue): CatalogueRow[] {
  const rows: CatalogueRow[] = [];
  const add = (table: string, row: CatalogueRow['row']): void => void rows.push({ table, row });
  const timezone = 'Europe/Moscow';
  for (const [i, code] of fronts.entries()) {
    const id = i + 1;
    add('fronts', { id, code, name: code, timezone, currency: 'RUB' });
    add('front_keys', {
      keyid: `${code}-site`,
      front_id: id,
      alg: 'hmac-sha256',
      secret_ref: `SECRET_${code}_${edition}`,
    });
    add('venues', { id, name: `Зал ${code}`, timezone });
    add('categories', { id, slug: `about-${code}`, name_singular: `${code} ${edition}`, name_plural: 'пьесы' });
    add('front_categories', { front_id: id, category_id: id });
  }
  add('venues', { id: 0, name: 'Большая сцена\u2028🎭', timezone });
  const addProduct = (id: number, frontIds: readonly number[], venueId: number): void => {
    add('products', { id, slug: `show-${id}`, name: `Show ${id} "${edition}"`, age_rating: 12, sale_schema: 2 });
    add('price_tiers', { id, product_id: id, amount_minor: 50_000 + edition.length + id, currency: 'RUB' });
    for (const frontId of frontIds) {
      add('front_products', { front_id: frontId, product_id: id });
      add('product_categories', { product_id: id, category_id: frontId });
    }
    for (let i = 0; i <= sessionsPerProduct; i++) {
      const minutes = i === sessionsPerProduct ? 3 * 24 * 60 : 20 * (i + 1) + (id % 7);
      const starts_at = new Date(Date.parse(NOW) + minutes * 60_000).toISOString().replace('.000', '');
      add('sessions', { id: 100 * id + i + 1, product_id: id, venue_id: venueId, starts_at });
    }
  };
  const ids = fronts.map((_, i) => i + 1);
  addProduct(1, ids, 0);
  for (const id of ids) {
    for (let i = 1; i <= productsPerFront; i++) addProduct(1000 * id + i, [id], id);
  }
  return rows;
}
