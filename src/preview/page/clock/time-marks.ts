// The labels of a timeline: hours of the front's wall time, as many as fit, and midnights with
// their date.

import type { Zone } from '../../../catalogue/calendar.ts';
import { instantOf, type Instant } from '../../../catalogue/instant.ts';
import type { Timeline } from '../state/scene.ts';
import { shortDateText } from '../text/descriptions.ts';

export interface TimeMark {
  readonly at: Instant;
  /** `15:00`; at midnight `Sat 2 May`. */
  readonly text: string;
  readonly isMidnight: boolean;
  /** Hidden on narrow screens. */
  readonly isMinor: boolean;
}

const HOURS_MAX = 12;
const MIDNIGHTS_MAX = 6;
const STEPS_HOURS = [1, 2, 3, 6, 12, 24];

/** Offsets are multiples of a quarter of an hour, so stepping by quarters meets every full hour. */
const QUARTER_SECONDS = 900;

export function timeMarks({ first, last }: Timeline, zone: Zone): TimeMark[] {
  const hours = (last - first) / 3600;
  const step = STEPS_HOURS.find((one) => hours / one <= HOURS_MAX) ?? 24;
  const days = Math.ceil(hours / 24 / MIDNIGHTS_MAX);
  const marks: TimeMark[] = [];
  let midnights = 0;
  for (let at = Math.ceil(first / QUARTER_SECONDS) * QUARTER_SECONDS; at <= last; at += QUARTER_SECONDS) {
    const wall = zone.format(instantOf(at));
    const hour = Number(wall.slice(11, 13));
    if (wall.slice(14, 16) !== '00' || hour % step !== 0) continue;
    const isMidnight = hour === 0;
    // Every third mark fits on the narrowest screen.
    const isMinor = isMidnight ? hours > 72 && (midnights / days) % 3 !== 0 : hour % (step * 3) !== 0;
    const isLeftOut = isMidnight && midnights++ % days !== 0;
    const text = isMidnight ? shortDateText(wall) : wall.slice(11, 16);
    if (!isLeftOut) marks.push({ at: instantOf(at), text, isMidnight, isMinor });
  }
  return marks.map((mark) => ({ ...mark, isMinor: mark.isMinor || isBesideMidnight(mark, marks, step) }));
}

/** Hours near a midnight give way to it: a date is wider than a time. */
function isBesideMidnight({ at, isMidnight }: TimeMark, marks: readonly TimeMark[], step: number): boolean {
  return !isMidnight && marks.some((mark) => mark.isMidnight && Math.abs(mark.at - at) < 4 * step * 3600);
}

/**
 * The height of an edition's tick, 0 to 1: grows with the logarithm of the number of changes; 0.5
 * if that is unknown.
 */
export function tickHeight(count: number | undefined): number {
  return count === undefined ? 0.5 : Math.min(1, 0.3 + Math.log2(count + 1) / 8);
}
