// Finds products that have no price on a front because none of their tiers is in its currency.
// Where that is so of all products of a front, the finding is the front's (empty-fronts.ts).

import { sql } from 'kysely';
import { knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { TICKETS } from './empty-fronts.ts';
import { ruleOnRows } from './rule.ts';

const LISTED = new RowChecker('front_products', ['front_id', 'product_id']);

/** Each product of each active front that has tickets, with their currencies. */
const PRICED = knownTables
  .selectFrom('front_products as l')
  .innerJoin('fronts as f', 'f.id', 'l.front_id')
  .innerJoin(TICKETS, 'tiers.product_id', 'l.product_id')
  .where('f.status', '=', 'active');

/** Fronts with tickets in their currency. */
const TIERED = PRICED.whereRef('tiers.currency', '=', 'f.currency').select('f.id').distinct();

/** A warning for each product of an active front that has tickets, but none in its currency. */
export const UNTIERED_PRODUCTS = ruleOnRows(
  LISTED,
  (row) => {
    const [frontId, productId] = row;
    const [currency, found] = row.slice(LISTED.columns.length).map(String);
    const message = `expected a ticket tier of product ${productId} in ${currency}, the currency of front ${frontId}, found ${found}, for example: it has no price there`;
    return [findingOf('warning', 'currency-untiered', LISTED.locationOf(row), message)];
  },
  {
    needs: ['fronts', 'price_tiers'],
    query: () =>
      PRICED.where('f.id', 'in', TIERED)
        .select(['l.front_id', 'l.product_id', 'f.currency', (eb) => eb.fn.min('tiers.currency').as('found')])
        .groupBy(['l.front_id', 'l.product_id', 'f.currency'])
        .having(sql<number>`sum(case when tiers.currency = f.currency then 1 else 0 end)`, '=', 0)
        .orderBy('l.front_id')
        .orderBy('l.product_id'),
  },
);
