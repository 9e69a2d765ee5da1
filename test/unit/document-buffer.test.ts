// The row of cards: after any sequence of changes the document is what writing all cards anew would give.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentBuffer } from '../../src/render/document-buffer.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const cardArbitrary = fc.string({ maxLength: 30 }).map((text) => `{${text}}`);

test('cards that come, go and change, first and last ones included, leave no trace of what was there', () => {
  const places = 6;
  const step = fc.record({
    changes: fc.uniqueArray(fc.record({ place: fc.nat({ max: places - 1 }), card: fc.option(cardArbitrary) }), {
      selector: ({ place }) => place,
    }),
    tail: fc.string({ maxLength: 8 }).map((rest) => `]${rest}`),
  });
  // Shared by all runs: what one row leaves in a buffer is not seen in the next.
  const spares: Uint8Array[] = [];
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const cards: (Uint8Array | null)[] = Array.from({ length: places }, () => null);
      const document = new DocumentBuffer(
        places,
        {
          lengthAt: (place) => cards[place]?.length ?? 0,
          write: (place, target, at) => target.set(cards[place] ?? new Uint8Array(0), at),
        },
        spares,
      );
      for (const { changes, tail } of steps) {
        const sorted = changes.toSorted((a, b) => a.place - b.place);
        for (const { place, card } of sorted) cards[place] = card === null ? null : encoder.encode(`${card},`);
        const bytes = document.update(
          sorted.map(({ place }) => place),
          encoder.encode(tail),
        );
        const expected = cards
          .flatMap((card) => (card === null ? [] : [decoder.decode(card)]))
          .join('')
          .replace(/,$/, '');
        expect(decoder.decode(bytes)).toBe(decoder.decode(encoder.encode(`{"productCards":[${expected}${tail}`)));
      }
      document.release();
    }),
    { numRuns: 500 },
  );
});
