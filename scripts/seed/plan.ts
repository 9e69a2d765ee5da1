// Decides, before any row is written, what kind of case each product is and how many sessions it
// has. The numbers of products and sessions are exact for each size.

import type { Random } from './random.ts';
import { FRONT_REGIONS, type Region } from './regions.ts';

export interface Size {
  readonly fronts: number;
  readonly cardsPerFront: number;
  readonly products: number;
  readonly sessions: number;
  readonly venues: number;
}

export type SizeName = 'XS' | 'S' | 'M' | 'L';

/**
 * XS is for tests. `cardsPerFront` is approximate: a front also lists products that have no card at
 * `now`.
 */
export const SIZES: Readonly<Record<SizeName, Size>> = {
  XS: { fronts: 3, cardsPerFront: 20, products: 60, sessions: 600, venues: 14 },
  S: { fronts: 20, cardsPerFront: 200, products: 1_000, sessions: 20_000, venues: 70 },
  M: { fronts: 200, cardsPerFront: 500, products: 10_000, sessions: 300_000, venues: 300 },
  L: { fronts: 2_000, cardsPerFront: 500, products: 50_000, sessions: 2_000_000, venues: 1_000 },
};

/** Cases that chance might miss. In every size, the first products have one each, in this order. */
export const STORIES = [
  'draft',
  'archived',
  'sessionless',
  'over',
  'cancelled',
  'prices-expired',
  'sold-out',
  'sold-out-by-tier',
  'announced',
  'paused',
  'paused-until',
  'pause-over',
  'sessions-paused',
  'free',
  'registration',
  'own-prices',
  'price-step',
  'early-bird-over',
  'one-currency',
  'touring',
  'entry-open',
  'starting-now',
  'midnight',
  'single',
  'awkward-name',
  'opening-soon',
  'pictureless',
] as const;

export type Story = (typeof STORIES)[number] | 'ordinary';

/**
 * How sessions are distributed: scattered evenings, timed entries within a day, or one to three
 * sessions in total.
 */
export type Pace = 'repertory' | 'timed' | 'single';

export interface ProductPlan {
  readonly id: number;
  readonly region: Region;
  readonly story: Story;
  readonly pace: Pace;
  /** Its sessions have consecutive ids from here. */
  readonly firstSessionId: number;
  readonly sessionCount: number;
}

const STORY_RATE = 0.14;
const SINGLE_RATE = 0.12;
const TIMED_RATE = 0.12;
const PACE_WEIGHTS: Readonly<Record<Pace, number>> = { repertory: 1, timed: 3, single: 0 };

/** One plan per product, with ids from 1. The session counts add up to `size.sessions`. */
export function planProducts(size: Size, random: Random): readonly ProductPlan[] {
  const cases = Array.from({ length: size.products }, (_, index) => {
    const story: Story = STORIES[index] ?? (random.chance(STORY_RATE) ? random.pick(STORIES) : 'ordinary');
    const pace = paceOf(story, random);
    const ownCount = story === 'sessionless' || pace !== 'single' ? 0 : 1 + random.below(3);
    const weight = story === 'sessionless' ? 0 : PACE_WEIGHTS[pace];
    return { story, pace, ownCount, weight, region: random.pick(FRONT_REGIONS) };
  });
  const shared = size.sessions - cases.reduce((sum, { ownCount }) => sum + ownCount, 0);
  const weightTotal = cases.reduce((sum, { weight }) => sum + weight, 0);
  let weightBefore = 0;
  let firstSessionId = 1;
  return cases.map(({ story, pace, ownCount, weight, region }, index) => {
    // Differences of a running total, so that rounding loses no session.
    const from = Math.floor((weightBefore * shared) / weightTotal);
    weightBefore += weight;
    const sessionCount = ownCount + Math.floor((weightBefore * shared) / weightTotal) - from;
    const plan = { id: index + 1, region, story, pace, firstSessionId, sessionCount };
    firstSessionId += sessionCount;
    return plan;
  });
}

function paceOf(story: Story, random: Random): Pace {
  if (story === 'single') return 'single';
  if (story === 'entry-open') return 'timed';
  if (story !== 'ordinary') return 'repertory';
  if (random.chance(SINGLE_RATE)) return 'single';
  return random.chance(TIMED_RATE) ? 'timed' : 'repertory';
}
