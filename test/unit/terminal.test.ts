// What the terminal's tables are made of.

import { expect, test } from 'vitest';
import { shortened, spanText } from '../../src/cli/terminal.ts';

test.each([
  [0, '0s'],
  [59, '59s'],
  [60, '1m'],
  [61, '1m1s'],
  [3600, '1h'],
  [3659, '1h'],
  [5025, '1h23m'],
  [86_399, '23h59m'],
  [90_061, '1d1h'],
  [366 * 86_400, '366d'],
  [-300, '-5m'],
])('a span of %s s is %s: its two largest units, rounded down', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

test('a code that is too long ends in an ellipsis', () => {
  expect(shortened('moscow', 6)).toBe('moscow');
  expect(shortened('montreal', 6)).toBe('montr…');
});
