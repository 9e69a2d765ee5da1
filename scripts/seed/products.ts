// Writes venues, and products with their images. Every product follows the story of its plan.

import { DAY, instantText } from './calendar.ts';
import { writeProductTexts, writeVenueTexts } from './differences.ts';
import type { ProductPlan } from './plan.ts';
import { itemInTurn, type Random } from './random.ts';
import { REGIONS, type Region } from './regions.ts';
import { flag, type Seeding, soon } from './seeding.ts';
import { AWKWARD_NAME } from './vocabulary.ts';

export interface Venue {
  readonly id: number;
  readonly timezone: string;
}

export interface Venues {
  readonly all: readonly Venue[];
  readonly byRegion: ReadonlyMap<Region, readonly Venue[]>;
}

/** Writes the venues: cycles through the regions, and within a region through its places. */
export function writeVenues(seeding: Seeding): Venues {
  const { size, random, write } = seeding;
  const all: Venue[] = [];
  const byRegion = new Map<Region, Venue[]>(REGIONS.map((region) => [region, []]));
  for (let index = 0; index < size.venues; index += 1) {
    const region = itemInTurn(REGIONS, index);
    const { timezone, city } = itemInTurn(region.places, Math.floor(index / REGIONS.length));
    const venue = { id: index + 1, timezone };
    const name = `${random.pick(region.vocabulary.venues)}, ${city}`;
    write('venues', { ...venue, name, city: random.chance(0.1) ? null : city });
    writeVenueTexts(seeding, venue.id, region, city);
    all.push(venue);
    byRegion.get(region)?.push(venue);
  }
  return { all, byRegion };
}

/** Writes a product and its image, if it has one. */
export function writeProduct(seeding: Seeding, plan: ProductPlan): void {
  const { random, write } = seeding;
  const { id, region, story } = plan;
  const [titleSlug, title] = random.pick(region.vocabulary.titles);
  const name = story === 'awkward-name' ? AWKWARD_NAME : `${title}: ${random.pick(region.vocabulary.subtitles)}`;
  const own = {
    id,
    slug: `${titleSlug}-${id}`,
    name,
    age_rating: random.pick([0, 6, 12, 16, 18]),
    sale_schema: saleSchemaOf(plan, random),
    pushka: flag(region.currency === 'RUB' && random.chance(0.3)),
    ...pauseOf(seeding, plan),
    image_id: writeImage(seeding, plan, title),
    status: story === 'draft' || story === 'archived' ? story : 'published',
  };
  write('products', own);
  writeProductTexts(seeding, plan, own.image_id !== null);
}

/** 1 free, 2 sale, 3 registration, 4 external sale, 5 external registration, 6 on site. */
function saleSchemaOf({ story }: ProductPlan, random: Random): number {
  if (story === 'free') return 1;
  if (story === 'registration') return 3;
  return random.chance(0.85) ? 2 : random.pick([4, 5, 6]);
}

function pauseOf(seeding: Seeding, { story }: ProductPlan): { paused: 0 | 1; paused_until: string | null } {
  if (story === 'paused') return { paused: 1, paused_until: null };
  if (story === 'paused-until') return { paused: 1, paused_until: instantText(soon(seeding)) };
  if (story === 'pause-over') return { paused: 1, paused_until: instantText(seeding.now - DAY) };
  return { paused: 0, paused_until: null };
}

/** Writes the product's image and returns its id, or null for the few products without one. */
function writeImage({ random, write }: Seeding, { id, region, story }: ProductPlan, title: string): number | null {
  if (story === 'pictureless' || random.chance(0.03)) return null;
  const { scenes, subtitles, venues, credits } = region.vocabulary;
  const scene = `${random.pick(scenes)} «${title}», ${random.pick(subtitles)}`;
  write('images', {
    id,
    url: `https://images.example.org/posters/${String(id % 100).padStart(2, '0')}/product-${id}-cover-1600x900.webp`,
    alt_text: random.chance(0.08) ? null : random.chance(0.5) ? scene : `${scene}. ${random.pick(venues)}`,
    copyright: random.chance(0.15) ? null : random.pick(credits),
    copyright_url: random.chance(0.3) ? null : `https://photographers.example.org/credits/${id % 997}`,
  });
  return id;
}
