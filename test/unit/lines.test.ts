// Lines for terminals and Markdown: nothing in a text can steer either, and no line is wider than a
// terminal.

import * as fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import { escapeLine } from '../../src/cli/output/escape.ts';
import { codeSpan, folded, wallTimeText } from '../../src/cli/output/text.ts';
import { instant } from '../support/trees.ts';
import { anyCharacter } from '../support/any-character.ts';

test.each([
  ['a line end', 'a\nb\r', 'a\\u000ab\\u000d'],
  ['an escape sequence', '\u001B[2J\u009B1m', '\\u001b[2J\\u009b1m'],
  ['marks of direction', 'a\u202Egpj.exe\u2066', 'a\\u202egpj.exe\\u2066'],
  ['separators of Unicode', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['half a character', 'a\uD83D', 'a\\ud83d'],
  [
    'joiners, accents and no-break spaces stay',
    'क्\u200Dष e\u0301 a\u00A0b 👩\u200D🎤',
    'क्\u200Dष e\u0301 a\u00A0b 👩\u200D🎤',
  ],
])('%s', (_, text, shown) => {
  expect(escapeLine(text)).toBe(shown);
});

test.each([
  ['abc', 3],
  ['Чайка', 5],
  ['勧進帳', 6],
  ['e\u0301', 1],
  ['🎭', 2],
])('width of %s', (text, width) => {
  expect(stringWidth(text)).toBe(width);
});

test('folding keeps every line within eighty columns, and every word', () => {
  const texts = fc.array(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 30 }), fc.constant('長い'.repeat(60))), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(texts, (chosen) => {
      const text = chosen.join(' ');
      const lines = folded(text, '  ~ ', '      ').split('\n');
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
      const withoutBlanks = (some: string) => some.replaceAll(/\s/g, '');
      expect(withoutBlanks(lines.join(''))).toBe(`~${withoutBlanks(escapeLine(text))}`);
    }),
  );
});

test('a code span holds any text: CommonMark ends it nowhere inside', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', ' ', '<', 'a', '\n', '|', ']') }), (text) => {
      const span = codeSpan(text);
      const fence = /^`+/.exec(span)?.[0] ?? '';
      const inside = span.slice(fence.length, -fence.length);
      expect([...inside.matchAll(/`+/g)].map(([run]) => run.length)).not.toContain(fence.length);
      expect(span.endsWith(fence) && !inside.startsWith('`') && !inside.endsWith('`')).toBe(true);
      expect(inside).not.toContain('\n');
    }),
  );
});

test.each([
  ['Europe/Moscow', '2026-05-01T21:00:00Z', 'Sat 2026-05-02 00:00'],
  ['America/Montreal', '2026-05-01T03:59:59Z', 'Thu 2026-04-30 23:59:59'],
  ['Asia/Kathmandu', '2026-02-28T18:15:00Z', 'Sun 2026-03-01 00:00'],
  // Clocks go back at 03:00: the hour before comes twice.
  ['Europe/Berlin', '2026-10-24T23:59:59Z', 'Sun 2026-10-25 01:59:59'],
  ['Europe/Berlin', '2026-10-25T00:30:00Z', 'Sun 2026-10-25 02:30 +02:00'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', 'Sun 2026-10-25 02:30 +01:00'],
  ['Europe/Berlin', '2026-10-25T02:00:00Z', 'Sun 2026-10-25 03:00'],
])('wall time in %s', (zone, at, text) => {
  expect(wallTimeText(new Zone(zone), instant(at))).toBe(text);
});
