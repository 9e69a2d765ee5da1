// A stretch of time drawn as a line with ticks where editions begin. One path, however many there are; the words beside it say the same.

import type { VNode } from 'preact';

interface TicksProps {
  /** Instants: the whole width, and the part of it that is known to be right. */
  readonly span: readonly [from: number, until: number];
  readonly known: readonly [from: number, until: number];
  readonly marks: readonly number[];
  /** A place to point out; null for none. */
  readonly at: number | null;
}

const WIDTH = 10_000;

export function Ticks({ span: [from, until], known, marks, at }: TicksProps): VNode {
  const place = (instant: number): number => Math.round(((instant - from) / Math.max(1, until - from)) * WIDTH);
  const clamped = (instant: number): number => Math.max(0, Math.min(WIDTH, place(instant)));
  const [start, end] = [clamped(known[0]), clamped(known[1])];
  return (
    <svg class="ticks" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path class="known" d={`M${start} 5H${Math.max(start, end)}`} />
      <path class="marks" d={marks.map((mark) => `M${clamped(mark)} 1V9`).join('')} />
      {at !== null && at >= from && at <= until && <path class="at" d={`M${place(at)} 0V10`} />}
    </svg>
  );
}
