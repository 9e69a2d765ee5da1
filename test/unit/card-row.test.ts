// The row of cards: after any sequence of changes the document is what writing all cards anew would give.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CardRow } from '../../src/snapshot/card-row.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const cardArbitrary = fc.record({
  lead: fc.string({ maxLength: 30 }),
  groups: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
  slots: fc.string({ maxLength: 10 }),
});

type Card = typeof cardArbitrary extends fc.Arbitrary<infer C> ? C : never;

const textOf = ({ lead, groups, slots }: Card): string => `${lead}[${groups.join(',')}]${slots}`;

test('cards that come, go and change, first and last ones included, leave no trace of what was there', () => {
  const places = 6;
  const step = fc.record({
    changes: fc.uniqueArray(fc.record({ place: fc.nat({ max: places - 1 }), card: fc.option(cardArbitrary) }), {
      selector: ({ place }) => place,
    }),
    tail: fc.string({ maxLength: 8 }).map((rest) => `]${rest}`),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const row = new CardRow(places);
      const cards: (Card | null)[] = Array.from({ length: places }, () => null);
      for (const { changes, tail } of steps) {
        const sorted = changes.toSorted((a, b) => a.place - b.place);
        for (const { place, card } of sorted) cards[place] = card;
        const bytes = row.put(
          sorted.map(({ place, card }) => ({
            place,
            card:
              card === null
                ? null
                : {
                    lead: encoder.encode(card.lead),
                    groups: card.groups.map((group) => encoder.encode(group)),
                    slots: encoder.encode(card.slots),
                  },
          })),
          encoder.encode(tail),
        );
        const expected = cards
          .filter((card) => card !== null)
          .map(textOf)
          .join(',');
        expect(decoder.decode(bytes)).toBe(decoder.decode(encoder.encode(`{"productCards":[${expected}${tail}`)));
      }
    }),
    { numRuns: 500 },
  );
});
