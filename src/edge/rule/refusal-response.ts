// What the rule answers where it refuses: the problem document (RFC 9457) for a reason. A refusal
// is a constant of its reason: nothing of the request, the key ring or the tree gets into it (law
// 9).

import type { FieldLine } from './request.ts';
import type { Reason, REFUSALS } from './refusal-codes.ts';

export interface Refusal {
  readonly kind: 'refuse';
  readonly status: number;
  readonly reason: Reason;
  readonly headers: readonly FieldLine[];
  /** The problem document; left out of an answer to HEAD. */
  readonly body: string;
}

/**
 * The refusal for a reason. `more`: header lines that its status needs; a 401 the challenge of a
 * profile, which says how to sign, a 405 Allow.
 */
export const refuse = <R extends Reason>(
  status: (typeof REFUSALS)[R]['status'],
  reason: R,
  more?: readonly FieldLine[],
): Refusal => {
  const problem = { type: `urn:playbill:${reason}`, title: reason.replace(/-/g, ' '), status, code: reason };
  const headers: readonly FieldLine[] = [
    ['Content-Type', 'application/problem+json'],
    ['Cache-Control', 'no-store'],
  ];
  return {
    kind: 'refuse',
    status,
    reason,
    headers: headers.concat(more ?? []),
    body: JSON.stringify(problem) + '\n',
  };
};
