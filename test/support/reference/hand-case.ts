// The shape of a hand-computed case and the rows that every such case starts from. It knows nothing
// of how a document is rendered, so that any implementation can be held to the same cases.

import type { DropReason } from './plain-documents.ts';
import type { CatalogueRow } from '../catalogue.ts';

// 1 May 2026 is a Friday; Moscow is three hours ahead of UTC.
export const noon = '2026-05-01T09:00:00Z';
export const evening = '2026-05-01T16:00:00Z';

type Row = CatalogueRow['row'];

/**
 * A small catalogue, an instant, and what the one product of the front `here` then says, or why it
 * has no card.
 */
export interface Case {
  readonly name: string;
  readonly now: string;
  /**
   * What differs from: front and venue in Moscow, roubles, one published product attached without
   * limits.
   */
  readonly front?: Row;
  readonly venue?: Row;
  readonly product?: Row;
  readonly attached?: Row;
  readonly rows: readonly CatalogueRow[];
  readonly card?: Readonly<Record<string, unknown>>;
  /** The names of the front's categories, where the case is about them. */
  readonly categories?: readonly (readonly [singular: string, plural: string])[];
  readonly dropped?: DropReason;
}

export const session = (id: number, starts_at: string | null, row: Row = {}): CatalogueRow => ({
  table: 'sessions',
  row: { id, product_id: 1, venue_id: 1, starts_at, ...row },
});
export const tier = (id: number, amount_minor: number, row: Row = {}): CatalogueRow => ({
  table: 'price_tiers',
  row: { id, product_id: 1, amount_minor, currency: 'RUB', ...row },
});

/** The rows of a case, in an order that foreign keys accept. */
export function catalogueOf({ front, venue, product, attached, rows }: Case): CatalogueRow[] {
  const moscow = { timezone: 'Europe/Moscow' };
  return [
    { table: 'fronts', row: { id: 1, code: 'here', name: 'Here', ...moscow, currency: 'RUB', ...front } },
    { table: 'fronts', row: { id: 2, code: 'elsewhere', name: 'Elsewhere', ...moscow, currency: 'RUB' } },
    { table: 'venues', row: { id: 1, name: 'Hall', ...moscow, ...venue } },
    { table: 'venues', row: { id: 2, name: 'Annexe', ...moscow } },
    { table: 'images', row: { id: 1, url: 'https://images.test/1.jpg' } },
    { table: 'products', row: { id: 1, slug: 'show', name: 'Show', age_rating: 6, sale_schema: 2, ...product } },
    { table: 'front_products', row: { front_id: 1, product_id: 1, ...attached } },
    ...rows,
  ];
}
