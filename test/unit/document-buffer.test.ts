// The document buffer: after any sequence of changes the document equals one that is written from
// scratch.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentBuffer } from '../../src/render/document-buffer.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const cardArbitrary = fc.string({ maxLength: 30 }).map((text) => `{${text}}`);

test('cards that appear, disappear and change, first and last ones included, leave no trace of earlier ones', () => {
  const length = 6;
  const step = fc.record({
    changes: fc.uniqueArray(fc.record({ position: fc.nat({ max: length - 1 }), card: fc.option(cardArbitrary) }), {
      selector: ({ position }) => position,
    }),
    tail: fc.string({ maxLength: 8 }).map((rest) => `]${rest}`),
  });
  // Shared by all runs: what one document leaves in a buffer does not show in the next.
  const freeBuffers: Uint8Array[] = [];
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      const cards: (Uint8Array | null)[] = Array.from({ length }, () => null);
      const document = new DocumentBuffer(
        length,
        {
          lengthAt: (position) => cards[position]?.length ?? 0,
          write: (position, target, at) => target.set(cards[position] ?? new Uint8Array(0), at),
        },
        freeBuffers,
      );
      for (const { changes, tail } of steps) {
        const sorted = changes.toSorted((a, b) => a.position - b.position);
        for (const { position, card } of sorted) cards[position] = card === null ? null : encoder.encode(`${card},`);
        const bytes = document.update(
          sorted.map(({ position }) => position),
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
