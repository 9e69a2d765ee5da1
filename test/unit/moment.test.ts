// Times as a person types them: which there are, which instant each is, and what is said of it.

import { describe, expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import { formatInstant } from '../../src/catalogue/instant.ts';
import { instantOfMoment, momentArgument } from '../../src/cli/moment.ts';
import { instant } from '../support/trees.ts';

/** What a text means at an instant, on a front in a zone; and what is said. */
function meant(text: string, now: string, zone: string | null = null): [string, string | null] {
  const place = zone === null ? null : { front: 'alpha', zone: new Zone(zone) };
  const { instant: at, note } = instantOfMoment(momentArgument(text, '--at'), '--at', place, instant(now));
  return [formatInstant(at), note];
}

const NOW = '2026-05-01T22:30:00Z';

test.each([
  ['2026-05-01T12:00:00+03:00', null, '2026-05-01T09:00:00Z', null],
  ['now', null, NOW, null],
  ['+2h', 'Europe/Moscow', '2026-05-02T00:30:00Z', '--at +2h is 2026-05-02T00:30:00Z'],
  ['-1d', null, '2026-04-30T22:30:00Z', '--at -1d is 2026-04-30T22:30:00Z'],
  ['+1h30m', null, '2026-05-02T00:00:00Z', '--at +1h30m is 2026-05-02T00:00:00Z'],
  ['18:00', null, '2026-05-01T18:00:00Z', '--at 18:00 is 2026-05-01T18:00:00Z, in UTC'],
  ['9:05', null, '2026-05-01T09:05:00Z', '--at 9:05 is 2026-05-01T09:05:00Z, in UTC'],
  ['18:00:30', null, '2026-05-01T18:00:30Z', '--at 18:00:30 is 2026-05-01T18:00:30Z, in UTC'],
  ['today 00:00', null, '2026-05-01T00:00:00Z', "--at 'today 00:00' is 2026-05-01T00:00:00Z, in UTC"],
  ['tomorrow 18:00', null, '2026-05-02T18:00:00Z', "--at 'tomorrow 18:00' is 2026-05-02T18:00:00Z, in UTC"],
  // In Moscow it is tomorrow already, in New York still this evening.
  [
    '18:00',
    'Europe/Moscow',
    '2026-05-02T15:00:00Z',
    '--at 18:00 is 2026-05-02T18:00:00+03:00, in Europe/Moscow, the zone of alpha',
  ],
  [
    'yesterday 23:59',
    'America/New_York',
    '2026-05-01T03:59:00Z',
    "--at 'yesterday 23:59' is 2026-04-30T23:59:00-04:00, in America/New_York, the zone of alpha",
  ],
  [
    'tomorrow 05:45',
    'Asia/Kathmandu',
    '2026-05-03T00:00:00Z',
    "--at 'tomorrow 05:45' is 2026-05-03T05:45:00+05:45, in Asia/Kathmandu, the zone of alpha",
  ],
])('%s in %s', (text, zone, expected, note) => {
  expect(meant(text, NOW, zone)).toEqual([expected, note]);
});

test('a time that clocks show twice is the first, and both are said', () => {
  const [at, note] = meant('02:30', '2026-10-25T12:00:00Z', 'Europe/Berlin');
  expect(at).toBe('2026-10-25T00:30:00Z');
  expect(note).toBe(
    '--at 02:30 is 2026-10-25T02:30:00+02:00, in Europe/Berlin, the zone of alpha; clocks show it twice, the second time at 2026-10-25T02:30:00+01:00',
  );
});

describe('refused, with what to type', () => {
  test.each([
    ['a time in a skipped hour', 'tomorrow 02:30', '2026-03-28T12:00:00Z', '--at 2026-03-29T03:00:00+02:00'],
    ['one of today', '02:00', '2026-03-29T12:00:00Z', '--at 2026-03-29T03:00:00+02:00'],
  ])('%s', (_, text, now, typed) => {
    expect(() => meant(text, now, 'Europe/Berlin')).toThrow(
      expect.objectContaining({
        code: 'instant-invalid',
        message: `--at: expected a time that clocks show in Europe/Berlin, the zone of alpha, found "${text}", which they skip when they are put forward`,
        hint: `the next that they show: ${typed}`,
      }) as Error,
    );
  });

  test.each([
    ['yesterday 25:00', 'expected a time of day from 00:00 to 23:59', "--at 'yesterday 18:00'"],
    ['18:60', 'expected a time of day from 00:00 to 23:59', '--at 18:00'],
    ['24:00', 'expected a time of day from 00:00 to 23:59', '--at 18:00'],
    ['18:0', 'expected a time of day from 00:00 to 23:59', '--at 18:00'],
    ['tomorrow', 'expected a time of day from 00:00 to 23:59', "--at 'tomorrow 18:00'"],
    ['tomorrow at six', 'expected a time of day from 00:00 to 23:59', "--at 'tomorrow 18:00'"],
    ['+2', 'expected a duration after the sign', '--at +2h or --at -1d'],
    ['-1 day', 'expected a duration after the sign', '--at +2h or --at -1d'],
    ['+367d', 'expected a duration after the sign, of at most 366d', '--at +2h'],
    [
      'soon',
      'expected a date and time with Z or an offset, or now, +2h, -1d, 18:00 or tomorrow 18:00',
      '--at 2026-05-01T12:00:00+03:00',
    ],
    ['2026-05-01', 'expected a date and time with Z or an offset', '--at 2026-05-01T12:00:00+03:00'],
    ['tomorrowish 18:00', 'expected a date and time', '--at 2026'],
    ['', 'expected a date and time', '--at 2026'],
  ])('%j', (text, expected, typed) => {
    const refusal = expect.objectContaining({
      code: 'instant-invalid',
      message: expect.stringContaining(`--at: ${expected}`) as string,
      hint: expect.stringContaining(`for example ${typed}`) as string,
    }) as Error;
    expect(() => momentArgument(text, '--at')).toThrow(refusal);
  });
});
