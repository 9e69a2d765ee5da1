// The parts of the preview's page that need no browser: descriptions, colours, text, addresses.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import type { ProductCard, ProductsDocument } from '../../src/contract/documents.ts';
import type { FrontChanges } from '../../src/contract/results/history.ts';
import { frontChangesParts } from '../../src/release/diff/changes-text.ts';
import { tickHeight, timeMarks } from '../../src/preview/page/clock/time-marks.ts';
import type { FrontAlarms } from '../../src/preview/messages.ts';
import { alarmsOf } from '../../src/preview/page/text/alarms.ts';
import { changeText } from '../../src/preview/page/text/change-text.ts';
import { changesOf } from '../../src/preview/page/text/changes.ts';
import { buildCommand, explainCommand } from '../../src/preview/page/text/commands.ts';
import { sectionsOf } from '../../src/preview/page/text/explanation.ts';
import { contrastOf, readableOn } from '../../src/preview/page/text/colour.ts';
import { axisOf, layoutOf } from '../../src/preview/page/map/layout.ts';
import { rowsOf } from '../../src/preview/page/map/day-rows.ts';
import type { DayProduct } from '../../src/preview/messages.ts';
import { MAP_ROWS, viewStateOf, queryOf, VIEWS, type ViewState } from '../../src/preview/page/state/view-state.ts';
import { tickAfter, tickBefore, sceneOf } from '../../src/preview/page/state/scene.ts';
import { httpsUrl, LENGTH_MAX, nameOf, runsFromRight, shown } from '../../src/preview/page/text/safe-text.ts';
import {
  dateText,
  describeDropped,
  durationText,
  instantAt,
  moneyOf,
  sessionText,
  zoneClockText,
  zoneOf,
} from '../../src/preview/page/text/descriptions.ts';
import { arrange, linesOf } from '../../src/preview/page/front/arrangement.ts';
import { pairsOf } from '../../src/preview/page/front/pairs.ts';
import { FLAGS, found, foundMissing, NO_SEARCH, TABS, type Search } from '../../src/preview/page/front/search.ts';
import { COLUMNS, listedProducts, sorted } from '../../src/preview/page/front/sorting.ts';
import { indexesOf } from '../../src/preview/page/state/use-virtual.ts';
import { markdownOf } from '../../src/preview/page/text/markdown.ts';
import { sideTitles } from '../../src/preview/page/text/side-titles.ts';
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
      { code: 'not-published', reason: 'not published', count: 2 },
      { code: 'over', reason: 'all sessions over', count: 1 },
    ];
    expect(describeDropped({ over: 1, 'not-published': 2, excluded: 0 })).toEqual(words);
  });

  test.each([
    ['2026-10-24T23:59:59Z', '01:59:59'],
    ['2026-10-25T00:30:00Z', '02:30 +02:00'],
    ['2026-10-25T01:30:00Z', '02:30 +01:00'],
    ['2026-10-25T02:00:00Z', '03:00'],
  ])('as clocks in Berlin are set back, %s is %s', (at, text) => {
    expect(zoneClockText(zoneOf('Europe/Berlin'), instant(at))).toBe(text);
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
    ['«Чайка»', false],
    ['حكايات', true],
    ['(עברית)', true],
    ['2026', false],
    ['…', false],
  ])('%s runs from the right: %s', (name, isFromRight) => expect(runsFromRight(name)).toBe(isFromRight));

  test('instead of an invisible name the slug is shown', () => {
    expect(nameOf({ name: ' \u200B', slug: 'the-slug' })).toBe('the-slug');
    expect(nameOf({ name: 'Hamlet', slug: 'the-slug' })).toBe('Hamlet');
  });
});

