// Zones, dates and weekends against rows worked out by hand from the published rules of each zone.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKnownZone, Zone } from '../../src/catalogue/calendar.ts';
import { dayText, frontDaysAt, secondsOfTime } from '../../src/catalogue/days.ts';
import {
  dateTextOf,
  dayNumberOf,
  formatDateTime,
  formatInstant,
  instantOf,
  isoWeekdayOf,
  parseWallTime,
} from '../../src/catalogue/instant.ts';
import { instant } from '../support/trees.ts';

describe('wall time with the offset in force', () => {
  test.each([
    ['Moscow has no daylight saving', 'Europe/Moscow', '2026-05-05T16:00:00Z', '2026-05-05T19:00:00+03:00'],
    ['Berlin, a second before spring forward', 'Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
    ['Berlin, spring forward skips two o’clock', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
    [
      'Berlin, the hour that comes twice, first time',
      'Europe/Berlin',
      '2026-10-25T00:30:00Z',
      '2026-10-25T02:30:00+02:00',
    ],
    [
      'Berlin, the hour that comes twice, second time',
      'Europe/Berlin',
      '2026-10-25T01:30:00Z',
      '2026-10-25T02:30:00+01:00',
    ],
    ['UTC prints an offset, never Z', 'UTC', '2026-05-05T16:00:00Z', '2026-05-05T16:00:00+00:00'],
    ['Kolkata is half an hour off', 'Asia/Kolkata', '2026-05-05T18:30:00Z', '2026-05-06T00:00:00+05:30'],
    ['Kathmandu is three quarters off', 'Asia/Kathmandu', '2026-05-05T18:15:00Z', '2026-05-06T00:00:00+05:45'],
    ['St. John’s in summer', 'America/St_Johns', '2026-07-01T02:29:59Z', '2026-06-30T23:59:59-02:30'],
    ['Lord Howe moves by half an hour', 'Australia/Lord_Howe', '2026-07-01T00:00:00Z', '2026-07-01T10:30:00+10:30'],
    [
      'Kiritimati is a day ahead of Honolulu',
      'Pacific/Kiritimati',
      '2026-01-01T10:00:00Z',
      '2026-01-02T00:00:00+14:00',
    ],
    ['Casablanca goes back for Ramadan', 'Africa/Casablanca', '2026-03-01T12:00:00Z', '2026-03-01T12:00:00+00:00'],
    ['a session in the year 2530', 'Europe/Paris', '2530-12-31T22:59:59Z', '2530-12-31T23:59:59+01:00'],
    [
      'a local mean time is cut to the minute, and so is its offset',
      'America/New_York',
      '1850-01-01T00:00:00Z',
      '1849-12-31T19:04:00-04:56',
    ],
  ])('%s', (_, zone, at, expected) => {
    expect(new Zone(zone).format(instant(at))).toBe(expected);
  });
});

describe('the instants of a wall time', () => {
  test.each([
    ['an ordinary one', 'Europe/Moscow', '2026-05-05T19:00:00', ['2026-05-05T16:00:00Z']],
    ['far east of UTC', 'Pacific/Kiritimati', '2026-01-01T00:00:00', ['2025-12-31T10:00:00Z']],
    ['Berlin, before spring forward', 'Europe/Berlin', '2026-03-29T01:59:59', ['2026-03-29T00:59:59Z']],
    ['Berlin skips two o’clock', 'Europe/Berlin', '2026-03-29T02:00:00', []],
    ['Berlin skips the second before three', 'Europe/Berlin', '2026-03-29T02:59:59', []],
    ['Berlin, after spring forward', 'Europe/Berlin', '2026-03-29T03:00:00', ['2026-03-29T01:00:00Z']],
    ['Berlin, before two comes twice', 'Europe/Berlin', '2026-10-25T01:59:59', ['2026-10-24T23:59:59Z']],
    [
      'Berlin repeats two o’clock',
      'Europe/Berlin',
      '2026-10-25T02:00:00',
      ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z'],
    ],
    ['Berlin, three comes once', 'Europe/Berlin', '2026-10-25T03:00:00', ['2026-10-25T02:00:00Z']],
    ['Lord Howe skips half an hour', 'Australia/Lord_Howe', '2026-10-04T02:29:59', []],
    ['and no more', 'Australia/Lord_Howe', '2026-10-04T02:30:00', ['2026-10-03T15:30:00Z']],
    ['Beirut skips midnight', 'Asia/Beirut', '2026-03-29T00:00:00', []],
    [
      'St. John’s repeats the end of the day before',
      'America/St_Johns',
      '2010-11-06T23:30:00',
      ['2010-11-07T02:00:00Z', '2010-11-07T03:00:00Z'],
    ],
    ['Samoa skips a date', 'Pacific/Apia', '2011-12-30T12:00:00', []],
    [
      'Kwajalein lived a date twice',
      'Pacific/Kwajalein',
      '1969-09-30T12:00:00',
      ['1969-09-30T01:00:00Z', '1969-10-01T00:00:00Z'],
    ],
    ['Manila, when it was furthest behind', 'Asia/Manila', '1840-01-01T00:00:00', ['1840-01-01T15:56:00Z']],
  ])('%s', (_, zone, wallTime, expected) => {
    const instants = new Zone(zone).instantsAt(parseWallTime(wallTime) ?? 0);
    expect(instants.map(formatInstant)).toEqual(expected);
  });

  test('are those that print it, in any zone and year', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone')).map((name) => new Zone(name));
    const wallTimes = fc.integer({ min: parseWallTime('1830-01-01T00:00:00') ?? 0, max: 4_102_444_800 });
    const seen = { skipped: 0, repeated: 0 };
    fc.assert(
      fc.property(zones, wallTimes, fc.integer({ min: -4, max: 4 }), (zone, at, quarters) => {
        // Beside the next change of the clocks, if there is one within half a year.
        let change = at;
        while (change < at + 183 * 86_400 && offsetOf(zone, change) === offsetOf(zone, at)) change += 86_400;
        for (const wallTime of [at, ...wallTimesBeside(zone, change, quarters * 900)]) {
          const instants = zone.instantsAt(wallTime);
          for (const each of instants) expect(zone.format(each).slice(0, 19)).toBe(formatDateTime(wallTime));
          expect(instants).toEqual(instants.toSorted((a, b) => a - b));
          // Nothing is missed: each offset in use around it either gives one of them, or does not
          // print the wall time.
          for (let near = wallTime - 2 * 86_400; near <= wallTime + 2 * 86_400; near += 900) {
            const each = instantOf(wallTime - offsetOf(zone, near));
            expect(instants.includes(each)).toBe(zone.format(each).startsWith(formatDateTime(wallTime)));
          }
          seen.skipped += instants.length === 0 ? 1 : 0;
          seen.repeated += instants.length > 1 ? 1 : 0;
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(seen.skipped, seen.repeated)).toBeGreaterThan(0);
  });

  const offsetOf = (zone: Zone, at: number): number => zone.offsetAt(instantOf(at));

  /**
   * Wall times beside a change of the clocks in the day before an instant: on both sides, where
   * they are skipped or come twice.
   */
  function wallTimesBeside(zone: Zone, before: number, seconds: number): number[] {
    let [from, until] = [before - 86_400, before];
    while (until - from > 1) {
      const middle = Math.floor((from + until) / 2);
      if (offsetOf(zone, middle) === offsetOf(zone, from)) from = middle;
      else until = middle;
    }
    return [until + offsetOf(zone, from) + seconds, until + offsetOf(zone, until) + seconds];
  }
});

describe('when the date changes', () => {
  test.each([
    ['midnight in Moscow', 'Europe/Moscow', '2026-05-01T09:00:00Z', '2026-05-01T21:00:00Z'],
    ['exactly midnight: the next one', 'Europe/Moscow', '2026-05-01T21:00:00Z', '2026-05-02T21:00:00Z'],
    ['a day of 23 hours', 'Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['a day of 25 hours', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    [
      'Beirut skips midnight: the new date begins at one',
      'Asia/Beirut',
      '2026-03-28T12:00:00Z',
      '2026-03-28T22:00:00Z',
    ],
    ['Havana falls back at one, after midnight', 'America/Havana', '2026-10-31T12:00:00Z', '2026-11-01T04:00:00Z'],
    ['Samoa went without 30 December 2011', 'Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-30T10:00:00Z'],
  ])('%s', (_, zone, after, expected) => {
    expect(formatInstant(new Zone(zone).daysFrom(0).nextChange(instant(after)))).toBe(expected);
  });

  test('the date after the one Samoa skipped is really another one', () => {
    const apia = new Zone('Pacific/Apia');
    expect(dayText(apia.daysFrom(0), instant('2011-12-30T09:59:59Z'))).toBe('2011-12-29');
    expect(dayText(apia.daysFrom(0), instant('2011-12-30T10:00:00Z'))).toBe('2011-12-31');
  });

  test('a date that comes back: St. John’s set its clock back at one minute past midnight', () => {
    const zone = new Zone('America/St_Johns');
    const changes = zone.dateChanges(instant('2010-11-06T12:00:00Z'), instant('2010-11-08T00:00:00Z'));
    expect(changes.map((at) => [formatInstant(at), dayText(zone.daysFrom(0), at)])).toEqual([
      ['2010-11-07T02:30:00Z', '2010-11-07'],
      ['2010-11-07T02:31:00Z', '2010-11-06'],
      ['2010-11-07T03:30:00Z', '2010-11-07'],
    ]);
  });

  test('in every zone, over two years, dates change where a look at every quarter of an hour says so', () => {
    for (const name of [
      'Europe/Berlin',
      'America/Sao_Paulo',
      'Asia/Beirut',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Pacific/Apia',
      'America/St_Johns',
    ]) {
      const zone = new Zone(name);
      const from = instant('2010-06-01T00:00:00Z');
      const until = instantOf(from + 730 * 86_400);
      const changes = zone.dateChanges(from, until);
      let next = 0;
      for (let at = from + 900; at <= until; at += 900) {
        const isAnother = zone.dayAt(instantOf(at)) !== zone.dayAt(instantOf(at - 900));
        const first = next;
        while ((changes[next] ?? Infinity) <= at) next += 1;
        if (isAnother && next === first)
          throw new Error(`${name}: a change before ${formatInstant(instantOf(at))} is missing`);
      }
      expect(changes.length).toBeGreaterThanOrEqual(729);
    }
  });
});

describe('days that begin in the night', () => {
  test.each([
    ['five in the morning in Moscow', 'Europe/Moscow', '05:00', '2026-05-01T09:00:00Z', '2026-05-02T02:00:00Z'],
    ['exactly five: the next day', 'Europe/Moscow', '05:00', '2026-05-02T02:00:00Z', '2026-05-03T02:00:00Z'],
    ['the night to summer time', 'Europe/Berlin', '05:00', '2026-03-28T12:00:00Z', '2026-03-29T03:00:00Z'],
    [
      'a start that clocks skip: when they have',
      'Europe/Berlin',
      '02:30',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00:00Z',
    ],
    ['a start that comes twice: the first', 'Europe/Berlin', '02:30', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
    ['the one after it', 'Europe/Berlin', '02:30', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['a skipped midnight', 'Asia/Beirut', '00:30', '2026-03-28T12:00:00Z', '2026-03-28T22:00:00Z'],
    ['30 December 2011 never began in Samoa', 'Pacific/Apia', '05:00', '2011-12-29T15:00:00Z', '2011-12-30T15:00:00Z'],
  ])('%s', (_, zone, start, after, expected) => {
    const days = new Zone(zone).daysFrom(secondsOfTime(start));
    expect(formatInstant(days.nextChange(instant(after)))).toBe(expected);
    const day = days.dayAt(instant(after));
    expect(days.dayAt(instantOf(instant(expected) - 1))).toBe(day);
    expect(days.dayAt(instant(expected))).toBeGreaterThan(day);
  });

  test('a time that clocks show again once the day has begun belongs to it', () => {
    const days = new Zone('Europe/Berlin').daysFrom(secondsOfTime('02:30'));
    // 02:10, before the clocks are set back and after.
    expect(dayText(days, instant('2026-10-25T00:10:00Z'))).toBe('2026-10-24');
    expect(dayText(days, instant('2026-10-25T01:10:00Z'))).toBe('2026-10-25');
  });

  test('a date that comes back has begun', () => {
    const days = new Zone('America/St_Johns').daysFrom(secondsOfTime('00:01'));
    expect(dayText(days, instant('2010-11-07T02:30:59Z'))).toBe('2010-11-06');
    // 23:01 on the 6th, by the clocks, until it is midnight again.
    expect(dayText(days, instant('2010-11-07T02:31:00Z'))).toBe('2010-11-06');
    expect(dayText(days, instant('2010-11-07T03:31:00Z'))).toBe('2010-11-07');
  });

  test('in every zone each day lasts until the next, and no other instant changes it', () => {
    for (const name of ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      for (const start of ['00:10', '02:30', '06:00']) {
        const days = new Zone(name).daysFrom(secondsOfTime(start));
        const from = instant('2011-01-01T00:00:00Z');
        const until = instantOf(from + 400 * 86_400);
        const changes = new Set<number>(days.changes(from, until));
        let last = days.dayAt(from);
        for (let at = from + 300; at <= until; at += 300) {
          const day = days.dayAt(instantOf(at));
          if ((day !== last) !== changes.has(at)) throw new Error(`${name} ${start}: ${formatInstant(instantOf(at))}`);
          last = day;
        }
        expect(changes.size).toBeGreaterThan(390);
      }
    }
  });
});

describe('today, tomorrow and weekend', () => {
  const dayOf = (text: string): number =>
    dayNumberOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))) ?? 0;
  test.each([
    ['Friday: the weekend is the next two days', '2026-05-01', '67', '2026-05-02', '2026-05-03'],
    ['Saturday: it has begun', '2026-05-02', '67', '2026-05-02', '2026-05-03'],
    ['Sunday: it is still the same one, its Saturday included', '2026-05-03', '67', '2026-05-02', '2026-05-03'],
    ['Monday: the next one', '2026-05-04', '67', '2026-05-09', '2026-05-10'],
    ['Friday and Saturday', '2026-05-03', '56', '2026-05-08', '2026-05-09'],
    ['Friday alone', '2026-05-01', '5', '2026-05-01', '2026-05-01'],
    ['Sunday and Monday are one run across the week’s end', '2026-05-04', '17', '2026-05-03', '2026-05-04'],
    ['the next such run begins on Sunday', '2026-05-05', '17', '2026-05-10', '2026-05-11'],
    ['two runs in a week: the nearer one', '2026-05-04', '36', '2026-05-06', '2026-05-06'],
    ['two runs in a week: the one that contains the day', '2026-05-09', '36', '2026-05-09', '2026-05-09'],
    ['six days: the seventh is a weekday before the next run', '2026-05-04', '234567', '2026-05-05', '2026-05-10'],
  ])('%s', (_, today, weekendDays, first, last) => {
    const days = frontDaysAt(new Zone('UTC').daysFrom(0), weekendDays, instantOf(dayOf(today) * 86_400));
    expect([dateTextOf(days.weekendFrom), dateTextOf(days.weekendUntil - 1)]).toEqual([first, last]);
    expect(days.tomorrow).toBe(days.today + 1);
  });
});

describe('which zones are known', () => {
  test.each(['UTC', 'Europe/Kyiv', 'Europe/Kiev', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])(
    '%s is',
    (name) => {
      expect(isKnownZone(name)).toBe(true);
    },
  );
  test.each(['+03:00', '-0300', 'Mars/Olympus', '', ' UTC', 'Europe/Berlin ', '03:00'])('%j is not', (name) => {
    expect(isKnownZone(name)).toBe(false);
  });
});

test('weekdays: 1 May 2026 is a Friday, 1 January 1970 a Thursday, 1 January 0001 a Monday', () => {
  expect(isoWeekdayOf(dayNumberOf(2026, 5, 1) ?? 0)).toBe(5);
  expect(isoWeekdayOf(0)).toBe(4);
  expect(isoWeekdayOf(dayNumberOf(1, 1, 1) ?? 0)).toBe(1);
});
