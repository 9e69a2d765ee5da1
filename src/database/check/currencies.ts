// Finds fronts whose currency or exponent is likely to be wrong: every price of such a front is.
// Only warnings: ISO 4217 changes, and an operator may count in other units.

import { ISO_EXPONENTS } from '../../catalogue/iso-4217.ts';
import type { Finding } from '../../findings.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { ruleOnTotals, type Rows } from './rule.ts';

const FRONT = new RowChecker('fronts', ['id', 'currency', 'currency_exponent', 'status']);

/** A warning for each active front of which ISO 4217, or another front, says otherwise. */
export const CURRENCIES = ruleOnTotals({
  needs: ['fronts'],
  unspoiled: [],
  queries: () => [checkedRows(FRONT)],
  findingsIn: (rows: Rows) => {
    const fronts = rows.flatMap((row) => (FRONT.accepts(row) && row[3] === 'active' ? [row] : []));
    return fronts.flatMap((front): Finding[] => {
      const [, currency, exponent] = front;
      const location = FRONT.locationOf(front);
      const iso = ISO_EXPONENTS.get(currency);
      if (iso !== undefined) {
        return iso === exponent
          ? []
          : [otherExponent(location, exponent, `${iso}, as ISO 4217 has it for ${currency}`)];
      }
      const message = `currency: expected a currency that ISO 4217 lists, found ${currency}`;
      const unknown = findingOf('warning', 'currency-unknown', location, message, 'currency');
      const other = fronts.find((one) => one[1] === currency && one[2] !== exponent);
      if (other === undefined) return [unknown];
      return [
        unknown,
        otherExponent(location, exponent, `${other[2]}, as ${FRONT.locationOf(other)} has it for ${currency}`),
      ];
    });
  },
});

function otherExponent(location: string, found: number, expected: string): Finding {
  const message = `currency_exponent: expected ${expected}, found ${found}`;
  const hint = 'after a change of currency_exponent, price_tiers.amount_minor is in other units: correct both at once';
  return { ...findingOf('warning', 'currency-exponent', location, message, 'currency_exponent'), hint };
}
