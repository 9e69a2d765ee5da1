// What the rule answers where it refuses: the problem document (RFC 9457) for a reason.
// A refusal is a constant of its reason: nothing of the request, the key ring or the tree gets into it (law 9).

import type { FieldLine } from './request.ts';
import type { RuleSettings } from './profile.ts';
import type { Reason, REFUSALS } from './reasons.ts';

export interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly reason: Reason;
  readonly headers: readonly FieldLine[];
  /** The problem document; left out of an answer to HEAD. */
  readonly body: string;
}

/** The refusal for a reason. A 401 needs the settings: it says how to sign under each profile that is on. */
export const refuse = <R extends Reason>(
  status: (typeof REFUSALS)[R]['status'],
  reason: R,
  settings?: RuleSettings,
): Refusal => {
  const problem = { type: `urn:playbill:${reason}`, title: reason.replace(/-/g, ' '), status, code: reason };
  let headers: readonly FieldLine[] = [
    ['Content-Type', 'application/problem+json'],
    ['Cache-Control', 'no-store'],
  ];
  if (status === 405) headers = headers.concat([['Allow', 'GET, HEAD']]);
  if (status === 401) settings?.profiles.forEach((profile) => (headers = headers.concat(profile.challenge(settings))));
  return { kind: 'refuse', status, reason, headers, body: `${JSON.stringify(problem)}\n` };
};
