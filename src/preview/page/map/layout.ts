// Where sessions are drawn: the hours that the map spans, and the place of each bar in its row.

import { instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { DaySessions } from '../../messages.ts';
import type { Timeline } from '../state/scene.ts';
import { instantAt } from '../text/descriptions.ts';
import type { MapRow, MapSession } from './day-rows.ts';

export interface Axis {
  readonly from: Instant;
  readonly until: Instant;
}

const HOUR = 3600;

/** A night may run on into the next day; what lasts longer is cut off. */
const BEYOND_SECONDS = 4 * HOUR;

/** A session whose end is not known is drawn as long as this. */
const UNKNOWN_SECONDS = 0.75 * HOUR;

/** The whole hours of the day in which there are sessions, or into which the slider reaches. */
export function axisOf(day: DaySessions, rows: readonly MapRow[], { first, last }: Timeline): Axis {
  const [from, until] = [instantAt(day.from), instantAt(day.until)];
  let [start, end] = [Math.max(from, Math.min(first, until - HOUR)), Math.min(until, Math.max(last, from + HOUR))];
  for (const row of rows) {
    for (const { startsAt, endsAt } of row.kind === 'product' ? row.sessions : []) {
      start = Math.min(start, startsAt);
      end = Math.max(end, Math.min(endsAt ?? startsAt + UNKNOWN_SECONDS, until + BEYOND_SECONDS));
    }
  }
  const hours = (seconds: number, round: (hours: number) => number): Instant =>
    instantOf(from + round((seconds - from) / HOUR) * HOUR);
  return { from: hours(start, Math.floor), until: hours(end, Math.ceil) };
}

/** The place of an instant on the axis, 0 to 1. */
export function shareOf({ from, until }: Axis, instant: number): number {
  return Math.max(0, Math.min(1, (instant - from) / Math.max(1, until - from)));
}

export interface Bar {
  readonly session: MapSession;
  /** In pixels. */
  readonly left: number;
  readonly width: number;
  /** The line of the row, from 0 on. */
  readonly lane: number;
  /** Whether its time stands in it, behind it, or only in its tip. */
  readonly label: 'inside' | 'behind' | 'none';
}

export interface Layout {
  readonly bars: readonly Bar[];
  readonly lanes: number;
}

const BAR_PIXELS_MIN = 6;
const GAP_PIXELS = 1;
/** What `19:00` takes: in a bar with a sign before it, and behind one. */
const LABEL_PIXELS = { inside: 54, behind: 40 };
/** Sessions that overlap more often stand side by side, each until the next begins. */
const LANES_MAX = 2;

/** The bars of a row on an axis of so many pixels. */
export function layoutOf(sessions: readonly MapSession[], axis: Axis, pixels: number): Layout {
  const x = (instant: number): number => Math.round(shareOf(axis, instant) * pixels);
  const whole = sessions.map((session) => {
    const left = x(session.startsAt);
    const end = x(session.endsAt ?? session.startsAt + UNKNOWN_SECONDS);
    return { session, left, width: Math.max(BAR_PIXELS_MIN, end - left - GAP_PIXELS) };
  });
  const layout = inLanes(whole, pixels);
  if (layout.lanes <= LANES_MAX) return layout;
  const starts = [...new Set(whole.map(({ left }) => left)), pixels].sort((a, b) => a - b);
  return inLanes(
    whole.map((bar) => {
      const next = starts.find((start) => start > bar.left) ?? pixels;
      return { ...bar, width: Math.max(BAR_PIXELS_MIN, Math.min(bar.width, next - bar.left - GAP_PIXELS)) };
    }),
    pixels,
  );
}

/** Each bar in the first line in which it overlaps no other. */
function inLanes(bars: readonly Omit<Bar, 'lane' | 'label'>[], pixels: number): Layout {
  const lanes: Omit<Bar, 'lane' | 'label'>[][] = [];
  const placed = bars.map((bar) => {
    const free = lanes.findIndex((lane) => {
      const last = lane.at(-1);
      return last === undefined || last.left + last.width <= bar.left;
    });
    const lane = free < 0 ? lanes.length : free;
    (lanes[lane] ??= []).push(bar);
    return { ...bar, lane };
  });
  const labelOf = ({ lane, ...bar }: Omit<Bar, 'label'>): Bar['label'] => {
    if (bar.width >= LABEL_PIXELS.inside) return 'inside';
    const next = lanes[lane]?.find(({ left }) => left > bar.left)?.left ?? pixels;
    return next - bar.left - bar.width >= LABEL_PIXELS.behind ? 'behind' : 'none';
  };
  return { bars: placed.map((bar) => ({ ...bar, label: labelOf(bar) })), lanes: Math.max(1, lanes.length) };
}
