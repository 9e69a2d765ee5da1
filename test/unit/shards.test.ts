// Which fronts each shard of a build renders: each of them once, about as many cards in every shard,
// and fronts that share products together.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import { shardsOf } from '../../src/render/shards.ts';

const zone = new Zone('Europe/Moscow');

function frontOf(code: string, profile: number, numbers: readonly number[]) {
  return {
    code,
    zone,
    dayStartsAt: 0,
    channel: null,
    locale: null,
    // The day that tells the profiles apart.
    weekendDays: String(profile + 1),
    currency: 'RUB',
    currencyExponent: 2,
    products: { numbers },
  };
}

const front = fc.record({ profile: fc.nat(3), numbers: fc.uniqueArray(fc.nat(60), { maxLength: 40 }) });

test('each front is in one shard, and no shard is larger than its share by more than a front', () => {
  const property = fc.property(fc.array(front, { minLength: 1 }), fc.integer({ min: 1, max: 12 }), (drawn, total) => {
    const fronts = drawn.map(({ profile, numbers }, i) => frontOf(`front-${(i * 7919) % 1000}-${i}`, profile, numbers));
    const shards = shardsOf(fronts, total);
    expect([...shards.keys()].sort()).toEqual(fronts.map(({ code }) => code).sort());
    expect([...shards.values()].every((shard) => shard >= 0 && shard < total)).toBe(true);
    const costs = fronts.map(({ products }) => products.numbers.length + 1);
    const share = costs.reduce((sum, cost) => sum + cost, 0) / total;
    for (let shard = 0; shard < total; shard++) {
      const cost = fronts.reduce((sum, one, i) => sum + (shards.get(one.code) === shard ? (costs[i] ?? 0) : 0), 0);
      expect(cost).toBeLessThanOrEqual(share + Math.max(...costs));
    }
  });
  fc.assert(property);
});

test('fronts that share products are in one shard, whatever their names and profiles', () => {
  const property = fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 9 }), (groups, members) => {
    const fronts = Array.from({ length: groups * members }, (_, i) => {
      const group = i % groups;
      // Each front lists its own choice of the group's products, and one that the whole group does.
      const numbers = Array.from({ length: 10 }, (_product, k) => group * 100 + (k === 0 ? 0 : 1 + ((i + k * 7) % 40)));
      return frontOf(`front-${String(i).padStart(3, '0')}`, i % 3, [...new Set(numbers)]);
    }).map((one) => ({ ...one, products: { numbers: one.products.numbers.slice(0, 9) } }));
    const shards = shardsOf(fronts, groups);
    for (let group = 0; group < groups; group++) {
      const ofGroup = fronts.filter((_, i) => i % groups === group).map(({ code }) => shards.get(code));
      expect(new Set(ofGroup).size, `group ${group} of ${groups}`).toBe(1);
    }
  });
  fc.assert(property);
});

test('where no products are shared, runs of fronts by profile and code', () => {
  const fronts = Array.from({ length: 12 }, (_, i) => frontOf(`front-${10 + i}`, i % 2, [i]));
  const shards = shardsOf(fronts, 4);
  expect(fronts.map(({ code }) => shards.get(code))).toEqual([0, 2, 0, 2, 0, 2, 1, 3, 1, 3, 1, 3]);
});
