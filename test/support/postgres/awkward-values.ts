// Values on which two databases could differ: ends of ranges, leap days, digits and letters of
// other scripts, ends of lines.

import * as fc from 'fast-check';

const LEAP_DAYS = ['0000', '0004', '0100', '1900', '2000', '2023', '2024', '2100', '2400', '9996'];
const DAYS = '01-31 02-28 02-30 03-31 04-30 04-31 06-31 09-31 11-31 12-31 12-32 13-01 00-10 01-00'.split(' ');
const TIMES = ['00:00:00', '23:59:59', '23:59:60', '24:00:00', '12:60:00', '19:59:09', '20:00:00', '9:00:00'];

const DATE_TIMES = [
  LEAP_DAYS.map((year) => `${year}-02-29T09:00:00`),
  DAYS.map((day) => `2026-${day}T09:00:00`),
  TIMES.map((time) => `2026-05-01T${time}`),
  [
    '0000-01-01T00:00:00',
    '9999-12-31T23:59:59',
    '10000-01-01T00:00:00',
    '12026-05-01T09:00:00',
    '+2026-05-01T09:00:00',
  ],
  [
    '-026-05-01T09:00:00',
    '２０２６-05-01T09:00:00',
    '٢٠٢٦-05-01T09:00:00',
    '\n2026-05-01T09:00:00',
    '2026-05-01t09:00:00',
  ],
].flat();

const LENGTHS = [62, 63, 64, 99, 100, 101, 127, 128, 129];

/** For columns of text. */
export const AWKWARD_TEXTS: readonly string[] = [
  DATE_TIMES,
  DATE_TIMES.map((text) => `${text}Z`),
  [
    '2026-05-01T09:00:00z',
    '2026-05-01T09:00:00ZZ',
    '2026-05-01T09:00:00Z\n',
    '2026-05-01T09:00:00\n',
    '2026-121T09:00:00Z',
  ],
  [
    'now',
    'infinity',
    'today',
    '2461162.5',
    '1796151600',
    '',
    ' ',
    '0',
    '1',
    'a',
    'A',
    'z',
    'Z',
    '%',
    '_',
    '*',
    '?',
    '😀',
  ],
  [
    'é',
    'É',
    'ａ',
    'ß',
    'İ',
    'ı',
    'ſ',
    '\u212a',
    'e\u0301',
    '\u00a0',
    '\u2028',
    'a\n',
    '\na',
    'a\r',
    'a b',
    'a.b',
    'a..b',
  ],
  ['.a', 'a.', '-a', '_a', 'a_', 'a-', 'a:b', 'a,b', String.raw`a\b`, "a'b", 'a"b', 'a[b', 'a]b', 'a^b'],
  LENGTHS.map((length) => 'a'.repeat(length)),
  LENGTHS.map((length) => 'é'.repeat(length)),
  ['7', '67', '76', '66', '123456', '234567', '1234567', '12345678', '08', '6７', '67\n', ' 67'],
  ['RUB', 'EUR\n', 'rub', 'RuB', 'ÄÖÜ', 'ＲＵＢ', 'RU', 'RUBL', 'R B', '123'],
  ['#ff8800', '#FF8800', '#FF880', '#FF88000', '#GG8800', 'FF8800', '#FF880０', '#FF8800\n', '##F8800'],
  [
    'https://x',
    'https://',
    'https://\n',
    'https://😀',
    'http://x',
    'HTTPS://x',
    ' https://x',
    '\nhttps://x',
    'https:/x',
  ],
  [
    'draft',
    'Draft',
    'draft ',
    'published',
    'active',
    'disabled',
    'ticket',
    'addon',
    'ed25519',
    'scheduled',
    'cancelled',
  ],
].flat();

/** For columns of integers; as text what no number says. */
export const AWKWARD_INTEGERS: readonly (number | bigint | string)[] = [
  [-2, -1, 0, 1, 2, 3, 4, 5, 20, 21, 22, 255, 256, 32_767, 32_768, -32_768, -32_769, 1.5, -0.5, 0.1],
  [2 ** 31 - 1, 2 ** 31, -(2 ** 31), 99_999_999_999_999, 100_000_000_000_000, 2 ** 53 - 1],
  [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)],
  ['1', '-1', 'x', '', ' ', '1x', '１', 'true', 'NULL', '9223372036854775808', '-9223372036854775809'],
].flat();

const CHARACTER = fc.constantFrom(...'a A z Z 0 9 . - _ : / # T %'.split(' '), ' ', '\n', 'é', '９', '😀', '\u0301');

/** Text that differs from a good one in a character or two. */
export function nearly(good: string): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(good.length),
    how: fc.constantFrom('add', 'replace', 'remove'),
    character: CHARACTER,
  });
  return fc.array(change, { minLength: 1, maxLength: 2 }).map((changes) =>
    changes.reduce((text, { at, how, character }) => {
      const behind = text.slice(how === 'add' ? at : at + 1);
      return `${text.slice(0, at)}${how === 'remove' ? '' : character}${behind}`;
    }, good),
  );
}
