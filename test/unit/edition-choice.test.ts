// Which entry of a pointer is in force: by hand, and against the edge, which searches the same
// entries in the pointer's text.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { findEdition } from '../../src/edge/rule/pointer.ts';
import { pointerText } from '../../src/release/tree/codec.ts';
import { editionIndexAt } from '../../src/render/edition-choice.ts';

const entries = [
  '2026-05-01T09:00:00Z 3f2a91c07be455d0',
  '2026-05-01T13:00:00Z 90b1d3aa6c1f7e42',
  '2026-05-01T13:00:01Z 3f2a91c07be455d0',
];

describe('editionIndexAt', () => {
  test.each([
    ['long before the first edition it is the first', '1999-12-31T23:59:59Z', 0],
    ['a second before the first edition it is the first', '2026-05-01T08:59:59Z', 0],
    ['at its first second an edition is in force', '2026-05-01T09:00:00Z', 0],
    ['up to the last second before the next', '2026-05-01T12:59:59Z', 0],
    ['at the first second of the next it is the next', '2026-05-01T13:00:00Z', 1],
    ['an edition of one second', '2026-05-01T13:00:01Z', 2],
    ['long after the last edition it is the last', '9999-12-31T23:59:59Z', 2],
  ])('%s', (_name, at, index) => {
    expect(editionIndexAt(entries, at)).toBe(index);
  });

  test('one edition is always the one', () => {
    for (const at of ['2000-01-01T00:00:00Z', '2026-05-01T09:00:00Z', '2100-01-01T00:00:00Z']) {
      expect(editionIndexAt(entries.slice(0, 1), at)).toBe(0);
    }
  });

  test('chooses what the edge chooses', () => {
    const start = 1_777_626_000;
    const steps = fc.array(fc.integer({ min: 1, max: 7200 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: -10_000, max: 500_000 }), (gaps, shift) => {
        let from = start;
        const starts = [start, ...gaps.map((gap) => (from += gap))];
        const products = starts.map((one, i) => `${formatInstant(instantOf(one))} ${i.toString(16).padStart(16, '0')}`);
        const text = pointerText({
          schema: 1,
          front: 'moscow',
          now: formatInstant(instantOf(start)),
          validUntil: formatInstant(instantOf(from + 1)),
          today: '2026-05-01',
          timezone: 'Europe/Moscow',
          products,
          categories: products.slice(0, 1),
        });
        const at = formatInstant(instantOf(start + shift));
        const chosen = products[editionIndexAt(products, at)]?.slice(21);
        expect(chosen).toBe(findEdition(text, 'moscow', 'products', at).digest);
      }),
    );
  });
});
