// Draws a span of time as a line with a tick where each edition begins, all ticks in one path.
// Hidden from screen readers: the text next to it says the same.

import type { VNode } from 'preact';

interface TicksProps {
  /** The instants at both ends. */
  readonly span: readonly [from: number, until: number];
  /** The part of the span that is known to be right. */
  readonly known: readonly [from: number, until: number];
  /** Instants and heights, 0 to 1. */
  readonly ticks: readonly (readonly [at: number, height: number])[];
  /** An instant to highlight, or null. */
  readonly at: number | null;
}

const WIDTH = 10_000;

export function Ticks({ span: [from, until], known, ticks, at }: TicksProps): VNode {
  const position = (instant: number): number => Math.round(((instant - from) / Math.max(1, until - from)) * WIDTH);
  const clamped = (instant: number): number => Math.max(0, Math.min(WIDTH, position(instant)));
  const [start, end] = [clamped(known[0]), clamped(known[1])];
  const mark = ([instant, height]: readonly [number, number]): string =>
    `M${clamped(instant)} ${(50 - 48 * height).toFixed()}V${(50 + 48 * height).toFixed()}`;
  return (
    <svg class="ticks" viewBox={`0 0 ${WIDTH} 100`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path class="known" d={`M${start} 50H${Math.max(start, end)}`} />
      <path class="marks" d={ticks.map(mark).join('')} />
      {at !== null && at >= from && at <= until && <path class="at" d={`M${position(at)} 0V100`} />}
    </svg>
  );
}
