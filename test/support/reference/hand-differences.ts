// Hand-computed cases of what differs between fronts: channels, contingents, languages, and badges
// by rule. Every expected value was worked out from the definitions; none was copied from a run.

import type { CatalogueRow } from '../catalogue.ts';
import { evening, noon, session, tier, type Case } from './hand-case.ts';

const later = '2026-05-05T16:00:00Z';

const left = (session_id: number, available: number, front_id = 1): CatalogueRow => ({
  table: 'front_allocations',
  row: { front_id, session_id, available },
});

const text = (kind: string, id: number, locale: string, field: string, words: string): CatalogueRow => ({
  table: 'texts',
  row: { kind, id: String(id), locale, field, text: words },
});

const badge = (id: number, row: CatalogueRow['row']): CatalogueRow => ({
  table: 'badges',
  row: { id, slug: `badge-${id}`, name: 'Badge', color: '#000000', ...row },
});

const attached = (badge_id: number, row: CatalogueRow['row'] = {}): CatalogueRow => ({
  table: 'product_badges',
  row: { product_id: 1, badge_id, ...row },
});

const category = (name_plural: string | null): CatalogueRow[] => [
  { table: 'categories', row: { id: 1, slug: 'plays', name_singular: 'Play', name_plural } },
  { table: 'front_categories', row: { front_id: 1, category_id: 1 } },
  { table: 'product_categories', row: { product_id: 1, category_id: 1 } },
];

const OWN = { channel: 'own' };
const CITY = { channel: 'city' };

export const CHANNELS: Case[] = [
  {
    name: 'a partner’s own prices: the tier of its channel',
    now: noon,
    front: CITY,
    rows: [session(1, evening), tier(1, 50_000, { channels: 'own' }), tier(2, 45_000, { channels: 'city' })],
    card: { priceFrom: 450 },
  },
  {
    name: 'the house sells at its own tier',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 50_000, { channels: 'own' }), tier(2, 45_000, { channels: 'city' })],
    card: { priceFrom: 500 },
  },
  {
    name: 'a front without a channel sees neither',
    now: noon,
    rows: [session(1, evening), tier(1, 50_000, { channels: 'own' }), tier(2, 45_000, { channels: 'city' })],
    dropped: 'not-on-channel',
  },
  {
    name: 'a tier that names no channel is sold everywhere',
    now: noon,
    rows: [session(1, evening), tier(1, 50_000), tier(2, 45_000, { channels: 'city' })],
    card: { priceFrom: 500 },
  },
  {
    name: 'a tier that names several is sold on each',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 50_000, { channels: 'city own' })],
    card: { priceFrom: 500 },
  },
  {
    name: 'names are compared exactly: case matters',
    now: noon,
    front: { channel: 'Own' },
    rows: [session(1, evening), tier(1, 50_000, { channels: 'own' })],
    dropped: 'not-on-channel',
  },
  {
    name: 'names are compared exactly: a beginning is not the name',
    now: noon,
    front: { channel: 'ow' },
    rows: [session(1, evening), tier(1, 50_000, { channels: 'own' })],
    dropped: 'not-on-channel',
  },
  {
    name: 'own tiers of another channel do not replace the defaults',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 10_000, { session_id: 1, channels: 'city' })],
    card: { priceFrom: 300 },
  },
  {
    name: 'an own tier of the channel does',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 90_000, { session_id: 1, channels: 'own' })],
    card: { priceFrom: 900 },
  },
  {
    name: 'a private own tier of the channel replaces them too, and leaves no price',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 1, { session_id: 1, channels: 'own', is_public: 0 })],
    card: { priceFrom: null, soldOut: false },
  },
  {
    name: 'a private own tier of another channel replaces nothing',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 30_000), tier(2, 1, { session_id: 1, channels: 'city', is_public: 0 })],
    card: { priceFrom: 300 },
  },
  {
    name: 'a private tier of the channel is enough to be on it',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 1, { channels: 'own', is_public: 0 })],
    card: { priceFrom: null },
  },
  {
    name: 'add-ons say nothing about channels',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 1, { channels: 'city', kind: 'addon' })],
    card: { priceFrom: null, nextScheduleSlot: '2026-05-01T19:00:00+03:00' },
  },
  {
    name: 'of two sessions, one sold elsewhere, the card describes the other',
    now: noon,
    front: OWN,
    rows: [
      session(1, evening),
      session(2, later),
      tier(1, 1, { session_id: 1, channels: 'city' }),
      tier(2, 70_000, { session_id: 2, channels: 'own' }),
    ],
    card: { nextScheduleSlot: '2026-05-05T19:00:00+03:00', multiScheduleSlots: false, priceFrom: 700 },
  },
  {
    name: 'a session without ticket tiers is sold on every channel',
    now: noon,
    front: OWN,
    rows: [session(1, evening), session(2, later), tier(1, 1, { session_id: 2, channels: 'city' })],
    card: { nextScheduleSlot: '2026-05-01T19:00:00+03:00', multiScheduleSlots: false },
  },
  {
    name: 'an expired tier of the channel: the session was on it, and its prices have expired',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 1, { channels: 'own', valid_until: noon })],
    dropped: 'prices-expired',
  },
  {
    name: 'a live tier of another channel keeps nothing',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 1, { channels: 'own', valid_until: noon }), tier(2, 1, { channels: 'city' })],
    dropped: 'prices-expired',
  },
  {
    name: 'tickets are sold out on the channel, whatever another has',
    now: noon,
    front: OWN,
    rows: [session(1, evening), tier(1, 1, { channels: 'own', available: 0 }), tier(2, 1, { channels: 'city' })],
    card: { soldOut: true, priceFrom: null },
  },
  {
    name: 'what is over elsewhere is not on the channel',
    now: noon,
    front: OWN,
    rows: [session(1, '2026-04-01T16:00:00Z'), tier(1, 1, { channels: 'city' })],
    dropped: 'not-on-channel',
  },
  {
    name: 'of what is over here and ahead elsewhere, all is over',
    now: noon,
    front: OWN,
    rows: [
      session(1, '2026-04-01T16:00:00Z'),
      session(2, later),
      tier(1, 1, { session_id: 1, channels: 'own' }),
      tier(2, 1, { session_id: 2, channels: 'city' }),
    ],
    dropped: 'over',
  },
  {
    name: 'what is not announced counts before the channel',
    now: noon,
    front: OWN,
    rows: [session(1, later, { visible_from: evening }), tier(1, 1, { channels: 'city' })],
    dropped: 'not-announced',
  },
  {
    name: 'what is excluded counts after it',
    now: noon,
    front: OWN,
    rows: [
      session(1, evening),
      session(2, later),
      tier(1, 1, { session_id: 1, channels: 'city' }),
      tier(2, 1, { session_id: 2, channels: 'own' }),
      { table: 'front_session_exclusions', row: { front_id: 1, session_id: 2 } },
    ],
    dropped: 'excluded',
  },
];

