// JSON with the lines of its keys: the same values as JSON.parse, and the same texts refused.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonFault, jsonWithLines } from '../../src/cli/settings/json-with-lines.ts';
import { runs } from '../speeds.ts';

const spaces = fc.constantFrom(undefined, 1, '\t', '  ');

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), spaces, (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(jsonWithLines(text)).toMatchObject({ repeated: [] });
      expect(JSON.stringify(jsonWithLines(text).value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: runs(2000) },
  );
});

test('refuses what JSON.parse refuses: a text with one character more, less or another', () => {
  const characters = Array.from('{}[]:,"\\0-9.eE+ \n\ttrufalsn/\u00a0\u0000x');
  const spoilt = fc
    .tuple(fc.jsonValue({ maxDepth: 3 }), spaces, fc.nat(), fc.nat(2), fc.constantFrom(...characters))
    .map(([value, space, place, removed, added]) => {
      const text = JSON.stringify(value, null, space);
      const at = place % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + removed);
    });
  fc.assert(
    fc.property(spoilt, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(() => jsonWithLines(text)).toThrow(JsonFault);
        return;
      }
      expect(JSON.stringify(jsonWithLines(text).value)).toBe(JSON.stringify(expected));
    }),
    { numRuns: runs(4000) },
  );
});

test('knows the line of every key, and which occur twice', () => {
  const text = '{\n\n "a": 1, "b": {\r\n "c":\n [{"d": 2}],\n "c": 3 },\n"e\\u0066": {}}';
  const { lines, repeated, value } = jsonWithLines(text);
  expect([...lines]).toEqual([
    ['a', 3],
    ['b', 3],
    ['b.c', 6],
    ['b.c.d', 5],
    ['ef', 7],
  ]);
  expect(repeated).toEqual(['b.c']);
  expect(value).toEqual({ a: 1, b: { c: 3 }, ef: {} });
});

test.each([
  ['{\n"a": 1,\n\n}', 4, 'expected a key in quotes, found "}"'],
  ['{"a" 1}', 1, 'expected ":", found a word'],
  ['{"a": \n\nhunter2}', 3, 'expected a value, found a word'],
  ['[1\n2]', 2, 'expected "," or "]", found a word'],
  ['{} x', 1, 'expected the end of the file, found a word'],
  ['"a\nb"', 1, 'expected a value, found "\\""'],
  ['{', 1, 'expected a key in quotes, found the end of the file'],
  ['['.repeat(100_000), 1, 'expected at most 50 levels of brackets, found "["'],
])('says where %j is wrong', (text, line, message) => {
  expect(() => jsonWithLines(text)).toThrow(expect.objectContaining({ line, message }) as Error);
});

test('a key that objects have anyway is one like any other', () => {
  const { value } = jsonWithLines('{"__proto__": {"horizon": "1h"}, "constructor": 1}');
  expect(Object.getOwnPropertyNames(value)).toEqual(['__proto__', 'constructor']);
  expect((value as { horizon?: unknown }).horizon).toBeUndefined();
});
