// Which releases stay (snapshot.md, step 6): the rules as tables, by hand; and what pruning again
// and again may not lose.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { DEFAULT_KEEP, releasesKept, type Dated, type RetentionOptions } from '../../src/release/history/retention.ts';
import { instant } from '../support/trees.ts';
import { NO_GRACE } from '../support/trees.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** A release whose id is its instant. */
const releaseAt = (text: string): Dated => ({ id: text, now: instant(text) });

/** Releases every so many seconds, the last one at `until`; oldest first. */
function releasesEvery(seconds: number, total: number, until: string): Dated[] {
  return Array.from({ length: total }, (_, i) =>
    releaseAt(formatInstant(instantOf(instant(until) - (total - 1 - i) * seconds))),
  );
}

/** What is kept, oldest first, as `id reason`. */
function keptOf(releases: readonly Dated[], options: Partial<RetentionOptions> = {}): string[] {
  const currentId = releases.at(-1)?.id ?? null;
  const kept = releasesKept(releases, { keep: DEFAULT_KEEP, currentId, ...options });
  return [...kept].map(([id, reason]) => `${id} ${reason}`).sort();
}

describe('which releases are kept', () => {
  test('of none, none', () => expect(keptOf([])).toEqual([]));

  test('of ten, all, be they years apart', () => {
    const releases = releasesEvery(400 * DAY, 10, '2026-05-01T09:00:00Z');
    expect(keptOf(releases).map((line) => line.slice(21))).toEqual([...Array<string>(9).fill('recent'), 'current']);
  });

  test('of eleven years apart, the first goes', () => {
    const releases = releasesEvery(400 * DAY, 11, '2026-05-01T09:00:00Z');
    expect(keptOf(releases)).toHaveLength(10);
    expect(keptOf(releases).join()).not.toContain(releases[0]?.id);
  });

  test('the last one that was told is kept, whatever its age', () => {
    const releases = releasesEvery(400 * DAY, 11, '2026-05-01T09:00:00Z');
    const notifiedId = releases[0]?.id ?? null;
    expect(keptOf(releases, { notifiedId })).toContain(`${notifiedId} notified`);
    expect(keptOf(releases, { notifiedId: releases[10]?.id ?? null })).toEqual(keptOf(releases));
  });

  test('every five minutes: the last ten, twelve superseded within the hour, the last of each hour and of each day', () => {
    const releases = releasesEvery(5 * MINUTE, 10 * 288, '2026-05-11T09:40:00Z');
    const hours = (day: string, from: number, until: number): string[] =>
      Array.from({ length: until - from }, (_, i) => `2026-05-${day}T${String(from + i).padStart(2, '0')}:55:00Z`);
    expect(keptOf(releases)).toEqual([
      // The last of each day: that of 4 May is 6 days and 10 hours old.
      ...['04', '05', '06', '07', '08', '09'].map((day) => `2026-05-${day}T23:55:00Z daily`),
      // The last of each hour: that of 9 o'clock yesterday is 23 hours and 45 minutes old, that of
      // 8 o'clock more than a day.
      ...hours('10', 9, 24).map((id) => `${id} hourly`),
      ...hours('11', 0, 8).map((id) => `${id} hourly`),
      // 8:40 was superseded at 8:45, less than an hour ago; 8:35 at 8:40, an hour ago.
      ...['08:40', '08:45', '08:50'].map((time) => `2026-05-11T${time}:00Z grace`),
      ...['08:55', '09:00', '09:05', '09:10', '09:15', '09:20', '09:25', '09:30', '09:35'].map(
        (time) => `2026-05-11T${time}:00Z recent`,
      ),
      '2026-05-11T09:40:00Z current',
    ]);
  });

  test.each([
    ['0', 0, 0],
    ['an hour', HOUR, 12 - 9],
    ['six hours', 6 * HOUR, 6 * 12 - 9],
  ])('a grace of %s', (_, graceSeconds, total) => {
    const releases = releasesEvery(5 * MINUTE, 300, '2026-05-11T09:40:00Z');
    expect(
      keptOf(releases, { keep: { ...DEFAULT_KEEP, graceSeconds } }).filter((line) => line.endsWith('grace')),
    ).toHaveLength(total);
  });

  test.each([
    ['the last three', { last: 3, hourly: 0, daily: 0 }, ['09:30', '09:35', '09:40']],
    ['the current one, and one for each of two hours', { last: 1, hourly: 2, daily: 0 }, ['07:55', '08:55', '09:40']],
    ['one for each of two days', { last: 1, hourly: 0, daily: 2 }, ['23:55', '09:40']],
  ])('little history: %s', (_, little, times) => {
    const releases = releasesEvery(5 * MINUTE, 300, '2026-05-11T09:40:00Z');
    const kept = keptOf(releases, { keep: { ...little, graceSeconds: 0 } });
    expect(kept.map((line) => line.slice('2026-05-11T'.length, '2026-05-11T09:40'.length))).toEqual(times);
  });

  test('the age of a day and of a week are counted to the second', () => {
    const at = (text: string): string[] => {
      const filler = releasesEvery(1, 10, '2026-05-08T09:00:00Z');
      return keptOf([releaseAt(text), ...filler], { keep: NO_GRACE }).filter((line) => line.startsWith(text));
    };
    expect(at('2026-05-07T09:00:01Z')).toEqual(['2026-05-07T09:00:01Z hourly']);
    expect(at('2026-05-07T09:00:00Z')).toEqual(['2026-05-07T09:00:00Z daily']);
    expect(at('2026-05-01T09:00:01Z')).toEqual(['2026-05-01T09:00:01Z daily']);
    expect(at('2026-05-01T09:00:00Z')).toEqual([]);
  });

  test('releases of one and the same now: the one in force stays, and ten in all', () => {
    const releases = Array.from({ length: 30 }, (_, i) => ({
      id: String(i).padStart(2, '0'),
      now: instant('2026-05-01T09:00:00Z'),
    }));
    const kept = releasesKept(releases, { keep: NO_GRACE, currentId: '03' });
    expect(kept.get('03')).toBe('current');
    expect(kept.size).toBe(11);
    // Superseded at the same instant, so no second ago.
    expect(releasesKept(releases, { keep: { ...NO_GRACE, graceSeconds: 1 }, currentId: '03' }).size).toBe(30);
  });

  test('nothing in force that is known: counted from the newest', () => {
    const releases = releasesEvery(DAY, 30, '2026-05-01T09:00:00Z');
    expect(keptOf(releases, { currentId: null })).toHaveLength(10);
    expect(keptOf(releases, { currentId: 'gone' })).toHaveLength(10);
  });
});

