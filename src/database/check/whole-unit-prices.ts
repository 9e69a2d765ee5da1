// Finds prices that seem to be stored in whole units: 1500 roubles as 1500, which fronts show as
// 15. No single row is wrong, so the rule looks at all ticket prices of a currency. A warning:
// prices may really be that low.

import type { Finding } from '../../findings.ts';
import { knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { ruleOnTotals, type Rows } from './rule.ts';

const PRICES_MIN = 20;

/**
 * Currencies with minor units of which one whole unit is worth a few euro cents or less, and a
 * ticket costs hundreds.
 */
const SMALL_UNITS = new Set(
  (
    'ALL AMD ARS BDT COP DOP DZD EGP ETB HUF IDR INR KES KGS KZT LKR MKD MNT NGN NPR PHP PKR RSD RUB THB TRY TWD TZS ' +
    'UAH UYU UZS'
  ).split(' '),
);

/** No ticket costs less, in whole units. */
const LOWEST_PRICE = { ofSmallUnits: 50, ofOthers: 1 } as const;

const MONEY = new RowChecker('fronts', ['currency', 'currency_exponent']);

/** By currency, with the least of their exponents. */
const CURRENCIES = knownTables
  .selectFrom('fronts')
  .select(['currency', (eb) => eb.fn.min('currency_exponent').as('exponent')])
  .groupBy('currency')
  .orderBy('currency');

/**
 * The lowest prices in minor units of all currencies that there may be: those without minor units
 * do not count.
 */
const LIMITS = Object.values(LOWEST_PRICE).flatMap((units) => [1, 2, 3, 4].map((exponent) => units * 10 ** exponent));

/**
 * For each currency of a front: how many ticket prices there are, and how many below each of
 * LIMITS.
 */
const PRICES = knownTables
  .selectFrom('price_tiers')
  .select(({ fn }) => [
    'currency',
    fn.countAll().as('prices_total'),
    ...LIMITS.map((limit) => fn.countAll().filterWhere('amount_minor', '<', limit).as(`below_${limit}`)),
  ])
  .where('kind', '=', 'ticket')
  .where('amount_minor', '>', 0)
  .where('currency', 'in', knownTables.selectFrom('fronts').select('currency'))
  .groupBy('currency')
  .orderBy('currency');

/**
 * A warning for each currency in which more than half of the ticket prices, of twenty or more above
 * 0, are lower than tickets are.
 */
export const WHOLE_UNIT_PRICES = ruleOnTotals({
  needs: ['price_tiers', 'fronts'],
  unspoiled: ['price_tiers.amount_minor'],
  queries: () => [CURRENCIES, PRICES],
  findingsIn: (currencies: Rows, prices: Rows) => currencies.flatMap((row) => wholeUnits(row, prices)),
});

function wholeUnits(row: unknown[], prices: Rows): Finding[] {
  if (!MONEY.accepts(row)) return [];
  const [currency, exponent] = row;
  // Without minor units, a price in whole units is right.
  if (exponent === 0) return [];
  const units = SMALL_UNITS.has(currency) ? LOWEST_PRICE.ofSmallUnits : LOWEST_PRICE.ofOthers;
  const factor = 10 ** exponent;
  const [total = 0, ...below] = (prices.find(([one]) => one === currency) ?? []).slice(1).map(Number);
  const low = below[LIMITS.indexOf(units * factor)] ?? 0;
  if (total < PRICES_MIN || low * 2 <= total) return [];
  const message =
    `amount_minor: expected minor units, ${factor} for 1 ${currency}; ` +
    `found ${low} of ${total} ticket prices below ${units} ${currency}`;
  const hint = `where these are whole units, multiply the price before it is rounded or cast: CAST(round(price * ${factor}) AS INTEGER)`;
  return [{ ...findingOf('warning', 'whole-unit-prices', `price_tiers ${currency}`, message, 'amount_minor'), hint }];
}