export const QUOTAS: Case[] = [
  {
    name: 'a partner’s contingent: seats where the house has none',
    now: noon,
    rows: [session(1, evening, { available: 0 }), left(1, 40)],
    card: { soldOut: false },
  },
  {
    name: 'another front’s contingent is nothing to this one',
    now: noon,
    rows: [session(1, evening, { available: 0 }), left(1, 40, 2)],
    card: { soldOut: true },
  },
  {
    name: 'a contingent that is used up: sold out where the house has seats',
    now: noon,
    rows: [session(1, evening, { available: 100 }), left(1, 0)],
    card: { soldOut: true, priceFrom: null },
  },
  {
    name: 'a contingent may be oversold',
    now: noon,
    rows: [session(1, evening, { available: 100 }), left(1, -3)],
    card: { soldOut: true },
  },
  {
    name: 'a contingent limits a session that is not limited',
    now: noon,
    rows: [session(1, evening), session(2, later), left(1, 0)],
    card: { soldOut: false, nextScheduleSlot: '2026-05-05T19:00:00+03:00', multiScheduleSlots: false },
  },
  {
    name: 'no contingent of this front, and no limit of the session: not limited, whatever another front has left',
    now: noon,
    rows: [session(1, evening), tier(1, 50_000), left(1, 0, 2)],
    card: { soldOut: false, priceFrom: 500 },
  },
  {
    name: 'a contingent may be larger than the house',
    now: noon,
    rows: [session(1, evening, { available: 5 }), left(1, 500)],
    card: { soldOut: false },
  },
  {
    name: 'tiers that are used up do not end a contingent; nor do they have a price',
    now: noon,
    rows: [session(1, evening), tier(1, 100, { available: 0 }), left(1, 7)],
    card: { soldOut: false, priceFrom: null },
  },
  {
    name: 'an exclusion counts before a contingent',
    now: noon,
    rows: [session(1, evening), left(1, 7), { table: 'front_session_exclusions', row: { front_id: 1, session_id: 1 } }],
    dropped: 'excluded',
  },
  {
    name: 'of the dates of a daily session all have the contingent',
    now: noon,
    rows: [
      session(1, null, { starts_local: '2026-05-02T10:00:00', ends_local: '2026-05-04T18:00:00', daily: 1 }),
      left(1, 0),
    ],
    card: { soldOut: true, multiScheduleSlots: true },
  },
];

const GERMAN = { locale: 'de-AT' };

