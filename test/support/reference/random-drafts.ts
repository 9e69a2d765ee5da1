// What a random catalogue is drawn from: descriptions of fronts, products, sessions and tiers that
// name each other by place and describe instants beside `now`, so that a failing case shrinks well.
// It makes no rows.

import * as fc from 'fast-check';

import { LACKED_TOGETHER } from './random-absences.ts';
import { instantDraft, nowDraft, ZONES } from './random-instants.ts';
import { anyCharacter } from '../any-character.ts';

/** Fronts that a catalogue can have at most; the first is always active. */
const FRONTS = 4;
const PRODUCTS = 8;
export const SESSIONS = 12;
export const TIERS = 3;
/**
 * Venues, images, categories, groups, tags and badges: always three of each, so that drafts can
 * name them by place.
 */
export const PLACES = [0, 1, 2] as const;

const often = <T>(usual: T, arbitrary: fc.Arbitrary<T>, usualWeight = 3) =>
  fc.oneof({ weight: usualWeight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: null, freq });
const bit = fc.constantFrom(0, 1);
const rareBit = often(0, fc.constant(1), 6);
const weight = fc.integer({ min: -2, max: 2 });
const place = fc.constantFrom(...PLACES);
const places = fc.subarray([...PLACES]);
const instant = maybe(instantDraft, 1);
const rareInstant = often(null, instantDraft, 4);
const seats = often(null, fc.constantFrom(-1, 0, 0, 1, 250), 1);

const text = often(
  'Name',
  fc.oneof(
    fc.constantFrom(
      '',
      'The "Seagull"',
      'back\\slash \\" \\u0041',
      'line\u2028paragraph\u2029end',
      'a\u00a0b\u202f«œ»',
      '🎭👩‍🚀',
      'tab\tnewline\nreturn\rbell\u0007delete\u007f',
      'nul\u0000after',
      '<b>&amp;</b></script>',
      'Щелкунчик',
      '\ufeffmark',
      '__proto__',
    ),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
  ),
  1,
);

const zone = maybe(fc.constantFrom(...ZONES), 2);
const currency = fc.constantFrom('RUB', 'RUB', 'JPY', 'KWD');
const amount = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 100, 123_410, 50_000, 100_000, 99_999_999_999_999),
  fc.integer({ min: 0, max: 2_000_000 }),
);

const frontDraft = fc.record({
  zone,
  locale: often(null, fc.constantFrom('de-AT', 'DE', 'fr', 'fr-CA-x-a', 'ja'), 1),
  channel: often(null, fc.constantFrom('own', 'city', 'a.b'), 1),
  dayStartsAt: often('00:00', fc.constantFrom('05:00', '06:00', '02:30', '00:30', '01:00'), 2),
  currency,
  exponent: fc.constantFrom(2, 2, 0, 3, 4),
  weekendDays: often(
    '67',
    fc.subarray(['1', '2', '3', '4', '5', '6', '7'], { minLength: 1, maxLength: 6 }).map((days) => days.join('')),
    1,
  ),
  disabled: rareBit,
  categories: fc.tuple(maybe(weight), maybe(weight), maybe(weight)),
  groups: fc.tuple(maybe(weight), maybe(weight), maybe(weight)),
});

const tierDraft = fc.record({
  kind: often('ticket', fc.constant('addon'), 5),
  channels: often(null, fc.constantFrom('own', 'city', 'own city', 'city a.b', 'x'), 1),
  isPublic: often(1, fc.constant(0), 4),
  inPriceFrom: often(1, fc.constant(0), 5),
  amount,
  currency,
  seats,
  from: rareInstant,
  until: rareInstant,
});

