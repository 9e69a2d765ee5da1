// What the terminal's tables and messages are made of.

import { expect, test } from 'vitest';
import { errorMessage, messageText } from '../../src/cli/output/messages.ts';
import { spanText } from '../../src/cli/output/terminal.ts';
import { AppError } from '../../src/errors.ts';

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
  [-300, '5m ago'],
])('a span of %s s is %s: its two largest units, rounded down', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

test('an error has a line for each fault; an end of line in data forges none', () => {
  const error = new AppError('import-row-refused', 'one\n  hint: x', 'type\nthis', undefined, [
    'two\r\nerror usage: y',
    'three',
  ]);
  expect(messageText(errorMessage(error)).split('\n')).toEqual([
    String.raw`error import-row-refused: one\u000a  hint: x`,
    String.raw`  two\u000d\u000aerror usage: y`,
    '  three',
    String.raw`  hint: type\u000athis`,
  ]);
});
