// The search in a pointer's text against the plain way, and the refusal of every torn text.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantText } from '../../src/edge/rule/instant.ts';
import { type EditionInForce, findEdition } from '../../src/edge/rule/pointer.ts';

const T = Date.parse('2026-05-01T09:00:00Z') / 1000;

function pointerWith(starts: readonly number[], validUntil: number): string {
  const products = starts.map((start, i) => `${instantText(T + start)} ${(i + 1).toString(16).padStart(16, '0')}`);
  const frame = { schema: 1, front: 'moscow', now: products[0]?.slice(0, 20), validUntil: instantText(T + validUntil) };
  return `${JSON.stringify({ ...frame, today: '2026-05-01', timezone: 'Europe/Moscow', products, categories: [`${instantText(T)} ${'c'.repeat(16)}`] })}\n`;
}

const find = (text: string, instant: number): EditionInForce =>
  findEdition(text, 'moscow', 'products', instantText(T + instant));

describe('findEdition', () => {
  test('finds what a plain search through the parsed pointer finds', () => {
    const starts = fc.uniqueArray(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(starts, fc.integer({ min: -10, max: 100_010 }), (unsorted, instant) => {
        const sorted = unsorted.toSorted((a, b) => a - b);
        const index = Math.max(
          0,
          sorted.findLastIndex((start) => start <= instant),
        );
        const edition = find(pointerWith(sorted, 200_000), instant);
        expect(edition).toEqual({
          digest: (index + 1).toString(16).padStart(16, '0'),
          until: instantText(T + (sorted[index + 1] ?? 200_000)),
          asOf: instantText(T + (sorted[0] ?? 0)),
          validUntil: instantText(T + 200_000),
        });
      }),
    );
  });

  test('never takes the other list for more of its own, however long both are', () => {
    for (let length = 1; length <= 42; length++) {
      const other = Array.from({ length: 50 }, (_, i) => `${instantText(T + i)} ${'c'.repeat(16)}`);
      const text = pointerWith([...Array(length).keys()], 1000).replace(
        /"categories":.*/,
        `"categories":${JSON.stringify(other)}}`,
      );
      for (let instant = 0; instant <= length + 1; instant++) {
        const expected = Math.min(instant, length - 1) + 1;
        expect(find(text, instant).digest, `${length}, ${instant}`).toBe(expected.toString(16).padStart(16, '0'));
      }
    }
  });

  test('reads the other list', () => {
    const edition = findEdition(pointerWith([0, 10], 100), 'moscow', 'categories', instantText(T + 50));
    expect(edition).toMatchObject({ digest: 'c'.repeat(16), until: instantText(T + 100) });
  });

  test('refuses a pointer that ends anywhere before its end', () => {
    const text = pointerWith([0, 10, 20], 100);
    for (let length = 0; length < text.length; length++) {
      expect(() => find(text.slice(0, length), 15), `${length} bytes`).toThrow('pointer');
    }
    expect(find(text, 15).digest).toBe('0000000000000002');
  });

  test.each([
    ['a newer schema', (text: string) => text.replace('"schema":1', '"schema":2')],
    ['another front', (text: string) => text.replace('"moscow"', '"kazan"')],
    ['a front whose code only begins so', (text: string) => text.replace('"moscow"', '"moscow-2"')],
    ['an empty list', (text: string) => text.replace(/"products":\[[^\]]*\]/, '"products":[]')],
    ['no list', (text: string) => text.replace('"products"', '"goods"')],
    ['entries of another width', (text: string) => text.replaceAll(/Z 0+/g, 'Z ')],
    ['a digest that could leave the folder', (text: string) => text.replace('0000000000000001', '../../../keyring.')],
    ['an instant without validUntil', (text: string) => text.replace('"validUntil"', '"valid"')],
    ['a text that is no pointer', () => '<html>not found</html>\n'],
    ['nothing', () => ''],
  ])('refuses %s', (_, spoil) => {
    expect(() => find(spoil(pointerWith([0], 100)), 0)).toThrow('pointer');
  });
});
