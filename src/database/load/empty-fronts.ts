// Finds active fronts that show nothing, or nothing with a price, although no row is wrong: a view that joins by the wrong column loses
// rows silently. For check-db only, and only warnings: a new front may have no products yet.

import { sql } from 'kysely';
import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import { checkedRows, knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';

const FRONT = new RowChecker('fronts', ['id', 'currency', 'status']);

/** A warning for each active front without a product, or without a ticket tier in its currency although its products have some. */
export async function* emptyFronts(reader: Pick<CatalogueReader, 'rows'>, hasTiers: boolean): AsyncGenerator<Finding> {
  const products = knownTables.selectFrom('front_products').select('front_id').distinct().orderBy('front_id');
  const listing = new Set((await reader.rows(products)).map(([frontId]) => frontId));
  const currenciesOf = hasTiers ? await ticketCurrencies(reader) : new Map<unknown, string[]>();
  for (const row of await reader.rows(checkedRows(FRONT))) {
    if (!FRONT.accepts(row)) continue;
    const [id, currency, status] = row;
    if (status !== 'active') continue;
    const currencies = currenciesOf.get(id) ?? [];
    if (!listing.has(id)) {
      const message = 'expected a product of this active front in front_products, found none: it shows nothing';
      yield findingOf('warning', 'front-empty', FRONT.placeOf(row), message);
    } else if (currencies.length > 0 && !currencies.includes(currency)) {
      const message = `currency: expected ticket tiers of its products in ${currency}, found ${currencies.join(', ')} alone: nothing has a price`;
      yield findingOf('warning', 'currency-unused', FRONT.placeOf(row), message, 'currency');
    }
  }
}

/** The currencies of the ticket tiers of each front's products, by front id. */
async function ticketCurrencies(reader: Pick<CatalogueReader, 'rows'>): Promise<ReadonlyMap<unknown, string[]>> {
  const tiers = knownTables
    .selectFrom('price_tiers')
    .select(['product_id', 'currency'])
    .distinct()
    .where('kind', '=', 'ticket')
    // Anything else is a finding already, and may be of any length.
    .where(sql<boolean>`length(currency) = 3 and upper(currency) = currency`)
    .as('tiers');
  const query = knownTables
    .selectFrom('front_products')
    .innerJoin(tiers, 'tiers.product_id', 'front_products.product_id')
    .select(['front_products.front_id', 'tiers.currency'])
    .distinct()
    .orderBy('front_products.front_id')
    .orderBy('tiers.currency');
  const currencies = new Map<unknown, string[]>();
  for (const [frontId, currency] of await reader.rows(query)) {
    currencies.set(frontId, [...(currencies.get(frontId) ?? []), String(currency)]);
  }
  return currencies;
}
