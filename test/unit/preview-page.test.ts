// The parts of the preview's page that need no browser: descriptions, colours, text, addresses.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../src/catalogue/instant.ts';
import { contrastOf, readableOn } from '../../src/preview/page/colour.ts';
import { viewStateOf, queryOf, type ViewState } from '../../src/preview/page/view-state.ts';
import { tickAfter, tickBefore, sceneOf } from '../../src/preview/page/scene.ts';
import { httpsUrl, initialOf, LENGTH_MAX, nameOf, runsFromRight, shown } from '../../src/preview/page/text.ts';
import {
  dateText,
  describeDropped,
  durationText,
  moneyOf,
  sessionText,
  zoneOf,
} from '../../src/preview/page/descriptions.ts';
import { TABS } from '../../src/preview/page/arrangement.ts';
import { instant } from '../support/trees.ts';
import { anyCharacter } from '../support/any-character.ts';

describe('descriptions', () => {
  test.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [3600, '1 h'],
    [20_400, '5 h 40 min'],
    [86_400, '1 d'],
    [93_600, '1 d 2 h'],
  ])('%d seconds are %s', (seconds, words) => expect(durationText(seconds)).toBe(words));

  test.each([
    ['2026-05-01T19:00:00+03:00', 'Fri 1 May', '19:00', null],
    ['2026-05-02T00:30:00+10:00', 'Sat 2 May', '00:30', 'UTC+10'],
    ['2026-05-02T00:30:20+05:30', 'Sat 2 May', '00:30:20', 'UTC+5:30'],
    ['2026-05-01T12:00:00-04:00', 'Fri 1 May', '12:00', 'UTC-4'],
    ['2027-01-01T12:00:00+03:00', 'Fri 1 Jan 2027', '12:00', null],
  ])('a session at %s on a front in Moscow', (start, date, time, offset) => {
    expect(sessionText(start, zoneOf('Europe/Moscow'), '2026-05-01')).toEqual({ date, time, offset });
  });

  test.each([
    ['RUB', 500, 'from ₽500'],
    ['RUB', 1234.1, 'from ₽1,234.10'],
    ['JPY', 3500, 'from ¥3,500'],
    ['KWD', 5.25, 'from KWD 5.250'],
    ['EUR', 0, 'Free'],
    [null, 1234.5, 'from 1,234.5'],
    ['EUR', 999_999_999_999.99, 'from €999,999,999,999.99'],
  ])('%s %d is %s', (currency, amount, words) => {
    expect(moneyOf(currency)(amount).replaceAll('\u00A0', ' ')).toBe(words);
  });

  test('a date is named', () => expect(dateText('2028-02-29T10:00:00Z')).toBe('Tuesday, 29 February 2028'));

  test('reasons come in their order, without those that count nothing', () => {
    const words = [
      ['not published', 2],
      ['with all sessions over', 1],
    ];
    expect(describeDropped({ over: 1, 'not-published': 2, excluded: 0 })).toEqual(words);
  });

  test('an unknown zone is UTC', () => expect(zoneOf('Mars/Olympus').name).toBe('UTC'));
});

test('text on a badge can be read on any colour', () => {
  const colour = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (background) => {
      expect(contrastOf(background, readableOn(background))).toBeGreaterThan(4.5);
    }),
    { seed: 1, numRuns: 2000 },
  );
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
  // Two values from the examples of WCAG's own tools.
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

