// Writes sessions. Almost all start on the half-hour grid of the venue's wall time, so that changes
// of many products coincide. Most products have no session on most days.

import { DAY, instantText, MINUTE, wallText, type Zone } from './calendar.ts';
import { furtherDates } from './differences.ts';
import type { ProductPlan, Story } from './plan.ts';
import { itemInTurn } from './random.ts';
import type { Venue, Venues } from './products.ts';
import { DAYS_AFTER, DAYS_BEFORE, flag, type Seeding } from './seeding.ts';

export interface Session {
  readonly id: number;
  /** Seconds since the epoch. */
  readonly startsAt: number;
}

/** Start times in minutes after midnight: matinees, and more evenings. */
const EVENING_STARTS = [1080, 1110, 1140, 1140, 1140, 1170, 1170, 1200, 1200, 1260];
const DAY_STARTS = [600, 660, 720, 780, 840, 900, 960, 1020, 1320];
const ENTRIES_PER_DAY = 4;

/** How long a daily session is open; the latest one opens at 21:00. */
const DAILY_MINUTES = 120;

/** Stories about the first session, which must not be cancelled or sold out by chance. */
const PLANTED: ReadonlySet<string> = new Set<Story>(['starting-now', 'entry-open', 'midnight']);

const SCHEDULED = { status: 'scheduled', previous_starts_at: null };

interface Season {
  readonly venues: readonly Venue[];
  /** Days from today, in the venue's zone. */
  readonly firstDay: number;
  readonly daysTotal: number;
  /**
   * The first entry of a day, in minutes after midnight, and how long an entry can be bought after
   * its start.
   */
  readonly opensAt: number;
  readonly lateEntry: number;
  /** Whether sales of each session begin 30 days before it. */
  readonly opensSales: boolean;
}

/**
 * Writes the product's sessions, not in order of time, as in a grown catalogue. Returns them
 * ordered by id.
 */
export function writeSessions(seeding: Seeding, plan: ProductPlan, venues: Venues): Session[] {
  const season = seasonOf(seeding, plan, venues);
  return Array.from({ length: plan.sessionCount }, (_, index) => writeSession(seeding, plan, season, index));
}

function seasonOf({ random }: Seeding, { region, story }: ProductPlan, { all, byRegion }: Venues): Season {
  const home = random.pick(byRegion.get(region) ?? all);
  // A tour visits one venue anywhere in the world and a second one at home.
  const isTouring = story === 'touring' || random.chance(0.12);
  const isOver = story === 'over';
  const isComing = !isOver && story !== 'touring' && random.chance(0.22);
  const firstDay = isComing ? 3 + random.below(25) : isOver ? -20 : -DAYS_BEFORE;
  return {
    venues: isTouring ? [home, home, random.pick(all), random.pick(byRegion.get(region) ?? all)] : [home],
    firstDay,
    daysTotal: isOver ? 18 : DAYS_AFTER - firstDay,
    opensAt: random.pick([600, 630, 660, 720, 780]),
    lateEntry: random.pick([30, 60]) * MINUTE,
    opensSales: random.chance(0.2),
  };
}

function writeSession(seeding: Seeding, plan: ProductPlan, season: Season, index: number): Session {
  const { random, write } = seeding;
  const { story, pace } = plan;
  const isPlanted = index === 0 && PLANTED.has(story);
  const venue = random.pick(season.venues);
  const zone = seeding.zone(venue.timezone);
  const startsAt = startOf(seeding, plan, season, zone, index);
  const sessionId = plan.firstSessionId + index;
  const lasts = random.pick([90, 120, 150, 180]) * MINUTE;
  const lastEnd = lastEndOf(seeding, plan, zone, startsAt);
  const salesStart = salesStartOf(seeding, plan, season, zone, startsAt);
  const salesEnd = salesEndOf(seeding, plan, season, startsAt, index);
  write('sessions', {
    id: sessionId,
    product_id: plan.id,
    venue_id: venue.id,
    starts_at: instantText(startsAt),
    starts_local: random.chance(0.5) ? wallText(startsAt + zone.offsetAt(startsAt)) : null,
    ends_at: pace === 'timed' || random.chance(0.3) ? null : instantText(startsAt + lasts),
    daily: 0,
    sales_start_at: salesStart === null ? null : instantText(salesStart),
    sales_end_at: salesEnd === null ? null : instantText(salesEnd),
    ...(lastEnd === null ? {} : { daily: 1, ends_at: instantText(lastEnd), sales_end_at: null }),
    ...(isPlanted ? SCHEDULED : statusOf(seeding, plan, startsAt)),
    paused: flag(story === 'sessions-paused' || random.chance(0.01)),
    available: isPlanted ? null : availableOf(seeding, plan, startsAt > seeding.now),
  });
  return { id: sessionId, startsAt };
}

