// Which fronts each shard of a build renders: each of them once, in runs of one profile after the
// other, of about as many cards.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import { shardsOf } from '../../src/render/shards.ts';

const zone = new Zone('Europe/Moscow');
const front = fc.record({ profile: fc.nat(3), cards: fc.nat(500) });

test('the shards are runs of fronts by profile and code, none of them larger than its share by more than a front', () => {
  const property = fc.property(fc.array(front, { minLength: 1 }), fc.integer({ min: 1, max: 12 }), (drawn, total) => {
    const fronts = drawn.map(({ profile, cards }, i) => ({
      code: `front-${(i * 7919) % 1000}-${i}`,
      zone,
      dayStartsAt: 0,
      channel: null,
      locale: null,
      // The day that tells the profiles apart.
      weekendDays: String(profile + 1),
      currency: 'RUB',
      currencyExponent: 2,
      products: { numbers: { length: cards } },
    }));
    const shards = shardsOf(fronts, total);
    expect([...shards.keys()].sort()).toEqual(fronts.map(({ code }) => code).sort());
    // Profiles in the order of their first fronts.
    const profileOf = ({ weekendDays }: { readonly weekendDays: string }): number =>
      fronts.findIndex((one) => one.weekendDays === weekendDays);
    const sorted = fronts.toSorted((a, b) => profileOf(a) - profileOf(b) || (a.code < b.code ? -1 : 1));
    const inOrder = sorted.map(({ code }) => shards.get(code) ?? -1);
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    expect(inOrder.every((shard) => shard >= 0 && shard < total)).toBe(true);

    const costs = fronts.map(({ products }) => products.numbers.length + 1);
    const share = costs.reduce((sum, cost) => sum + cost, 0) / total;
    for (let shard = 0; shard < total; shard++) {
      const cost = fronts.reduce((sum, one, i) => sum + (shards.get(one.code) === shard ? (costs[i] ?? 0) : 0), 0);
      expect(cost).toBeLessThanOrEqual(share + Math.max(...costs));
    }
  });
  fc.assert(property);
});
