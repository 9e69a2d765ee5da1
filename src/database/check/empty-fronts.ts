// Finds active fronts that show nothing, or nothing with a price, although no row is wrong: a view
// that joins by the wrong column loses rows silently. Only warnings: a new front may have no
// products yet.

import { sql } from 'kysely';
import type { Finding } from '../../findings.ts';
import { checkedRows, knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { ruleOnTotals, type Rows } from './rule.ts';

const FRONT = new RowChecker('fronts', ['id', 'currency', 'status']);

/** Ids of fronts that list a product. */
const LISTING = knownTables.selectFrom('front_products').select('front_id').distinct().orderBy('front_id');

/** The currencies of the ticket tiers of each product. */
export const TICKETS = knownTables
  .selectFrom('price_tiers')
  .select(['product_id', 'currency'])
  .distinct()
  .where('kind', '=', 'ticket')
  // Anything else is a finding already, and may be of any length.
  .where(sql<boolean>`length(currency) = 3 and upper(currency) = currency`)
  .as('tiers');

/** The currencies of the ticket tiers of each front's products. */
const CURRENCIES = knownTables
  .selectFrom('front_products')
  .innerJoin(TICKETS, 'tiers.product_id', 'front_products.product_id')
  .select(['front_products.front_id', 'tiers.currency'])
  .distinct()
  .orderBy('front_products.front_id')
  .orderBy('tiers.currency');

/**
 * A warning for each active front without a product, or without a ticket tier in its currency
 * although its products have some.
 */
export const EMPTY_FRONTS = ruleOnTotals({
  needs: ['fronts', 'front_products'],
  unspoiled: ['fronts', 'front_products'],
  queries: (readable) => [LISTING, checkedRows(FRONT), ...(readable.has('price_tiers') ? [CURRENCIES] : [])],
  findingsIn: (listing: Rows, fronts: Rows, currencies: Rows = []) => {
    const listingIds = new Set(listing.map(([frontId]) => frontId));
    const currenciesOf = new Map<unknown, string[]>();
    for (const [frontId, currency] of currencies)
      currenciesOf.set(frontId, [...(currenciesOf.get(frontId) ?? []), String(currency)]);
    return fronts.flatMap((row) => emptyFront(row, listingIds, currenciesOf));
  },
});

function emptyFront(
  row: unknown[],
  listingIds: ReadonlySet<unknown>,
  currenciesOf: ReadonlyMap<unknown, readonly string[]>,
): Finding[] {
  if (!FRONT.accepts(row)) return [];
  const [id, currency, status] = row;
  if (status !== 'active') return [];
  if (!listingIds.has(id)) {
    const message = 'expected a product of this active front in front_products, found none: it shows nothing';
    return [findingOf('warning', 'front-empty', FRONT.locationOf(row), message)];
  }
  const currencies = currenciesOf.get(id) ?? [];
  if (currencies.length === 0 || currencies.includes(currency)) return [];
  const message = `currency: expected ticket tiers of its products in ${currency}, found ${currencies.join(', ')} alone: nothing has a price`;
  return [findingOf('warning', 'currency-unused', FRONT.locationOf(row), message, 'currency')];
}
