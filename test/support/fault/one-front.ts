// A catalogue of one front with some products, and what its documents must be: what the plain
// renderer makes of the same rows, in a tree that `verify` finds sound.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { BuildOptions } from '../../../src/operations/build.ts';
import { renderPlain } from '../reference/plain-documents.ts';
import { plainKysely } from '../reference/plain-tables.ts';
import type { CatalogueRow } from '../catalogue.ts';
import { buildTree, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../trees.ts';
import { findingsOf } from '../verify-tree.ts';

/** One front that shows these products, each with a session an hour ahead and a price. */
export function frontProductsOf(products: readonly CatalogueRow['row'][], zone = 'Europe/Moscow'): CatalogueRow[] {
  const front = { id: 1, code: 'alpha', name: 'Alpha', timezone: zone, currency: 'RUB' };
  return [
    { table: 'fronts', row: front },
    { table: 'venues', row: { id: 1, name: 'Stage', timezone: zone } },
    ...products.flatMap((product, i): CatalogueRow[] => {
      const product_id = i + 1;
      const starts_at = '2026-05-01T10:00:00Z';
      return [
        {
          table: 'products',
          row: { id: product_id, age_rating: 0, sale_schema: 0, slug: `p-${i}`, name: `P ${i}`, ...product },
        },
        { table: 'front_products', row: { front_id: 1, product_id } },
        { table: 'sessions', row: { id: product_id, product_id, venue_id: 1, starts_at } },
        { table: 'price_tiers', row: { id: product_id, product_id, amount_minor: 100, currency: 'RUB' } },
      ];
    }),
  ];
}

/**
 * Builds, and expects at the start of every edition and at these instants what the plain renderer
 * makes of the same rows.
 */
export async function expectRight(
  database: string,
  now: string,
  options: Partial<BuildOptions> = {},
  codes = ['alpha'],
  at: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const tree = join(temporaryFolder(), 'out');
  const { outcomes, findings } = await buildTree(database, tree, instant(now), options);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(outcomes.filter(({ held }) => held !== null)).toEqual([]);
  expect(await findingsOf(tree)).toEqual([]);
  const files = filesOf(tree);
  const handle = new Database(database, { readonly: true });
  for (const code of codes) {
    for (const text of [...pointerOf(files, code).products.map((entry) => entry.slice(0, 20)), ...at]) {
      const plain = await renderPlain(plainKysely(handle), code, text);
      expect(documentAt(files, code, 'products', text), `${code} products at ${text}`).toBe(plain.products);
      expect(documentAt(files, code, 'categories', text), `${code} categories at ${text}`).toBe(plain.categories);
    }
  }
  handle.close();
  return files;
}
