// Derives from the view state what to show: the front, the releases, the edition and the instant.
// Never stored.

import { formatInstant, instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { Pointer } from '../../../contract/pointer.ts';
import { entryOf } from '../../../contract/pointer-entry.ts';
import { editionIndexAt } from '../../../render/edition-choice.ts';
import type { PreviewFront, PreviewRelease } from '../../messages.ts';
import type { ViewState } from './view-state.ts';
import type { FrontUnits } from '../text/changes.ts';
import { instantAt, moneyOf, zoneOf } from '../text/descriptions.ts';

/** One release's document of the front at an instant. */
export interface Side {
  readonly release: string;
  readonly instant: Instant;
  readonly pointer: Pointer;
  readonly record: PreviewFront['record'];
  /** The index of the edition in force. */
  readonly index: number;
  /** Whether the instant lies within the time that the snapshot covers. */
  readonly timeliness: 'early' | 'right' | 'stale';
}

/** The time that the slider spans, both ends included. */
export interface Timeline {
  readonly first: Instant;
  readonly last: Instant;
  /**
   * The instants at which editions of any side begin, ascending; without the first of each side.
   */
  readonly ticks: readonly Instant[];
}

export interface Scene {
  readonly front: string;
  /** The chosen instant: the page shows what visitors see then. */
  readonly chosen: Instant;
  /** The position of the slider: `chosen`, or the nearer end of the timeline. */
  readonly at: Instant;
  /**
   * The same, or of a clock that runs its last whole minute: for what takes the server longer than
   * a second.
   */
  readonly steady: Instant;
  readonly timeline: Timeline;
  /**
   * The chosen release and instant, and what they are compared with, if that has this front; the
   * earlier instant first, and of one instant the older release.
   */
  readonly sides: readonly [Side, ...Side[]];
}

/**
 * The front to show: the chosen one, even if it does not exist; by default the first that can be
 * shown.
 */
export function frontOf({ front }: ViewState, { fronts }: PreviewRelease): string | null {
  return front ?? (fronts.find(({ pointer }) => pointer !== null) ?? fronts[0])?.front ?? null;
}

/**
 * null if the release does not have the front or its pointer cannot be read. `now` is the server's
 * clock.
 */
export function sceneOf(
  state: ViewState,
  release: PreviewRelease,
  beside: PreviewRelease | null,
  now: Instant,
): Scene | null {
  const front = frontOf(state, release);
  if (front === null) return null;
  // Outside the time that a snapshot covers, its nearest edition is shown, with a note.
  const chosen = state.at ?? now;
  const own = sideOf(release, front, chosen);
  if (own === null) return null;
  // The health of a front is that of one release at one instant.
  const isAlone = state.view === 'health' || (beside === null && state.from === null);
  const other = isAlone ? null : sideOf(beside ?? release, front, state.from ?? chosen);
  const sides: Scene['sides'] = other === null ? [own] : isBefore(own, other) ? [own, other] : [other, own];
  const timeline = timelineOf(sides.map(({ pointer }) => pointer));
  const at = clampTo(timeline, chosen);
  const steady = state.at === null ? clampTo(timeline, instantOf(at - (at % 60))) : at;
  return { front, chosen, at, steady, timeline, sides };
}

/** What a release shows of a front; null if the release lacks it or its pointer cannot be read. */
function sideOf({ id, fronts }: PreviewRelease, front: string, at: Instant): Side | null {
  const instant = formatInstant(at);
  const { pointer = null, record = null } = fronts.find((one) => one.front === front) ?? {};
  if (pointer === null) return null;
  const timeliness = instant < pointer.now ? 'early' : instant < pointer.validUntil ? 'right' : 'stale';
  return { release: id, instant: at, pointer, record, index: editionIndexAt(pointer.products, instant), timeliness };
}

function isBefore(one: Side, other: Side): boolean {
  return one.instant === other.instant ? one.pointer.now <= other.pointer.now : one.instant < other.instant;
}

export function unitsOf({ pointer: { timezone, today }, record }: Side): FrontUnits {
  return { zone: zoneOf(timezone), today, money: moneyOf(record?.currency ?? null) };
}

/**
 * The paths of these editions in the tree's fronts folder. Indexes that the pointer does not have
 * are skipped.
 */
export function editionPaths({ pointer: { front, products } }: Side, indexes: readonly number[]): string[] {
  const digests = indexes.flatMap((index) => products[index]?.split(' ')[1] ?? []);
  return digests.map((digest) => `${front}/products.${digest}.json`);
}

function timelineOf(pointers: readonly Pointer[]): Timeline {
  const firsts = pointers.map(({ now }) => instantAt(now));
  const untils = pointers.map(({ validUntil }) => instantAt(validUntil));
  const ticks = pointers.flatMap(({ products }) => products.slice(1).map((entry) => instantAt(entryOf(entry).from)));
  const first = instantOf(Math.min(...firsts));
  // The last second at which the snapshot is right; at `validUntil` it no longer is.
  const last = instantOf(Math.max(first, Math.max(...untils) - 1));
  return { first, last, ticks: [...new Set(ticks)].sort((a, b) => a - b) };
}

export function clampTo({ first, last }: Timeline, at: Instant): Instant {
  return instantOf(Math.min(last, Math.max(first, at)));
}

/** The start of the next edition; after the last one, the end of the timeline. */
export function tickAfter({ ticks, last }: Timeline, at: Instant): Instant {
  return ticks.find((tick) => tick > at) ?? last;
}

/**
 * The start of the edition in force, or of the one before if `at` is that start; for the first
 * edition, the start of the timeline.
 */
export function tickBefore({ ticks, first }: Timeline, at: Instant): Instant {
  return ticks.findLast((tick) => tick < at) ?? first;
}
