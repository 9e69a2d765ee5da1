// How many sessions products have, past ones included, for the reason that a product without a card
// is given.

import type { Product } from '../../catalogue/product.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import { knownTables } from '../contract/query-builders.ts';
import { RowChecker } from '../contract/row-checker.ts';
import type { CatalogueReader } from '../reader.ts';

const SCHEDULED = new RowChecker('sessions', ['product_id', 'id']);

/**
 * Counts all sessions of products, in one query: with a view each may take as long as all rows.
 */
export async function withSessionTotals(
  reader: CatalogueReader,
  products: readonly Product[],
): Promise<readonly Product[]> {
  if (products.length === 0) return [];
  const query = knownTables
    .selectFrom('sessions')
    .select(({ fn }) => [
      'product_id',
      fn.countAll().as('total'),
      fn.countAll().filterWhere('status', 'in', ['scheduled', 'rescheduled']).as('scheduled'),
    ])
    .where('product_id', 'in', idsOf(products))
    .groupBy('product_id')
    .orderBy('product_id');
  const totals = new Map<number, Pick<Product, 'sessionsTotal' | 'scheduledTotal'>>();
  for (const [id, sessionsTotal, scheduledTotal] of await reader.rows(query))
    totals.set(Number(id), { sessionsTotal: Number(sessionsTotal), scheduledTotal: Number(scheduledTotal) });
  const scheduled = await scheduledIds(
    reader,
    products.filter(({ channelTiers }) => channelTiers !== null),
  );
  return products.map((product) => ({
    ...product,
    ...totals.get(product.id),
    scheduledIds: scheduled.get(product.id) ?? [],
  }));
}

/** All scheduled sessions of products whose tiers are not sold everywhere, by product. */
async function scheduledIds(
  reader: CatalogueReader,
  products: readonly Product[],
): Promise<ReadonlyMap<number, readonly RowId[]>> {
  const sessionsOf = new Map<number, RowId[]>();
  if (products.length === 0) return sessionsOf;
  const query = knownTables
    .selectFrom('sessions')
    .select(SCHEDULED.columns)
    .where('product_id', 'in', idsOf(products))
    .where('status', 'in', ['scheduled', 'rescheduled'])
    .orderBy('product_id')
    .orderBy('id');
  for (const row of await reader.rows(query)) {
    const productId = Number(row[0]);
    // One that cannot be read is not on the front's channel by any tier of its own.
    const id = SCHEDULED.valueOf(row, 'id') ?? Number.NaN;
    if (sessionsOf.get(productId)?.push(id) === undefined) sessionsOf.set(productId, [id]);
  }
  return sessionsOf;
}

function idsOf(products: readonly Product[]): readonly number[] {
  return products.map(({ id }) => id);
}
