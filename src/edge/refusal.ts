// Every way in which the rule says no: the closed list of reasons, and the problem document (RFC 9457).
// A refusal is a constant of its reason: nothing of the request, the key ring or the tree gets into it (law 9).

import type { FieldLine } from './request.ts';
import type { RuleSettings } from './settings.ts';

/** Stable codes, the `code` of a problem document. */
export type Reason =
  | 'front-missing'
  | 'front-malformed'
  | 'signature-malformed'
  | 'signature-missing'
  | 'signature-component-missing'
  | 'signature-parameter-missing'
  | 'signature-expired'
  | 'signature-from-future'
  | 'signature-invalid'
  | 'front-not-allowed'
  | 'not-found'
  | 'method-not-allowed'
  | 'internal';

export interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly reason: Reason;
  readonly headers: readonly FieldLine[];
  /** The problem document; left out of an answer to HEAD. */
  readonly body: string;
}

/** The refusal for a reason. Settings matter to a 401 alone, which tells how to sign under each profile that is on. */
export const refuse = (status: number, reason: Reason, settings: RuleSettings): Refusal => {
  const problem = { type: `urn:playbill:${reason}`, title: reason.replace(/-/g, ' '), status, code: reason };
  let headers: readonly FieldLine[] = [
    ['Content-Type', 'application/problem+json'],
    ['Cache-Control', 'no-store'],
  ];
  if (status === 405) headers = headers.concat([['Allow', 'GET, HEAD']]);
  if (status === 401) settings.profiles.forEach((profile) => (headers = headers.concat(profile.challenge(settings))));
  return { kind: 'refuse', status, reason, headers, body: `${JSON.stringify(problem)}\n` };
};
