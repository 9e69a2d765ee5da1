// Periods of time, which may be open at either end.

import type { Instant } from './instant.ts';

/** [from, until); -Infinity and Infinity stand for open ends. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** The period without ends. One shared object, because almost every period is this one. */
export const ALWAYS: Period = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export function periodContains(period: Period, instant: Instant): boolean {
  return period.from <= instant && instant < period.until;
}
