// Finds prices that seem to be stored in whole units: 1500 roubles as 1500, which fronts show as 15. No single row is wrong, so the rule
// looks at all ticket prices of a currency. For check-db only, and a warning: prices may really be that low.

import type { Finding } from '../../findings.ts';
import type { CatalogueReader } from '../reader.ts';
import { knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';

const PRICES_MIN = 20;

/** Currencies with minor units of which one whole unit is worth a few euro cents or less, and a ticket costs hundreds. */
const SMALL_UNITS = new Set(
  (
    'ALL AMD ARS BDT COP DOP DZD EGP ETB HUF IDR INR KES KGS KZT LKR MKD MNT NGN NPR PHP PKR RSD RUB THB TRY TWD TZS ' +
    'UAH UYU UZS'
  ).split(' '),
);

const MONEY = new RowChecker('fronts', ['currency', 'currency_exponent']);

/** A warning for each currency in which more than half of the ticket prices, of twenty or more above 0, are lower than tickets are. */
export async function* wholeUnitPrices(reader: Pick<CatalogueReader, 'rows'>): AsyncGenerator<Finding> {
  const fronts = knownTables
    .selectFrom('fronts')
    .select(['currency', (eb) => eb.fn.min('currency_exponent').as('exponent')])
    .groupBy('currency')
    .orderBy('currency');
  for (const row of await reader.rows(fronts)) {
    if (!MONEY.accepts(row)) continue;
    const [currency, exponent] = row;
    if (exponent === 0) continue;
    const units = SMALL_UNITS.has(currency) ? 50 : 1;
    const prices = knownTables
      .selectFrom('price_tiers')
      .select(({ fn }) => [
        fn.countAll().as('prices_total'),
        fn
          .countAll()
          .filterWhere('amount_minor', '<', units * 10 ** exponent)
          .as('low_total'),
      ])
      .where('currency', '=', currency)
      .where('kind', '=', 'ticket')
      .where('amount_minor', '>', 0);
    const [[total, low] = []] = await reader.rows(prices);
    if (Number(total) < PRICES_MIN || Number(low) * 2 <= Number(total)) continue;
    const message =
      `amount_minor: expected minor units, ${10 ** exponent} for 1 ${currency}; ` +
      `found ${String(low)} of ${String(total)} ticket prices below ${units} ${currency}`;
    const hint = `where these are whole units, multiply the price before it is rounded or cast: CAST(round(price * ${10 ** exponent}) AS INTEGER)`;
    yield { ...findingOf('warning', 'whole-unit-prices', `price_tiers ${currency}`, message, 'amount_minor'), hint };
  }
}
