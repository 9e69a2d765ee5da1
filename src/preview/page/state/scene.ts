// What a view state shows: which front, of which releases, which edition at which instant. Derived, never stored.

import { formatInstant, instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { Pointer } from '../../../contract/pointer.ts';
import { editionIndexAt } from '../../../render/edition-choice.ts';
import type { PreviewFront, PreviewRelease } from '../../messages.ts';
import type { ViewState } from './view-state.ts';
import { instantAt } from '../words/descriptions.ts';

/** One release's document of the front. */
export interface Side {
  readonly release: string;
  readonly pointer: Pointer;
  readonly record: PreviewFront['record'];
  /** Of the edition in force, from 0. */
  readonly index: number;
  /** Whether the instant lies in the time that the snapshot was made for. */
  readonly timeliness: 'early' | 'right' | 'stale';
}

/** The time that the slider spans, in whole seconds: both ends can be chosen. */
export interface Timeline {
  readonly first: Instant;
  readonly last: Instant;
  /** Where an edition of any side begins, ascending; without the first of each. */
  readonly ticks: readonly Instant[];
}

export interface Scene {
  readonly front: string;
  /** The instant asked for: the page is what visitors see then. */
  readonly asked: Instant;
  /** Where the slider stands: at `asked`, or at its nearer end. */
  readonly at: Instant;
  readonly timeline: Timeline;
  /** The release shown, and the one beside it where that has this front: the older one first, whichever was chosen. */
  readonly sides: readonly [Side, ...Side[]];
}

/** The front to show: the chosen one, whether or not it exists; else the first that can be shown. */
export function frontOf({ front }: ViewState, { fronts }: PreviewRelease): string | null {
  return front ?? (fronts.find(({ pointer }) => pointer !== null) ?? fronts[0])?.front ?? null;
}

/** null where the release does not have the front, or cannot show it. `now` is the server's clock. */
export function sceneOf(
  state: ViewState,
  release: PreviewRelease,
  beside: PreviewRelease | null,
  now: Instant,
): Scene | null {
  const front = frontOf(state, release);
  if (front === null) return null;
  // Outside the time of a snapshot its nearest edition is shown, and the page says so.
  const asked = state.at ?? now;
  const own = sideOf(release, front, formatInstant(asked));
  if (own === null) return null;
  const other = beside === null ? null : sideOf(beside, front, formatInstant(asked));
  const sides: Scene['sides'] =
    other === null ? [own] : own.pointer.now <= other.pointer.now ? [own, other] : [other, own];
  const timeline = timelineOf(sides.map(({ pointer }) => pointer));
  return { front, asked, at: clampTo(timeline, asked), timeline, sides };
}

/** What a release shows of a front; null where the release lacks it or its pointer cannot be read. */
function sideOf({ id, fronts }: PreviewRelease, front: string, instant: string): Side | null {
  const { pointer = null, record = null } = fronts.find((one) => one.front === front) ?? {};
  if (pointer === null) return null;
  const timeliness = instant < pointer.now ? 'early' : instant < pointer.validUntil ? 'right' : 'stale';
  return { release: id, pointer, record, index: editionIndexAt(pointer.products, instant), timeliness };
}

/** Paths of these editions below the tree's fronts, without those that the pointer does not have. */
export function editionPaths({ pointer: { front, products } }: Side, indexes: readonly number[]): string[] {
  const digests = indexes.flatMap((index) => products[index]?.split(' ')[1] ?? []);
  return digests.map((digest) => `${front}/products.${digest}.json`);
}

function timelineOf(pointers: readonly Pointer[]): Timeline {
  const firsts = pointers.map(({ now }) => instantAt(now));
  const untils = pointers.map(({ validUntil }) => instantAt(validUntil));
  const ticks = pointers.flatMap(({ products }) => products.slice(1).map((entry) => instantAt(entry.slice(0, 20))));
  const first = instantOf(Math.min(...firsts));
  // The last second for which the snapshot is right: at `validUntil` it no longer is.
  const last = instantOf(Math.max(first, Math.max(...untils) - 1));
  return { first, last, ticks: [...new Set(ticks)].sort((a, b) => a - b) };
}

export function clampTo({ first, last }: Timeline, at: Instant): Instant {
  return instantOf(Math.min(last, Math.max(first, at)));
}

/** The start of the next edition; the end after the last one. */
export function tickAfter({ ticks, last }: Timeline, at: Instant): Instant {
  return ticks.find((tick) => tick > at) ?? last;
}

/** The start of this edition, or of the one before where `at` is that instant; the beginning for the first. */
export function tickBefore({ ticks, first }: Timeline, at: Instant): Instant {
  return ticks.findLast((tick) => tick < at) ?? first;
}