export const LANGUAGES: Case[] = [
  {
    name: 'a name in the front’s language, by the shortened tag',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), text('product', 1, 'de', 'name', 'Die Schau')],
    card: { name: 'Die Schau' },
  },
  {
    name: 'the whole tag before the shortened one',
    now: noon,
    front: GERMAN,
    rows: [
      session(1, evening),
      text('product', 1, 'de', 'name', 'Die Schau'),
      text('product', 1, 'de-AT', 'name', 'Die Jause'),
    ],
    card: { name: 'Die Jause' },
  },
  {
    name: 'tags differ in case alone: the same',
    now: noon,
    front: { locale: 'DE-at' },
    rows: [session(1, evening), text('product', 1, 'de-AT', 'name', 'Die Jause')],
    card: { name: 'Die Jause' },
  },
  {
    name: 'a longer tag is not looked at',
    now: noon,
    front: { locale: 'de' },
    rows: [session(1, evening), text('product', 1, 'de-AT', 'name', 'Die Jause')],
    card: { name: 'Show' },
  },
  {
    name: 'another language is not looked at',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), text('product', 1, 'fr', 'name', 'Le spectacle')],
    card: { name: 'Show' },
  },
  {
    name: 'a front without a language shows the rows’ own names',
    now: noon,
    rows: [session(1, evening), text('product', 1, 'de', 'name', 'Die Schau')],
    card: { name: 'Show' },
  },
  {
    name: 'the text of another product with the same words in its id is not its',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), text('product', 11, 'de', 'name', 'Die andere')],
    card: { name: 'Show' },
  },
  {
    name: 'the venue of the next session',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), text('venue', 1, 'de', 'name', 'Halle'), text('venue', 2, 'de', 'name', 'Anbau')],
    card: { inventoryItemName: 'Halle', multiInventoryItems: false },
  },
  {
    name: 'a text of one field says nothing of another',
    now: noon,
    front: GERMAN,
    product: { image_id: 1 },
    rows: [session(1, evening), text('image', 1, 'de', 'copyright', 'Foto: wir')],
    card: { altText: null, copyright: 'Foto: wir' },
  },
  {
    name: 'a tag of several parts is shortened one by one',
    now: noon,
    front: { locale: 'fr-CA-x-a' },
    rows: [
      session(1, evening),
      text('product', 1, 'fr', 'name', 'Le spectacle'),
      text('product', 1, 'fr-ca', 'name', 'Le show'),
    ],
    card: { name: 'Le show' },
  },
  {
    name: 'a plural that the catalogue lacks is the translated singular',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), ...category(null), text('category', 1, 'de', 'name_singular', 'Stück')],
    categories: [['Stück', 'Stück']],
  },
  {
    name: 'a plural that only the language lacks is the row’s own',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), ...category('Plays'), text('category', 1, 'de', 'name_singular', 'Stück')],
    categories: [['Stück', 'Plays']],
  },
  {
    name: 'the plural in the front’s language, where the row has none',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), ...category(null), text('category', 1, 'de', 'name_plural', 'Stücke')],
    categories: [['Play', 'Stücke']],
  },
  {
    name: 'without a language, a plural that the catalogue lacks is the singular',
    now: noon,
    rows: [session(1, evening), ...category(null), text('category', 1, 'de', 'name_singular', 'Stück')],
    categories: [['Play', 'Play']],
  },
  {
    name: 'slots keep the clock of the session, whatever the language',
    now: noon,
    front: GERMAN,
    rows: [session(1, evening), text('product', 1, 'de', 'name', 'Die Schau')],
    card: { nextScheduleSlot: '2026-05-01T19:00:00+03:00' },
  },
];