const sessionDraft = fc.record({
  venue: place,
  startsAt: instantDraft,
  endsAt: rareInstant,
  local: fc.constantFrom('none', 'computed', 'drifted', 'alone'),
  salesStart: rareInstant,
  salesEnd: rareInstant,
  announced: rareInstant,
  /** Whether the times of sales and announcement are given as wall times, where there are such. */
  isLocal: bit,
  /** The session's own zone. */
  zone: often(null, fc.constantFrom(...ZONES), 5),
  /** Of a daily session: how many dates follow the first, and for how long it is open. */
  daily: often(null, fc.record({ days: fc.integer({ min: 0, max: 9 }), minutes: fc.integer({ min: 1, max: 600 }) }), 5),
  status: often('scheduled', fc.constantFrom('rescheduled', 'draft', 'postponed', 'cancelled'), 6),
  previous: rareInstant,
  paused: often(0, fc.constant(1), 2),
  seats,
  tiers: often([], fc.array(tierDraft, { maxLength: TIERS }), 1),
  excludedBy: often([], fc.subarray([0, 1, 2, 3]), 4),
  /** By front: its own contingent. */
  allocated: often([], fc.array(maybe(fc.constantFrom(-1, 0, 1, 40), 1), { maxLength: FRONTS }), 3),
});

const attachmentDraft = fc.record({
  featured: bit,
  banner: bit,
  paused: rareBit,
  weight,
  from: rareInstant,
  until: rareInstant,
});

const productDraft = fc.record({
  name: text,
  ageRating: fc.constantFrom(0, 6, 12, 18, 21),
  saleSchema: fc.integer({ min: 0, max: 6 }),
  pushka: bit,
  paused: rareBit,
  pausedUntil: instant,
  image: maybe(place, 1),
  status: often('published', fc.constantFrom('draft', 'archived'), 6),
  attachments: fc.array(maybe(attachmentDraft, 4), { minLength: FRONTS, maxLength: FRONTS }),
  tiers: fc.array(tierDraft, { maxLength: TIERS }),
  sessions: fc.array(sessionDraft, { maxLength: SESSIONS, size: 'medium' }),
  categories: places,
  groups: fc.tuple(maybe(weight), maybe(weight), maybe(weight)),
  tags: places,
  badges: fc.array(fc.record({ from: instant, until: instant }), { maxLength: PLACES.length }),
});

export const catalogueDraft = fc.record({
  now: nowDraft,
  /**
   * Ids come from here, so that their order is neither that of insertion nor that of their text.
   */
  salt: fc.integer({ min: 0, max: 996 }),
  /** Those of fronts, venues, images and sessions. */
  ids: often('integers', fc.constantFrom('text', 'text', 'mixed'), 1),
  /** Whether products have slugs, and price tiers ids: all of them, none, or every other one. */
  slugs: often('all', fc.constantFrom('none', 'some'), 2),
  tierIds: often('all', fc.constantFrom('none', 'some'), 2),
  fronts: fc.array(frontDraft, { minLength: 1, maxLength: FRONTS }),
  venues: fc.array(fc.record({ name: text, zone }), { minLength: PLACES.length, maxLength: PLACES.length }),
  names: fc.array(text, { minLength: PLACES.length, maxLength: PLACES.length }),
  /** By place: the rule of a badge. */
  rules: fc.array(often(null, fc.constantFrom('moved', 1, 2, 60, 400), 1), {
    minLength: PLACES.length,
    maxLength: PLACES.length,
  }),
  /** How many of its three fields each thing has in each language: bits. */
  texts: fc.array(fc.integer({ min: 0, max: 0xff }), { minLength: 12, maxLength: 12 }),
  /** Whether categories lack their plural. */
  isSingular: bit,
  weights: fc.array(weight, { minLength: PLACES.length, maxLength: PLACES.length }),
  products: fc.array(productDraft, { minLength: 1, maxLength: PRODUCTS }),
  /** What the database lacks: places in LACKED_TOGETHER. */
  lacked: often([], fc.subarray([...LACKED_TOGETHER.keys()], { minLength: 1, maxLength: 5 }), 2),
});

export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type CatalogueDraft = Drawn<typeof catalogueDraft>;
export type FrontDraft = Drawn<typeof frontDraft>;
export type ProductDraft = Drawn<typeof productDraft>;
export type SessionDraft = Drawn<typeof sessionDraft>;
export type TierDraft = Drawn<typeof tierDraft>;
