// Guards: which numbers trip which, and what overrides them (snapshot.md, Guards).

import { describe, expect, test } from 'vitest';
import { guardsTripped, type GuardOptions } from '../../src/release/publish/guards.ts';
import { instant } from '../support/trees.ts';

const publishedNow = '2026-05-01T09:00:00Z';
const plain: GuardOptions = { maxShrink: 0.5, maxBad: 0.05, allow: [], force: false };
const later = '2026-05-01T10:00:00Z';

describe('guards', () => {
  test.each([
    ['as many cards as before', 100, 0, 100, later, {}, []],
    ['exactly half of the cards is no trip', 50, 0, 100, later, {}, []],
    ['fewer than half', 49, 0, 100, later, {}, ['max-shrink']],
    ['a lower share allowed', 89, 0, 100, later, { maxShrink: 0.1 }, ['max-shrink']],
    ['all may go', 0, 0, 100, later, { maxShrink: 1 }, []],
    ['three of ten may stay where 70% may go, in binary fractions too', 3, 0, 10, later, { maxShrink: 0.7 }, []],
    ['three may always go', 97, 0, 100, later, { maxShrink: 0 }, []],
    ['a fourth may not', 96, 0, 100, later, { maxShrink: 0 }, ['max-shrink']],
    ['three of four may go', 1, 0, 4, later, {}, []],
    ['four of five may not', 1, 0, 5, later, {}, ['max-shrink']],
    ['the last card may not', 0, 0, 1, later, {}, ['max-shrink']],
    ['nor all of three', 0, 0, 3, later, {}, ['max-shrink']],
    ['from nothing to nothing', 0, 0, 0, later, {}, []],
    ['fewer than min_cards', 9, 10, 10, later, {}, ['min-cards']],
    ['exactly min_cards', 10, 10, 10, later, {}, []],
    ['an earlier now', 100, 0, 100, '2026-05-01T08:59:59Z', {}, ['now-earlier']],
    ['the same now again', 100, 0, 100, '2026-05-01T09:00:00Z', {}, []],
    ['everything at once', 1, 10, 100, '2026-05-01T08:59:59Z', {}, ['now-earlier', 'min-cards', 'max-shrink']],
    ['--allow overrides what it names', 1, 10, 100, later, { allow: ['max-shrink', 'min-cards'] }, []],
    ['and nothing else', 1, 10, 100, later, { allow: ['max-shrink'] }, ['min-cards']],
    [
      '--allow max-shrink does not override an earlier now',
      1,
      10,
      100,
      '2026-05-01T08:00:00Z',
      { allow: ['max-shrink', 'min-cards'] },
      ['now-earlier'],
    ],
    ['--force overrides all', 1, 10, 100, '2026-05-01T08:00:00Z', { force: true }, []],
  ] as const)('%s', (_, cards, minCards, publishedCards, now, options, expected) => {
    const tripped = guardsTripped(
      { cards, minCards, leftOut: null },
      { now: publishedNow, cards: publishedCards },
      { ...plain, ...options },
      instant(now),
    );
    expect(tripped.filter((one) => !one.isOverridden).map((one) => one.code)).toEqual(expected);
  });

  test('a front that was never published can only have too few cards', () => {
    const tripped = guardsTripped({ cards: 3, minCards: 4, leftOut: null }, null, plain, instant(later));
    expect(tripped.map((one) => one.code)).toEqual(['min-cards']);
  });

  test.each([
    [3, 20, []],
    [4, 80, []],
    [4, 79, ['max-bad']],
    [3, 3, ['max-bad']],
    [1, 1, ['max-bad']],
    [60, 100, ['max-bad']],
  ])('of %i bad products among %i, the guard says %j', (affected, published, expected) => {
    const front = { cards: published, minCards: 0, leftOut: { affected, published } };
    const tripped = guardsTripped(front, null, plain, instant(later));
    expect(tripped.map(({ code }) => code)).toEqual(expected);
    const allowed = guardsTripped(front, null, { ...plain, allow: ['max-bad'] }, instant(later));
    expect(allowed.filter(({ isOverridden }) => !isOverridden)).toEqual([]);
  });

  test('an overridden guard is still reported', () => {
    const tripped = guardsTripped(
      { cards: 1, minCards: 4, leftOut: null },
      null,
      { ...plain, allow: ['min-cards'] },
      instant(later),
    );
    expect(tripped).toEqual([{ code: 'min-cards', message: '1 cards, fewer than min_cards 4', isOverridden: true }]);
  });
});
