// Periods: from an instant, until another, open at either end.

import type { Instant } from './instant.ts';

/** A half-open period [from, until); -Infinity and Infinity where it is open. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** The period without ends: one shared object, since almost every period is this one. */
export const ALWAYS: Period = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export function periodContains(period: Period, instant: Instant): boolean {
  return period.from <= instant && instant < period.until;
}
