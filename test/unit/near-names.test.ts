// What a hint offers for a mistyped name.

import { expect, test } from 'vitest';
import { nearNames } from '../../src/suggestions.ts';

const names = [
  ['chayka', 'Чайка'],
  ['chajka-2', 'Чайка. Продолжение'],
  ['gamlet', 'Гамлет'],
  ['groza', 'Гроза'],
].map(([name = '', title = '']) => ({ name, title }));

test.each([
  ['chaika', ['chayka']],
  ['chayka', ['chayka']],
  ['чайка', ['chajka-2', 'chayka']],
  ['gamlt', ['gamlet']],
  ['agmlet', ['gamlet']],
  ['completely-other', []],
  ['', []],
  ['\u001B', []],
])('%s', (typed, expected) => {
  expect(nearNames(typed, names).map(({ name }) => name)).toEqual(expected);
});

test('at most five, the nearest first', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ name: `show-${i}`, title: 'x' }));
  expect(nearNames('show-7', many)).toHaveLength(5);
  expect(nearNames('shwo-19', many)[0]?.name).toBe('show-19');
});
