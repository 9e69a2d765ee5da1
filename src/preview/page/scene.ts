// What is to be seen from a place: which front, of which releases, which edition at which instant. Derived, never stored.

import { formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import type { FrontView, ReleaseView } from '../messages.ts';
import type { Place } from './place.ts';
import { instantAt } from './words.ts';

/** One release's document of the front. */
export interface Side {
  readonly release: string;
  readonly front: string;
  readonly pointer: Pointer;
  readonly view: FrontView;
  /** Of the edition in force, from 0. */
  readonly index: number;
  readonly digest: string;
  /** Of the edition before; null for the first. */
  readonly digestBefore: string | null;
  /** From when the edition is in force. */
  readonly from: string;
  /** Whether the instant lies in the time that the snapshot was made for. */
  readonly timeliness: 'early' | 'right' | 'stale';
}

/** The time that the slider spans, in whole seconds: both ends can be chosen. */
export interface Timeline {
  readonly first: Instant;
  readonly last: Instant;
  /** Where an edition of any side begins, ascending; without the first of each. */
  readonly marks: readonly Instant[];
}

export interface Scene {
  readonly front: string;
  readonly at: Instant;
  readonly timeline: Timeline;
  /** The release shown, and the one beside it where that has this front. */
  readonly sides: readonly Side[];
}

/** The front to look at: the one that was asked for, whether or not it is there; else the first that can be shown. */
export function frontOf({ front }: Place, { fronts }: ReleaseView): string | null {
  return front ?? (fronts.find(({ pointer }) => pointer !== null) ?? fronts[0])?.front ?? null;
}

/** null where the release does not have the front, or cannot show it. `now` is the server's clock. */
export function sceneOf(place: Place, release: ReleaseView, beside: ReleaseView | null, now: Instant): Scene | null {
  const front = frontOf(place, release);
  if (front === null) return null;
  const own = readable(release, front);
  if (own.length === 0) return null;
  const shown = [...own, ...(beside === null ? [] : readable(beside, front))];
  const timeline = timelineOf(shown.map(({ pointer }) => pointer));
  const wanted = place.at ?? now;
  const at = within(timeline, wanted);
  const sides = shown.map(({ id, view, pointer }) => sideOf(id, view, pointer, formatInstant(wanted)));
  return { front, at, timeline, sides };
}

interface Readable {
  readonly id: string;
  readonly view: FrontView;
  readonly pointer: Pointer;
}

/** The front of a release; nothing where the release has none, or none that can be read. */
function readable({ id, fronts }: ReleaseView, front: string): Readable[] {
  const view = fronts.find((one) => one.front === front);
  return view === undefined || view.pointer === null ? [] : [{ id, view, pointer: view.pointer }];
}

/** `instant` as it was asked for: outside the snapshot's time the nearest edition is shown, and said to be. */
function sideOf(release: string, view: FrontView, pointer: Pointer, instant: string): Side {
  const index = editionIndexAt(pointer.products, instant);
  const [from = '', digest = ''] = (pointer.products[index] ?? '').split(' ');
  return {
    release,
    front: view.front,
    pointer,
    view,
    index,
    digest,
    digestBefore: pointer.products[index - 1]?.split(' ')[1] ?? null,
    from,
    timeliness: instant < pointer.now ? 'early' : instant < pointer.validUntil ? 'right' : 'stale',
  };
}

function timelineOf(pointers: readonly Pointer[]): Timeline {
  const firsts = pointers.map(({ now }) => instantAt(now));
  const untils = pointers.map(({ validUntil }) => instantAt(validUntil));
  const marks = pointers.flatMap(({ products }) => products.slice(1).map((entry) => instantAt(entry.slice(0, 20))));
  const first = instantOf(Math.min(...firsts));
  // The last second that the snapshot is right for: at `validUntil` it is not any more.
  const last = instantOf(Math.max(first, Math.max(...untils) - 1));
  return { first, last, marks: [...new Set(marks)].sort((a, b) => a - b) };
}

export function within({ first, last }: Timeline, at: Instant): Instant {
  return instantOf(Math.min(last, Math.max(first, at)));
}

/** Where the next edition begins; the end where none does. */
export function markAfter({ marks, last }: Timeline, at: Instant): Instant {
  return marks.find((mark) => mark > at) ?? last;
}

/** Where this edition has begun, or the one before where `at` is that instant; the beginning where none has. */
export function markBefore({ marks, first }: Timeline, at: Instant): Instant {
  return marks.findLast((mark) => mark < at) ?? first;
}
