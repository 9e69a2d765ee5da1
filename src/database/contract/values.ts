// From values of checked rows to those of the catalogue: canonical text to instants, nullable ends
// to open periods.

import { ALWAYS, type Period } from '../../catalogue/period.ts';
import { instantOfText, parseWallTime } from '../../catalogue/instant.ts';

/** The seconds of a wall time, as if it were UTC, of a text that a row check has accepted. */
export function wallTimeIn(text: string): number {
  const wallTime = parseWallTime(text);
  if (wallTime === undefined) throw new Error(`not checked: ${text}`);
  return wallTime;
}

/** The names in `price_tiers.channels`; null: everywhere. */
export function channelsOf(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ');
}

/** A half-open period from two nullable ends. */
export function periodOf(from: string | null, until: string | null): Period {
  if (from === null && until === null) return ALWAYS;
  return {
    from: from === null ? Number.NEGATIVE_INFINITY : instantOfText(from),
    until: until === null ? Number.POSITIVE_INFINITY : instantOfText(until),
  };
}