export const BADGES: Case[] = [
  {
    name: 'few left: together no more than the number',
    now: noon,
    rows: [
      session(1, evening, { available: 12 }),
      session(2, later, { available: 8 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'one seat more: not few',
    now: noon,
    rows: [
      session(1, evening, { available: 12 }),
      session(2, later, { available: 9 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: [] },
  },
  {
    name: 'one session that is not limited: not few',
    now: noon,
    rows: [session(1, evening, { available: 12 }), session(2, later), badge(1, { rule: 'few-left', rule_below: 20 })],
    card: { badges: [] },
  },
  {
    name: 'sold out: none left is not few left',
    now: noon,
    rows: [session(1, evening, { available: 0 }), badge(1, { rule: 'few-left', rule_below: 20 })],
    card: { soldOut: true, badges: [] },
  },
  {
    name: 'a session that is sold out is not in the pool, and does not count',
    now: noon,
    rows: [
      session(1, evening, { available: -50 }),
      session(2, later, { available: 20 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'seats by price, where the session is not limited: their sum',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 100, { available: 12 }),
      tier(2, 200, { available: 8 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'default tiers once per session',
    now: noon,
    rows: [
      session(1, evening),
      session(2, later),
      tier(1, 100, { available: 11 }),
      badge(1, { rule: 'few-left', rule_below: 21 }),
    ],
    card: { badges: [] },
  },
  {
    name: 'a price that is used up counts as none, not as fewer',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 100, { available: -10 }),
      tier(2, 200, { available: 8 }),
      badge(1, { rule: 'few-left', rule_below: 8 }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'one price that is not limited: not few',
    now: noon,
    rows: [
      session(1, evening),
      tier(1, 1, { available: 1 }),
      tier(2, 2),
      badge(1, { rule: 'few-left', rule_below: 9 }),
    ],
    card: { badges: [] },
  },
  {
    name: 'the session’s own seats count before those by price',
    now: noon,
    rows: [
      session(1, evening, { available: 30 }),
      tier(1, 100, { available: 3 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: [] },
  },
  {
    name: 'a contingent counts before both',
    now: noon,
    rows: [session(1, evening, { available: 300 }), left(1, 20), badge(1, { rule: 'few-left', rule_below: 20 })],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'the dates of a daily session share their seats',
    now: noon,
    rows: [
      session(1, null, {
        starts_local: '2026-05-02T10:00:00',
        ends_local: '2026-05-04T18:00:00',
        daily: 1,
        available: 20,
      }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'attached to this product, the rule and the window both hold',
    now: noon,
    rows: [
      session(1, evening, { available: 1 }),
      badge(1, { rule: 'few-left', rule_below: 20 }),
      badge(2, { rule: 'few-left', rule_below: 20 }),
      attached(1, { valid_from: noon }),
      attached(2, { valid_from: evening }),
    ],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'attached to this product, and the rule does not hold',
    now: noon,
    rows: [session(1, evening), badge(1, { rule: 'few-left', rule_below: 20 }), attached(1)],
    card: { badges: [] },
  },
  {
    name: 'attached to another product alone: not on this one',
    now: noon,
    rows: [
      session(1, evening, { available: 1 }),
      { table: 'products', row: { id: 2, slug: 'other', name: 'Other', status: 'draft' } },
      badge(1, { rule: 'few-left', rule_below: 20 }),
      attached(1, { product_id: 2 }),
    ],
    card: { badges: [] },
  },
  {
    name: 'moved: the first session is rescheduled',
    now: noon,
    rows: [session(1, evening, { status: 'rescheduled' }), badge(1, { rule: 'moved' })],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'moved: it had another start',
    now: noon,
    rows: [session(1, evening, { previous_starts_at: noon }), badge(1, { rule: 'moved' })],
    card: { badges: ['badge-1'] },
  },
  {
    name: 'the same start as before: not moved',
    now: noon,
    rows: [session(1, evening, { previous_starts_at: evening }), badge(1, { rule: 'moved' })],
    card: { badges: [] },
  },
  {
    name: 'a later session that has moved says nothing of the first',
    now: noon,
    rows: [session(1, evening), session(2, later, { status: 'rescheduled' }), badge(1, { rule: 'moved' })],
    card: { badges: [] },
  },
  {
    name: 'a later date of a daily session has not moved, where its first has not',
    now: '2026-05-03T06:00:00Z',
    rows: [
      session(1, null, {
        starts_local: '2026-05-01T10:00:00',
        ends_local: '2026-05-04T18:00:00',
        daily: 1,
        previous_starts_at: '2026-05-01T07:00:00Z',
      }),
      badge(1, { rule: 'moved' }),
    ],
    card: { nextScheduleSlot: '2026-05-03T10:00:00+03:00', badges: [] },
  },
  {
    name: 'a later date of a daily session has moved with its first',
    now: '2026-05-03T06:00:00Z',
    rows: [
      session(1, null, {
        starts_local: '2026-05-01T10:00:00',
        ends_local: '2026-05-04T18:00:00',
        daily: 1,
        previous_starts_at: '2026-05-01T08:00:00Z',
      }),
      badge(1, { rule: 'moved' }),
    ],
    card: { nextScheduleSlot: '2026-05-03T10:00:00+03:00', badges: ['badge-1'] },
  },
  {
    name: 'in the order of their weights, with and without a rule',
    now: noon,
    rows: [
      session(1, evening, { status: 'rescheduled', available: 2 }),
      badge(1, { rule: 'moved', sort_weight: 3 }),
      badge(2, { sort_weight: 2 }),
      badge(3, { rule: 'few-left', rule_below: 2, sort_weight: 1 }),
      attached(2),
    ],
    card: { badges: ['badge-3', 'badge-2', 'badge-1'] },
  },
];