/** The end of a daily session: that of its last date. Null for any other. */
function lastEndOf(seeding: Seeding, plan: ProductPlan, zone: Zone, startsAt: number): number | null {
  const dates = furtherDates(seeding, plan);
  if (dates === null) return null;
  const wall = startsAt + zone.offsetAt(startsAt);
  return zone.instantAt(Math.floor(wall / DAY) + dates, (wall % DAY) / MINUTE + DAILY_MINUTES);
}

function startOf(
  seeding: Seeding,
  { story, pace, sessionCount }: ProductPlan,
  season: Season,
  zone: Zone,
  index: number,
) {
  const { random, now } = seeding;
  const today = zone.dayAt(now);
  if (index === 0 && story === 'starting-now') return now;
  if (index === 0 && story === 'entry-open') return now - 30 * MINUTE;
  if (index === 0 && story === 'midnight') return zone.instantAt(today + 1, 0);
  // Never in the past, which would be just another product that is over.
  if (pace === 'single') return zone.instantAt(today + random.below(DAYS_AFTER), random.pick(EVENING_STARTS));
  if (pace === 'timed') {
    const visitDays = Math.ceil(sessionCount / ENTRIES_PER_DAY);
    const step = Math.max(1, Math.floor(season.daysTotal / visitDays));
    const day = today + season.firstDay + ((Math.floor(index / ENTRIES_PER_DAY) * step) % season.daysTotal);
    return zone.instantAt(day, season.opensAt + 60 * (index % ENTRIES_PER_DAY));
  }
  const day = today + season.firstDay + random.below(season.daysTotal);
  const minutes = random.pick(random.chance(0.55) ? EVENING_STARTS : DAY_STARTS);
  // A rare start off the grid, such as 19:05 or 19:15.
  return zone.instantAt(day, random.chance(0.005) ? minutes + random.pick([5, 15, 20]) : minutes);
}

function salesStartOf(seeding: Seeding, { story }: ProductPlan, season: Season, zone: Zone, startsAt: number) {
  const today = zone.dayAt(seeding.now);
  if (story === 'announced') return zone.instantAt(today + 6, 600);
  if (story === 'opening-soon') return zone.instantAt(today + 1, 600);
  return season.opensSales ? zone.instantAt(zone.dayAt(startsAt) - 30, 600) : null;
}

function salesEndOf(
  { random, now }: Seeding,
  { story, pace }: ProductPlan,
  season: Season,
  startsAt: number,
  index: number,
) {
  if (index === 0 && story === 'entry-open') return now + 60 * MINUTE;
  if (index === 0 && story === 'starting-now') return null;
  if (pace === 'timed') return startsAt + season.lateEntry;
  if (random.chance(0.12)) return startsAt - 60 * MINUTE;
  return random.chance(0.005) ? startsAt + 10 * MINUTE : null;
}

function statusOf({ random }: Seeding, { story }: ProductPlan, startsAt: number) {
  const earlier = instantText(startsAt - (1 + random.below(30)) * DAY);
  if (story === 'cancelled' || random.chance(0.02)) return { status: 'cancelled', previous_starts_at: null };
  if (random.chance(0.01)) return { status: 'postponed', previous_starts_at: earlier };
  if (random.chance(0.01)) return { status: 'draft', previous_starts_at: null };
  return { status: 'scheduled', previous_starts_at: random.chance(0.01) ? earlier : null };
}

/**
 * Seats left. Past sessions keep their unsold seats. 0 is sold out; after overselling the number is
 * negative.
 */
function availableOf({ random }: Seeding, { story }: ProductPlan, isAhead: boolean): number | null {
  if (story === 'sold-out') return 0;
  if (random.chance(0.2)) return null;
  if (isAhead && random.chance(0.06)) return itemInTurn([0, 0, 0, 0, -2], random.below(5));
  return 1 + random.below(400);
}
