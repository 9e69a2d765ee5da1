// priceFrom as a JSON number: shortest exact decimal.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount } from '../../src/catalogue/money.ts';

describe('amounts', () => {
  test.each([
    [50_000, 2, '500'],
    [123_410, 2, '1234.1'],
    [5, 2, '0.05'],
    [50, 2, '0.5'],
    [0, 2, '0'],
    [500, 0, '500'],
    [1, 4, '0.0001'],
    [1_234_500, 3, '1234.5'],
    [99_999_999_999_999, 2, '999999999999.99'],
    [99_999_999_999_999, 4, '9999999999.9999'],
  ])('%d with exponent %d is %s', (amount, exponent, expected) => {
    expect(formatAmount(amount, exponent)).toBe(expected);
  });

  test('what a JSON parser reads, written again, is the same text: nothing is lost in a double', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999_999_999 }),
        fc.integer({ min: 0, max: 4 }),
        (amount, exponent) => {
          const text = formatAmount(amount, exponent);
          expect(JSON.stringify(JSON.parse(text))).toBe(text);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
