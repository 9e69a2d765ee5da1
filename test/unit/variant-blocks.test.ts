// Bytes of cards lie in blocks: what was put in is read back, however much there is.

import { expect, test } from 'vitest';
import { sha256BytesOf } from '../../src/release/tree/digest.ts';
import { RUN, VARIANT, RenderedProductsBuilder } from '../../src/render/rendered-products.ts';

const MEBIBYTE = 1 << 20;

test('variants of any size, in as many blocks as they take, are read back unchanged', () => {
  const builder = new RenderedProductsBuilder(sha256BytesOf, 0);
  // Most of a block, more than one, next to nothing; two and three bytes a character.
  const texts = [1, 3 * MEBIBYTE, 100, 9 * MEBIBYTE, 1, 2 * MEBIBYTE, 2 * MEBIBYTE, 5].map((length, i) =>
    'aж€'.charAt(i % 3).repeat(length),
  );
  const runs = texts.map((text) => builder.run(text, 0, 0));
  for (const [i, run] of runs.entries()) builder.variant(run, runs.at(i - 1) ?? run, i, Number.NaN, new Int32Array(0));
  const { blocks, variants } = builder.products();
  expect(blocks.length).toBe(3);
  for (const [variant, text] of texts.entries()) {
    const numbers = variants.subarray(variant * VARIANT.width, (variant + 1) * VARIANT.width);
    const textOf = (run: number): string => {
      const start = numbers[run + RUN.start] ?? -1;
      const bytes = blocks[numbers[run + RUN.block] ?? -1]?.subarray(start, start + (numbers[run + RUN.length] ?? -1));
      return new TextDecoder().decode(bytes);
    };
    expect(textOf(VARIANT.head) === text, `head of ${variant}`).toBe(true);
    expect(textOf(VARIANT.tail) === texts.at(variant - 1), `tail of ${variant}`).toBe(true);
    expect(numbers[VARIANT.bits]).toBe(variant);
  }
});

test('no block is larger than a few MiB or its only run, so that no position comes near 2^31', () => {
  const builder = new RenderedProductsBuilder(sha256BytesOf, 0);
  const text = 'x'.repeat(MEBIBYTE);
  // In a single block, positions would pass 2^31 after two thousand of them; here each stays within
  // its block.
  const runs = Array.from({ length: 30 }, () => builder.run(text, 0, 0));
  const { blocks } = builder.products();
  expect(blocks.length).toBeGreaterThan(10);
  for (const block of blocks) expect(block.length).toBeLessThanOrEqual(4 * MEBIBYTE);
  for (const [block, start] of runs) expect(start + text.length).toBeLessThanOrEqual(blocks[block]?.length ?? 0);
});