describe('after going back', () => {
  const releases = releasesEvery(5 * MINUTE, 10 * 288, '2026-05-11T09:40:00Z');
  const idsOf = (lines: readonly string[]): string[] => lines.map((line) => line.slice(0, 20));
  const before = idsOf(keptOf(releases));

  test('an older release in force takes nothing from what was kept, and is kept itself', () => {
    for (const currentId of ['2026-05-11T09:35:00Z', '2026-05-10T12:55:00Z', '2026-05-04T23:55:00Z']) {
      const after = keptOf(releases, { currentId });
      expect(idsOf(after)).toEqual(expect.arrayContaining(before));
      expect(after).toContain(`${currentId} current`);
    }
  });

  test('one build years ahead, by a wrong clock, does not make the others old', () => {
    const currentId = releases.at(-1)?.id ?? '';
    const mistaken = releaseAt('2062-05-11T09:40:00Z');
    const after = keptOf([...releases, mistaken], { currentId });
    expect(idsOf(after)).toEqual([...before, mistaken.id]);
  });
});

test('pruning after every build keeps at least what pruning once at the end would, and hardly more', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 30 * HOUR })), {
        minLength: 1,
        maxLength: 300,
      }),
      fc.record({
        last: fc.integer({ min: 1, max: 10 }),
        hourly: fc.nat({ max: 24 }),
        daily: fc.nat({ max: 7 }),
        graceSeconds: fc.constantFrom(0, HOUR, 6 * HOUR),
      }),
      (gaps, keep) => {
        const all: Dated[] = [];
        let held: Dated[] = [];
        let now: number = instant('2026-05-01T09:00:00Z');
        for (const gap of gaps) {
          now += gap;
          const release = { id: formatInstant(instantOf(now)), now: instantOf(now) };
          all.push(release);
          const options = { keep, currentId: release.id };
          const kept = releasesKept([...held, release], options);
          held = [...held, release].filter(({ id }) => kept.has(id));
          const atOnce = releasesKept(all, options);
          expect(held.map(({ id }) => id)).toEqual(expect.arrayContaining([...atOnce.keys()]));
          const inGrace = all.filter((_, i) => now - (all[i + 1]?.now ?? now) < keep.graceSeconds).length;
          // So many hours ago may be one more hour of the clock; likewise for days.
          expect(held.length).toBeLessThanOrEqual(keep.last + keep.hourly + 1 + keep.daily + 1 + inGrace + 1);
        }
      },
    ),
    { numRuns: 40, seed: 20260501 },
  );
});
