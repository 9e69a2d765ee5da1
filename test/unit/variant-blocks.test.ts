// Bytes of cards lie in blocks: what was put in is read back, however much there is.

import { expect, test } from 'vitest';
import { VARIANT, RenderedProductsBuilder } from '../../src/render/rendered-products.ts';

const MEBIBYTE = 1 << 20;

test('variants of any size, in as many blocks as they take, are read back unchanged', () => {
  const builder = new RenderedProductsBuilder();
  const parts = { flagsFrom: 0, flagsUntil: 0, groupsLength: 0, restLength: 0, bits: 0 };
  // Most of a block, more than one, next to nothing; two and three bytes a character.
  const texts = [1, 3 * MEBIBYTE, 100, 9 * MEBIBYTE, 1, 2 * MEBIBYTE, 2 * MEBIBYTE, 5].map((length, i) =>
    'aж€'.charAt(i % 3).repeat(length),
  );
  for (const text of texts) builder.variant(text, parts, new Int32Array(0));
  const { blocks, variants } = builder.products();
  expect(blocks.length).toBe(3);
  for (const [variant, text] of texts.entries()) {
    const part = (which: number): number => variants[variant * VARIANT.width + which] ?? -1;
    const start = part(VARIANT.start);
    const bytes = blocks[part(VARIANT.block)]?.subarray(start, start + part(VARIANT.length));
    expect(new TextDecoder().decode(bytes) === text, `variant ${variant}`).toBe(true);
  }
});

test('no block is larger than a few MiB or its only variant, so that no position comes near 2^31', () => {
  const builder = new RenderedProductsBuilder();
  const parts = { flagsFrom: 0, flagsUntil: 0, groupsLength: 0, restLength: 0, bits: 0 };
  const text = 'x'.repeat(MEBIBYTE);
  // With one run of bytes, positions would have passed 2^31 after two thousand of them; here each stays within its block.
  for (let i = 0; i < 30; i++) builder.variant(text, parts, new Int32Array(0));
  const { blocks, variants } = builder.products();
  expect(blocks.length).toBeGreaterThan(10);
  for (const block of blocks) expect(block.length).toBeLessThanOrEqual(4 * MEBIBYTE);
  for (let variant = 0; variant < 30; variant++) {
    const start = variants[variant * VARIANT.width + VARIANT.start] ?? -1;
    const block = blocks[variants[variant * VARIANT.width + VARIANT.block] ?? -1];
    expect(start + text.length).toBeLessThanOrEqual(block?.length ?? 0);
  }
});
