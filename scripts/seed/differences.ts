// Writes what differs between storefronts, for `--differences`: three languages and three channels
// of fronts, the texts and prices that go with them, contingents of fronts, and daily sessions. Its
// random numbers are its own: without it, and in all other columns, the rows are the same.

import type { ProductPlan } from './plan.ts';
import { itemInTurn, type Random } from './random.ts';
import type { Region } from './regions.ts';
import type { Seeding } from './seeding.ts';
import { english, japanese, russian, type Vocabulary } from './vocabulary.ts';

/** Another generator than that of the rest of the rows. */
const SEED_BITS = 0x2545f491;

/** The seed of a generator for differences. */
export function differencesSeed(seed: number): number {
  return seed ^ SEED_BITS;
}

interface Language {
  /** The tag of the texts. */
  readonly tag: string;
  /** What a front asks for. */
  readonly locale: string;
  readonly vocabulary: Vocabulary;
}

const LANGUAGES: readonly Language[] = [
  { tag: 'ru', locale: 'ru', vocabulary: russian },
  { tag: 'en', locale: 'en-GB', vocabulary: english },
  { tag: 'ja', locale: 'ja', vocabulary: japanese },
];

/** By channel: its price, as a share of what everybody pays. */
const CHANNELS: readonly (readonly [name: string, share: number])[] = [
  ['web', 1],
  ['city', 0.9],
  ['partners', 0.8],
];

/** The share of products with prices of channels, and that of products sold on one channel alone. */
const CHANNEL_RATE = 0.3;
const ONE_CHANNEL_RATE = 0.02;
const TEXT_RATE = 0.9;
const DAILY_RATE = 0.3;

/** Each region has fronts in every language and on every channel. */
export function differencesOfFront({ differences }: Seeding, frontId: number) {
  if (differences === null) return { locale: null, channel: null };
  return {
    locale: itemInTurn(LANGUAGES, frontId - 1).locale,
    channel: itemInTurn(CHANNELS, Math.floor((frontId - 1) / LANGUAGES.length))[0],
  };
}

/** What a ticket costs on a channel, as a share of its price; null: on every channel without a price of its own. */
export type ChannelPrices = readonly (readonly [channel: string | null, share: number])[];

/** The channels on which a product is sold. */
export function channelPrices({ differences }: Seeding): ChannelPrices {
  if (differences === null || !differences.chance(CHANNEL_RATE + ONE_CHANNEL_RATE)) return [[null, 1]];
  if (differences.chance(ONE_CHANNEL_RATE / CHANNEL_RATE)) return [differences.pick(CHANNELS)];
  // Whoever has no channel of its own pays what everybody pays.
  return CHANNELS.map(([name, share]) => [share === 1 ? null : name, share]);
}

/** How many dates follow the first one of a session; null for one that is not daily. */
export function furtherDates({ differences }: Seeding, { pace }: ProductPlan): number | null {
  if (differences === null || pace !== 'single' || !differences.chance(DAILY_RATE)) return null;
  return 5 + differences.below(50);
}

/** What is left of a front's own contingent for a session, for a few of them. */
export function contingentOf(differences: Random): number {
  return differences.chance(0.2) ? 0 : 1 + differences.below(40);
}

/** The texts of a category, group, tag or badge, which is the same for all regions. */
export function writeTexts(
  { differences, write }: Seeding,
  kind: 'category' | 'group' | 'tag' | 'badge',
  id: number,
  own: Readonly<Record<string, string>>,
): void {
  if (differences === null) return;
  for (const { tag } of LANGUAGES) {
    for (const [field, text] of Object.entries(own)) {
      write('texts', { kind, id: String(id), locale: tag, field, text: `${text} · ${tag}` });
    }
  }
}

/** A venue's name in the languages that are not those of its region. */
export function writeVenueTexts({ differences, write }: Seeding, id: number, region: Region, city: string): void {
  if (differences === null) return;
  for (const { tag, vocabulary } of LANGUAGES) {
    if (vocabulary === region.vocabulary) continue;
    const text = `${differences.pick(vocabulary.venues)}, ${city}`;
    write('texts', { kind: 'venue', id: String(id), locale: tag, field: 'name', text });
  }
}

/** A product's name, and the texts of its image, likewise. */
export function writeProductTexts(
  { differences, write }: Seeding,
  { id, region }: ProductPlan,
  hasImage: boolean,
): void {
  if (differences === null) return;
  const own = { id: String(id) };
  for (const { tag, vocabulary } of LANGUAGES) {
    if (vocabulary === region.vocabulary || !differences.chance(TEXT_RATE)) continue;
    const { titles, subtitles, scenes, credits } = vocabulary;
    const [, title] = itemInTurn(titles, id);
    const subtitle = differences.pick(subtitles);
    const text = `${title}: ${subtitle}`;
    write('texts', { ...own, kind: 'product', locale: tag, field: 'name', text });
    if (!hasImage) continue;
    const scene = `${differences.pick(scenes)} «${title}», ${subtitle}`;
    write('texts', { ...own, kind: 'image', locale: tag, field: 'alt_text', text: scene });
    write('texts', { ...own, kind: 'image', locale: tag, field: 'copyright', text: differences.pick(credits) });
  }
}
