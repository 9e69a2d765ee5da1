// Periods of time, which may be open at either end.

import type { Instant } from './instant.ts';

/** [from, until); -Infinity and Infinity stand for open ends. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** The period without ends. One shared object, because almost every period is this one. */
export const ALWAYS: Period = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** Why an instant is outside a period; null if it is inside. */
export function outsideOf(period: Period, instant: Instant): 'not-yet' | 'ended' | null {
  if (instant < period.from) return 'not-yet';
  return instant < period.until ? null : 'ended';
}

export function periodContains(period: Period, instant: Instant): boolean {
  return outsideOf(period, instant) === null;
}
