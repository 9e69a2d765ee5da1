// For how long a signature is accepted (edge.md, "Decisions").

import type { SignedRequest } from './profile.ts';
import type { Reason } from './refusal-codes.ts';

/**
 * A signature lives for five minutes, or for less if it says so; clocks may differ by one. Seconds.
 */
export const LIFETIME = 300;
export const CLOCK_SKEW = 60;

/**
 * created − skew ≤ now ≤ min(created + lifetime, expires) + skew, or why not. `now` in whole
 * seconds.
 */
export const checkWindow = (signed: SignedRequest, now: number): Reason | null => {
  if (now < signed.created - CLOCK_SKEW) return 'signature-from-future';
  return now > Math.min(signed.created + LIFETIME, signed.expires) + CLOCK_SKEW ? 'signature-expired' : null;
};
