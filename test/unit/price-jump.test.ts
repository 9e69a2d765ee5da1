// The guard on prices, on numbers alone: what raises the suspicion, and what confirms it.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { priceJump, priceJumpText } from '../../src/release/publish/price-jump.ts';
import { EditionPrices, priceSummaryOf } from '../../src/render/edition-prices.ts';

const AT = '2026-05-01T09:00:00Z';

function summaryOf(prices: readonly number[]) {
  return priceSummaryOf(prices.toSorted((a, b) => a - b));
}

function mapOf(prices: readonly number[]): ReadonlyMap<number, number> {
  return new Map(prices.map((price, id) => [id, price]));
}

/** What the guard says of prices by product that become others; NaN is no price. */
async function jump(before: readonly number[], after: readonly number[]): Promise<string | null> {
  const withPrice = (prices: readonly number[]) => [...mapOf(prices)].filter(([, price]) => !Number.isNaN(price));
  const [was, is] = [new Map(withPrice(before)), new Map(withPrice(after))];
  const published = {
    summaryAt: async () => summaryOf([...was.values()]),
    pricesAt: async () => was,
  };
  const found = await priceJump(published, { summary: summaryOf([...is.values()]), prices: () => is }, AT);
  return found && priceJumpText(found);
}

const SHOWS = Array.from({ length: 28 }, (_, i) => 500 + 50 * i);

describe('the guard on prices', () => {
  test.each([
    ['all of them divided by a hundred', SHOWS.map((price) => price / 100), 'a quarter or less'],
    ['24 of 28 divided by a hundred', SHOWS.map((price, i) => (i < 4 ? price : price / 100)), 'a quarter or less'],
    ['an exponent forgotten', SHOWS.map((price) => price * 100), 'four times or more'],
    ['add-ons taken for tickets', SHOWS.map((_, i) => (i % 2 === 0 ? 50 : 100)), 'a quarter or less'],
    ['half of a column', SHOWS.map((price, i) => (i % 2 === 0 ? price : price / 100)), 'a quarter or less'],
  ])('holds back %s', async (_, after, verdict) => {
    expect(await jump(SHOWS, after)).toContain(verdict);
  });

  test.each([
    ['a sale at half price', SHOWS, SHOWS.map((price) => price / 2)],
    ['new prices on a fifth of the cards', SHOWS, SHOWS.map((price, i) => (i % 5 === 0 ? price * 5 : price))],
    ['a front of three cards', [500, 600, 700], [5, 6, 7]],
    ['a free Sunday', SHOWS, SHOWS.map(() => 0)],
    ['the Monday after', SHOWS.map(() => 0), SHOWS],
    ['all of them sold out', SHOWS, SHOWS.map(() => Number.NaN)],
    ['other products', SHOWS, [...SHOWS.map(() => Number.NaN), ...SHOWS.map((price) => price / 100)]],
    [
      'as many dearer as cheaper',
      SHOWS,
      SHOWS.map((price, i) => (i % 6 === 0 ? price * 9 : i % 6 === 1 ? price / 9 : price)),
    ],
    ['nothing', SHOWS, SHOWS],
    ['a first price', [], SHOWS],
  ])('lets pass: %s', async (_, before, after) => {
    expect(await jump(before, after)).toBeNull();
  });

  test('reads the documents only if a quartile has moved', async () => {
    const published = {
      summaryAt: async () => summaryOf(SHOWS),
      pricesAt: () => Promise.reject(new Error('read')),
    };
    const after = { summary: summaryOf(SHOWS.map((price) => price * 3.9)), prices: () => new Map<number, number>() };
    expect(await priceJump(published, after, AT)).toBeNull();
    const moved = { ...after, summary: summaryOf(SHOWS.map((price) => price * 4)) };
    await expect(priceJump(published, moved, AT)).rejects.toThrow('read');
  });

  test('what is published and cannot be read is no suspicion', async () => {
    const published = { summaryAt: async () => null, pricesAt: () => Promise.reject(new Error('read')) };
    expect(await priceJump(published, { summary: summaryOf([1]), prices: () => mapOf([1]) }, AT)).toBeNull();
  });
});

describe('the summary of prices', () => {
  test.each([
    [[], []],
    [[7], [7, 7, 7, 7, 7]],
    [
      [1, 2],
      [1, 1, 1, 2, 2],
    ],
    [
      [1, 2, 3, 4],
      [1, 1, 2, 3, 4],
    ],
    [
      [0, 0, 10, 20, 30],
      [0, 0, 10, 20, 30],
    ],
  ])('of %j is %j, by nearest rank', (prices, expected) => {
    expect(summaryOf(prices)).toEqual({ count: prices.length, prices: expected });
  });

  test('follows prices that change, many at once or one by one, as if it were made anew', () => {
    const price = fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 0, max: 5 }));
    fc.assert(
      fc.property(
        fc.array(price, { minLength: 1, maxLength: 200 }),
        fc.array(fc.array(fc.tuple(fc.nat(199), price), { maxLength: 120 }), { maxLength: 6 }),
        (first, steps) => {
          const prices = [...first];
          const kept = new EditionPrices(prices.length);
          const expectSame = (): void => {
            expect(kept.summary).toEqual(summaryOf(prices.filter((one) => !Number.isNaN(one))));
          };
          kept.update([...prices.keys()], (position) => prices[position] ?? Number.NaN);
          expectSame();
          for (const step of steps) {
            const changed = new Set<number>();
            for (const [at, becomes] of step) {
              if (at >= prices.length) continue;
              prices[at] = becomes;
              changed.add(at);
            }
            kept.update([...changed], (position) => prices[position] ?? Number.NaN);
            expectSame();
          }
        },
      ),
    );
  });
});