test('an address restores its view state', () => {
  const slug = fc.option(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/));
  const at = fc.option(fc.integer({ min: 0, max: 4_000_000_000 }).map(instantOf));
  const state: fc.Arbitrary<ViewState> = fc.record({
    front: slug,
    release: fc.constantFrom('current', '0123456789abcdef'),
    beside: fc.option(fc.constantFrom('current', '0123456789abcdef')),
    at,
    from: at,
    isAll: fc.boolean(),
    view: fc.constantFrom(...VIEWS),
    rows: fc.constantFrom(...MAP_ROWS),
    session: slug,
    sort: fc.option(fc.record({ column: fc.constantFrom(...COLUMNS), isDescending: fc.boolean() })),
    tab: fc.constantFrom(...TABS),
    query: fc.string(),
    only: fc.option(fc.constantFrom(...FLAGS)),
    group: slug,
    category: slug,
    tag: slug,
    badge: slug,
    card: slug,
    missing: slug,
  });
  fc.assert(
    fc.property(state, (one) => {
      expect(viewStateOf(queryOf(one))).toEqual(one);
    }),
    { seed: 1 },
  );
  expect(queryOf(viewStateOf(''))).toBe('');
});

describe('the map', () => {
  const at = (hour: number): string => formatInstant(instantOf(instant('2026-05-01T00:00:00Z') + hour * 3600));
  const product = (...hours: readonly (readonly [from: number, until: number | null])[]): DayProduct => ({
    productId: 1,
    slug: 'play',
    name: 'Play',
    sessions: hours.map(([from, until], i) => ({
      id: String(i),
      start: `${at(from).slice(0, -1)}+00:00`,
      end: until === null ? null : at(until),
      venueId: String(i % 2),
      venue: i % 2 === 0 ? 'Hall' : 'Attic',
      available: null,
      isAllocated: false,
      states: [{ from: at(0), state: 'on-sale', priceFrom: null }],
    })),
  });
  const timeline = { first: instant('2026-05-01T12:00:00Z'), last: instant('2026-05-01T17:59:59Z'), ticks: [] };
  const laidOut = (...hours: readonly (readonly [number, number | null])[]) => {
    const frontState = 'active' as const;
    const day = { from: at(0), until: at(24), frontState, products: [product(...hours)], leftOut: 0 };
    const rows = rowsOf(day.products, 'products');
    const axis = axisOf(day, rows, timeline);
    const [row] = rows;
    const layout = layoutOf(row?.kind === 'product' ? row.sessions : [], axis, 1000);
    return { axis: [formatInstant(axis.from), formatInstant(axis.until)], ...layout };
  };

  test('spans the whole hours of the sessions and of the slider, and of a night some of the next day', () => {
    expect(laidOut([13, 14]).axis).toEqual([at(12), at(18)]);
    expect(laidOut([10.5, 12], [19, 21.25]).axis).toEqual([at(10), at(22)]);
    expect(laidOut([22, 25.5]).axis).toEqual([at(12), at(26)]);
    expect(laidOut([22, 96]).axis).toEqual([at(12), at(28)]);
  });

  test('sessions that overlap stand in lines of their own; of many, each ends where the next begins', () => {
    const { bars, lanes } = laidOut([10, 12], [11, 13], [12, 14]);
    expect([lanes, bars.map(({ lane }) => lane)]).toEqual([2, [0, 1, 0]]);
    const slots = laidOut([10, 12], [10.5, 12.5], [11, 13], [11.5, 13.5]);
    expect(slots.lanes).toBe(1);
    for (const [i, { left, width }] of slots.bars.entries())
      expect(left + width).toBeLessThanOrEqual(slots.bars[i + 1]?.left ?? 1000);
    // The last one lasts as long as it does.
    expect(slots.bars[3]?.width).toBe(249);
  });

  test('rows stand under venues, each product once in each of its venues', () => {
    const rows = rowsOf([product([10, 11], [12, 13]), { ...product([14, null]), slug: 'other' }], 'venues');
    expect(rows.map((row) => (row.kind === 'venue' ? `${row.name} ${row.count}` : row.slug))).toEqual([
      'Attic 1',
      'play',
      'Hall 2',
      'play',
      'other',
    ]);
  });
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
  const release = { id: 'current', fronts: [{ front: 'a', pointer, problem: null, record: null }] };
  const state = viewStateOf('');

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
    expect(scene?.chosen).toBe(instant(now));
  });

  test.each(['older', 'newer'])(
    'of two releases the older one is on the left, though the %s one was chosen',
    (chosen) => {
      const older = { ...pointer, now: '2026-05-01T08:00:00Z' };
      const releases = [
        { id: 'newer', fronts: release.fronts },
        { id: 'older', fronts: [{ front: 'a', pointer: older, problem: null, record: null }] },
      ].sort(({ id }) => (id === chosen ? -1 : 1));
      const [own, other] = releases;
      if (own === undefined || other === undefined) throw new Error('two releases');
      const scene = sceneOf(state, own, other, instant(pointer.now));
      const [one, two] = scene?.sides ?? [];
      expect([one?.release, two?.release]).toEqual(['older', 'newer']);
      if (one !== undefined && two !== undefined)
        expect(sideTitles([one, two])).toEqual(['release older', 'release newer']);
    },
  );

  test('of two instants the earlier one is on the left, each with its own edition', () => {
    const titlesOf = (from: string, at: string) => {
      const scene = sceneOf({ ...state, from: instant(from), at: instant(at) }, release, null, instant(pointer.now));
      const [one, other] = scene?.sides ?? [];
      if (one === undefined || other === undefined) throw new Error('two sides');
      return [[one.index, other.index], sideTitles([one, other])];
    };
    const both = [
      [0, 2],
      ['09:00', '12:00'],
    ];
    expect(titlesOf('2026-05-01T09:00:00Z', '2026-05-01T12:00:00Z')).toEqual(both);
    expect(titlesOf('2026-05-01T12:00:00Z', '2026-05-01T09:00:00Z')).toEqual(both);
    expect(titlesOf('2026-05-01T12:00:00Z', '2026-05-02T12:00:00Z')).toEqual([
      [2, 2],
      ['Fri 1 May 12:00', 'Sat 2 May 12:00'],
    ]);
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

const card: ProductCard = {
  productId: 1,
  slug: 'hamlet',
  name: 'Hamlet',
  ageRating: 12,
  saleSchema: 2,
  featured: false,
  banner: false,
  pushka: false,
  paused: false,
  soldOut: false,
  nextScheduleSlot: '2026-05-01T10:00:00+03:00',
  multiScheduleSlots: true,
  imageUrl: null,
  altText: null,
  copyright: null,
  copyrightUrl: null,
  inventoryItemName: 'Stage',
  multiInventoryItems: false,
  priceFrom: 500,
  badges: [],
  groups: [],
  todaySlot: '2026-05-01T10:00:00+03:00',
  todayMultiScheduleSlots: true,
  tomorrowSlot: null,
  tomorrowMultiScheduleSlots: null,
  weekendSlot: null,
  weekendMultiScheduleSlots: null,
};
const documentOf = (...productCards: ProductCard[]): ProductsDocument => ({
  productCards,
  categories: [],
  groups: [],
  tags: [],
  badges: [{ id: 1, slug: 'hit', name: 'A hit', color: '#ff0000' }],
});

describe('changes in words', () => {
  const units = { zone: zoneOf('Europe/Moscow'), today: '2026-05-01', money: moneyOf('EUR') };
  const wordsOf = (change: Partial<ProductCard>): readonly string[] => {
    const changes = changesOf(documentOf(card), documentOf({ ...card, ...change }), units);
    expect(changes.summary).toBe('1 card changed');
    expect(changes.byProduct.get(1)).toBe(changes.list[0]?.texts.join(' · '));
    return changes.list[0]?.texts ?? [];
  };
  const later = '2026-05-01T10:30:00+03:00';

  test.each<[Partial<ProductCard>, string[]]>([
    [{ nextScheduleSlot: later, todaySlot: later }, ['Nearest session 10:00 → 10:30']],
    [
      { nextScheduleSlot: '2026-05-02T12:00:00+03:00', todaySlot: null, todayMultiScheduleSlots: null },
      ['Nearest session Fri 1 May, 10:00 → Sat 2 May, 12:00', 'Today 10:00 → none'],
    ],
    [{ todayMultiScheduleSlots: false }, ['Today: the last time']],
    [{ priceFrom: 600.5 }, ['Price from €500 → from €600.50']],
    [{ priceFrom: null, soldOut: true }, ['Sold out', 'Price from €500 → none']],
    [{ badges: ['hit'] }, ['Badge “A hit” added']],
    [{ groups: [{ slug: 'main', sortWeight: 1 }] }, ['Group “main” added']],
    [{ inventoryItemName: 'Hall' }, ['Venue Stage → Hall']],
  ])('%o', (change, words) => expect(wordsOf(change)).toEqual(words));

  test('every field of a card has words', () => {
    for (const [field, value] of Object.entries(card)) {
      if (field === 'productId') continue;
      const other =
        typeof value === 'boolean'
          ? !value
          : typeof value === 'number'
            ? value + 1
            : Array.isArray(value)
              ? [field === 'groups' ? { slug: 'main', sortWeight: 1 } : 'hit']
              : field.endsWith('Slot')
                ? later
                : field.includes('Multi')
                  ? true
                  : 'other';
      const words = wordsOf({ [field]: other });
      expect(words.length, field).toBeGreaterThan(0);
      expect(words, field).not.toEqual(['Its place in a group']);
    }
  });

  test('new and gone cards are counted', () => {
    const changes = changesOf(documentOf(card), documentOf({ ...card, productId: 2 }), units);
    expect(changes.summary).toBe('1 card new, 1 gone');
    expect(changes.list.map(({ productId, texts }) => [productId, texts])).toEqual([
      [null, ['Gone']],
      [2, ['New']],
    ]);
  });
});

describe('marks of time', () => {
  const marksOf = (from: string, until: string, zone = 'UTC') =>
    timeMarks({ first: instant(from), last: instant(until), ticks: [] }, zoneOf(zone));

  test('whole hours of the front, where they are', () => {
    const marks = marksOf('2026-05-01T09:05:00Z', '2026-05-01T12:59:59Z', 'Asia/Kolkata');
    expect(marks.map(({ at, text }) => [at, text])).toEqual([
      [instant('2026-05-01T09:30:00Z'), '15:00'],
      [instant('2026-05-01T10:30:00Z'), '16:00'],
      [instant('2026-05-01T11:30:00Z'), '17:00'],
      [instant('2026-05-01T12:30:00Z'), '18:00'],
    ]);
  });

  test('a midnight has its date, on the day that the clocks go forward too', () => {
    const marks = marksOf('2026-03-28T21:00:00Z', '2026-03-29T21:59:59Z', 'Europe/Berlin');
    const midnights = marks.filter(({ isMidnight }) => isMidnight);
    expect(midnights.map(({ at, text }) => [at, text])).toEqual([[instant('2026-03-28T23:00:00Z'), 'Sun 29 Mar']]);
  });

  test.each([1, 6, 24, 72, 720])('of %d hours there are at most 13', (hours) => {
    const first = instant('2026-05-01T00:00:00Z');
    const marks = timeMarks({ first, last: instantOf(first + hours * 3600), ticks: [] }, zoneOf('UTC'));
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.length).toBeLessThanOrEqual(13);
  });

  test('more changes make a taller tick', () => {
    const heights = [0, 1, 4, 30, 10_000].map(tickHeight);
    expect(heights).toEqual([...heights].sort((a, b) => a - b));
    expect(heights.at(-1)).toBe(1);
  });
});

test('what explain prints is taken apart: sessions and prices first, lines unfolded', () => {
  const text = [
    '"A" (a) on b at Fri 2026-05-01 12:00 (UTC): it has a',
    '  card.',
    'Rules:',
    '  yes front b is active',
    'Prices:',
    '  5 EUR, tier 1 "T", default:',
    '      this is priceFrom',
    'Sessions:',
    '  Fri 2026-05-01',
    'Next change: none within a year, by the',
    '  clock alone.',
  ].join('\n');
  expect(sectionsOf(text)).toEqual([
    { title: '"A" (a) on b at Fri 2026-05-01 12:00 (UTC): it has a card.', lines: [] },
    { title: 'Sessions', lines: ['Fri 2026-05-01'] },
    { title: 'Prices', lines: ['5 EUR, tier 1 "T", default: this is priceFrom'] },
    { title: 'Rules', lines: ['yes front b is active'] },
    { title: 'Next change: none within a year, by the clock alone.', lines: [] },
  ]);
});

test('a command can be pasted: words that a shell would read are quoted', () => {
  const places = { root: "it's out", database: 'data/catalogue.sqlite' };
  expect(buildCommand(places)).toBe(String.raw`playbill build --out 'it'\''s out'`);
  expect(buildCommand({ root: 'out', database: 'x.sqlite' })).toBe('playbill build --db x.sqlite');
  expect(explainCommand(places, 'a', '$(b)', instant('2026-05-01T09:00:00Z'))).toBe(
    "playbill explain --front a --product '$(b)' --at 2026-05-01T09:00:00Z",
  );
});

describe('the products', () => {
  const cards: readonly ProductCard[] = [
    { ...card, productId: 1, slug: 'a', name: 'Ärger', groups: [{ slug: 'top', sortWeight: 2 }], soldOut: true },
    { ...card, productId: 2, slug: 'b', name: 'Zorn', priceFrom: null, banner: true },
    { ...card, productId: 3, slug: 'c', name: 'Apfel', todaySlot: null, priceFrom: 5 },
    {
      ...card,
      productId: 4,
      slug: 'd',
      name: 'Mut',
      groups: [
        { slug: 'more', sortWeight: 1 },
        { slug: 'top', sortWeight: 1 },
      ],
    },
  ];
  const products: ProductsDocument = {
    ...documentOf(...cards),
    groups: [
      { id: 1, slug: 'top', name: 'Top', cardType: 1 },
      { id: 2, slug: 'more', name: 'More', cardType: 1 },
    ],
  };
  const missing = [
    { slug: 'e', name: 'Elend', reason: 'over', verdict: 'none of 3 sessions can still be bought' },
    { slug: 'f', name: 'Freude', reason: 'bad-data', verdict: 'an error in its rows leaves it out' },
  ];
  const facts = {
    changed: new Set([2]),
    changesLater: new Set([3]),
    labels: new Map([
      ['a', { slug: 'a', categories: ['opera'], tags: [] }],
      ['b', { slug: 'b', categories: ['ballet'], tags: ['early'] }],
      ['e', { slug: 'e', categories: ['opera'], tags: ['late'] }],
    ]),
  };

  test.each<[Partial<Search>, string]>([
    [{}, 'abcd ef'],
    [{ query: ' ZORN ' }, 'b '],
    [{ query: '3 sessions' }, ' e'],
    [{ tab: 'today' }, 'abd '],
    [{ only: 'sold-out' }, 'a '],
    [{ only: 'banner' }, 'b '],
    [{ only: 'changed' }, 'b '],
    [{ only: 'changes-later' }, 'c '],
    [{ only: 'without-card' }, ' ef'],
    [{ category: 'opera' }, 'a e'],
    [{ tag: 'late' }, ' e'],
    // Of a group by their weight there.
    [{ group: 'top' }, 'da '],
  ])('a search for %o finds %s', (change, expected) => {
    const search = { ...NO_SEARCH, ...change };
    const [withCard, without] = [found(cards, search, facts), foundMissing(missing, search, facts)];
    expect([withCard, without].map((list) => list.map(({ slug }) => slug).join('')).join(' ')).toBe(expected);
  });

  test('stand once, in the first of their groups; what is found is one row', () => {
    const rowsOf = (search: Search) =>
      arrange(products, search, facts).map((row) => [
        row.title?.name ?? null,
        row.cards.map(({ slug }) => slug).join(''),
      ]);
    expect(rowsOf(NO_SEARCH)).toEqual([
      ['Top', 'da'],
      ['In no group', 'bc'],
    ]);
    expect(rowsOf({ ...NO_SEARCH, tab: 'today' })).toEqual([[null, 'abd']]);
    expect(rowsOf({ ...NO_SEARCH, query: 'none' })).toEqual([]);
    const lines = linesOf(arrange(products, NO_SEARCH, facts), 1);
    expect(lines.map(({ key }) => key)).toEqual([
      'group top',
      'group top 0',
      'group top 1',
      'rest',
      'rest 0',
      'rest 1',
    ]);
  });

  test.each([
    ['name', false, 'caefdb'],
    ['name', true, 'bdfeac'],
    ['price', false, 'cadbef'],
    ['price', true, 'adcbef'],
    ['flags', false, 'bacdef'],
    ['changed', false, 'febacd'],
  ] as const)('sorted by %s, descending %s: %s', (column, isDescending, expected) => {
    const rows = listedProducts(cards, new Map([[2, 'Price']]), missing);
    const order = sorted(rows, { column, isDescending }).map((row) => (row.card ?? row.missing).slug);
    expect(order.join('')).toBe(expected);
    expect(sorted(rows, null)).toBe(rows);
  });

  test('are compared each once, those that are gone last', () => {
    const earlier = documentOf(...cards);
    const later = documentOf(
      ...cards
        .slice(1)
        .toReversed()
        .map((one) => ({ ...one, ageRating: 18 })),
    );
    const units = { zone: zoneOf('UTC'), today: '2026-05-01', money: moneyOf('EUR') };
    const changes = changesOf(earlier, later, units);
    const pairs = pairsOf([earlier, later], changes, NO_SEARCH, facts);
    expect(pairs.map(({ slug }) => slug).join('')).toBe('dcba');
    expect(pairs.map(({ before, after }) => [before?.slug ?? null, after?.slug ?? null]).at(-1)).toEqual(['a', null]);
    expect(pairs.at(-1)?.texts).toEqual(['Gone']);
    expect(pairs[0]?.texts[0]).toBe('Age rating 12 → 18');
    const search = { ...NO_SEARCH, query: 'apfel' };
    expect(pairsOf([earlier, later], changes, search, facts).map(({ slug }) => slug)).toEqual(['c']);
  });
});

test('of a long list only the lines near the window are drawn, of a short one all', () => {
  const range = { startIndex: 100, endIndex: 102, overscan: 2, count: 200 };
  expect(indexesOf(range)).toEqual([98, 99, 100, 101, 102, 103, 104]);
  expect(indexesOf({ ...range, startIndex: 0, endIndex: 199 })).toHaveLength(200);
  expect(indexesOf({ startIndex: 1, endIndex: 1, overscan: 0, count: 3 })).toEqual([0, 1, 2]);
  expect(indexesOf({ startIndex: 0, endIndex: 0, overscan: 2, count: 0 })).toEqual([]);
});

test('a product as Markdown is text, whatever its name is', () => {
  const markdown = markdownOf({
    name: '[x](https://evil.example) *b* <img>',
    front: 'moscow',
    at: instant('2026-05-01T09:00:00Z'),
    zone: zoneOf('Europe/Moscow'),
    release: '9f7e45cc006d799b',
    facts: [['Price', 'from €5']],
    sections: [
      { title: 'It has a card.', lines: [] },
      { title: 'Rules', lines: ['yes published'] },
    ],
    command: 'playbill explain --front moscow',
  });
  expect(markdown).toBe(
    [
      String.raw`## \[x\](https://evil.example) \*b\* \<img\>`,
      'moscow, Friday, 1 May 2026, 12:00 (Europe/Moscow, 2026-05-01T09:00:00Z), release 9f7e45cc006d799b',
      '- Price: from €5',
      '### Why\n\nIt has a card.',
      '### Rules\n\n- yes published',
      '    playbill explain --front moscow\n',
    ].join('\n\n'),
  );
});

describe('an alarm', () => {
  const snapshot = {
    now: '2026-05-01T09:00:00Z',
    validUntil: '2026-05-01T15:00:00Z',
    ageSeconds: 0,
    remainingSeconds: 21_600,
    staleFrom: '2026-05-01T13:30:01Z',
    editions: { products: 1, categories: 1 },
    cards: 3,
    dropped: {},
    leftOut: null,
    held: null,
  };
  const fresh: FrontAlarms = {
    at: snapshot.now,
    exit: 0,
    fronts: 1,
    stale: 0,
    hold: null,
    heldAt: null,
    front: { front: 'kuwait', stale: null, snapshot },
    findings: [],
  };
  const rows = ['price-invalid', 'price-invalid', 'zone-unknown'].map((code, product) => ({ product, code }));
  const leftOut = { products: 1, sessions: 2, affected: 3, published: 9, rows };
  const key = { severity: 'error', code: 'no-valid-key', place: 'edge/keyring.json', message: 'none' } as const;
  test.each<[string, Partial<FrontAlarms>, readonly (readonly [string, boolean, RegExp, string | null])[]]>([
    ['of a fresh front says nothing', {}, []],
    ['goes by errors', { findings: [key] }, [['no-valid-key', true, /^none\.$/, null]]],
    [
      'says what is left out, by code',
      { front: { front: 'kuwait', stale: null, snapshot: { ...snapshot, leftOut } } },
      [['left out', false, /1 product and 2 sessions \(price-invalid 2, zone-unknown 1\)/, 'playbill check-db']],
    ],
    [
      'comes before what holds the front',
      {
        hold: { release: '0123456789abcdef' },
        heldAt: '0123456789abcdef',
        front: { front: 'kuwait', stale: 'expired', snapshot },
      },
      [
        ['expired', true, /may be wrong by now/, 'playbill build'],
        ['held', false, /the tree at release 0123456789abcdef/, 'playbill rollback --resume'],
        ['held', false, /the front at release/, 'playbill rollback --resume --front kuwait'],
      ],
    ],
  ])('%s', (_, changes, expected) => {
    const found = alarmsOf({ ...fresh, ...changes }, 'kuwait', { root: 'out', database: null });
    expect(found.map(({ code, isBad, command }) => [code, isBad, command])).toEqual(
      expected.map(([code, isBad, , command]) => [code, isBad, command]),
    );
    for (const [i, [, , text]] of expected.entries()) expect(found[i]?.text).toMatch(text);
  });
});

test.each([
  [1000, 1000, 'same'],
  [1000, 1033, '+3.3 %'],
  [900, 450, '−50 %'],
  [900, 9, '÷ 100'],
  [9, 36, '× 4'],
  [0, 5, 'was free'],
  [5, 0, 'now free'],
  [undefined, 5, ''],
])('from %s to %s it is a change of %j', (was, is, text) => {
  expect(changeText(was, is)).toBe(text);
});

test('a change of prices that leaves the median where it was names no instant', () => {
  const changes: FrontChanges = {
    front: 'moscow',
    state: 'changed',
    cards: { added: 0, removed: 0 },
    changed: { names: 0, prices: 2, flags: 0, seats: 0, sessions: 0, other: 0 },
    medianPrice: null,
    comparableUntil: null,
  };
  expect(frontChangesParts(changes, (at) => zoneClockText(zoneOf('UTC'), instantAt(at)))).toEqual(['2 prices']);
});