describe('text', () => {
  test('is cut, without invalid characters and direction marks', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 700 }), (text) => {
        const words = shown(text);
        expect(words.length).toBeLessThanOrEqual(LENGTH_MAX + 1);
        expect(words).not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
      }),
      { seed: 1 },
    );
    expect(shown('Музей\u00A0бумаги')).toBe('Музей\u00A0бумаги');
  });

  test.each([
    ['https://a.example/b.jpg', 'https://a.example/b.jpg'],
    ['HTTPS://A.example', 'https://a.example/'],
    ['http://a.example/', null],
    ['//a.example/', null],
    ['javascript:alert(1)', null],
    [' https://a.example/', null],
    ['https://user@a.example/', null],
    ['https://[', null],
    [null, null],
  ])('%s as a link is %s', (text, url) => expect(httpsUrl(text)).toBe(url));

  test.each([
    ['«Чайка»', 'Ч', false],
    ['حكايات', 'ح', true],
    ['(עברית)', 'ע', true],
    ['2026', '2', false],
    ['…', '·', false],
  ])('%s begins with %s', (name, initial, isFromRight) => {
    expect([initialOf(name), runsFromRight(name)]).toEqual([initial, isFromRight]);
  });

  test('instead of an invisible name the slug is shown', () => {
    expect(nameOf({ name: ' \u200B', slug: 'the-slug' })).toBe('the-slug');
    expect(nameOf({ name: 'Hamlet', slug: 'the-slug' })).toBe('Hamlet');
  });
});

test('an address restores its view state', () => {
  const state: fc.Arbitrary<ViewState> = fc.record({
    front: fc.option(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)),
    release: fc.constantFrom('in-force', '0123456789abcdef'),
    beside: fc.option(fc.constantFrom('in-force', '0123456789abcdef')),
    at: fc.option(fc.integer({ min: 0, max: 4_000_000_000 }).map(instantOf)),
    tab: fc.constantFrom(...TABS),
  });
  fc.assert(
    fc.property(state, (one) => {
      expect(viewStateOf(queryOf(one))).toEqual(one);
    }),
    { seed: 1 },
  );
});

describe('the scene', () => {
  const entry = (time: string, digit: string): string => `2026-05-01T${time}Z ${digit.repeat(16)}`;
  const pointer = {
    schema: 1 as const,
    front: 'a',
    now: '2026-05-01T09:00:00Z',
    validUntil: '2026-05-01T15:00:00Z',
    today: '2026-05-01',
    timezone: 'UTC',
    products: [entry('09:00:00', 'a'), entry('10:00:00', 'b'), entry('12:00:00', 'c')],
    categories: [entry('09:00:00', 'd')],
  };
  const release = { id: 'in-force', fronts: [{ front: 'a', pointer, problem: null, record: null }] };
  const state: ViewState = { front: null, release: 'in-force', beside: null, at: null, tab: 'all' };

  test.each([
    ['2026-05-01T08:00:00Z', 0, '2026-05-01T09:00:00Z', 'early'],
    ['2026-05-01T09:59:59Z', 0, '2026-05-01T09:59:59Z', 'right'],
    ['2026-05-01T10:00:00Z', 1, '2026-05-01T10:00:00Z', 'right'],
    ['2026-05-01T14:59:59Z', 2, '2026-05-01T14:59:59Z', 'right'],
    ['2026-05-01T15:00:00Z', 2, '2026-05-01T14:59:59Z', 'stale'],
  ])('at %s it is edition %d', (now, index, at, timeliness) => {
    const scene = sceneOf(state, release, null, instant(now));
    expect(scene?.sides[0]).toMatchObject({ index, timeliness });
    expect(scene?.at).toBe(instant(at));
  });

  test('the clock goes to the change before and after any instant, and to the ends where there is none', () => {
    const timeline = sceneOf(state, release, null, instant(pointer.now))?.timeline;
    if (timeline === undefined) throw new Error('no scene');
    expect(tickAfter(timeline, instant('2026-05-01T09:00:00Z'))).toBe(instant('2026-05-01T10:00:00Z'));
    expect(tickAfter(timeline, instant('2026-05-01T12:00:00Z'))).toBe(instant('2026-05-01T14:59:59Z'));
    expect(tickBefore(timeline, instant('2026-05-01T12:00:00Z'))).toBe(instant('2026-05-01T10:00:00Z'));
    expect(tickBefore(timeline, instant('2026-05-01T10:00:00Z'))).toBe(instant('2026-05-01T09:00:00Z'));
  });
});
