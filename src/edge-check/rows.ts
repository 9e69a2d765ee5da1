// The result of a check: a row that is ok, differs, or was not checked.

import type { CheckName } from './checks.ts';
import type { EdgeCheck } from '../contract/results/edge.ts';
import { AppError } from '../errors.ts';
import type { EdgeAnswer } from './exchange.ts';

export function ok(check: CheckName, expected: string, found = expected): EdgeCheck {
  return { check, state: 'ok', expected, found, hint: null };
}

export function differs(check: CheckName, expected: string, found: string, hint: string): EdgeCheck {
  return { check, state: 'differs', expected, found, hint };
}

/** `why`: the reason, or the option that the check needs. */
export function notChecked(check: CheckName, expected: string, why: string): EdgeCheck {
  return { check, state: 'not-checked', expected, found: null, hint: why };
}

/**
 * `found`: what differs; null if nothing does. `right`: the text for `found` in a row that is ok.
 */
export function judged(
  check: CheckName,
  expected: string,
  found: string | null,
  hint: string,
  right?: string,
): EdgeCheck {
  return found === null ? ok(check, expected, right) : differs(check, expected, found, hint);
}

/** Runs a check. A request without an answer counts as a difference. */
export async function rowOf(check: CheckName, expected: string, asking: () => Promise<EdgeCheck>): Promise<EdgeCheck> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof AppError && error.code === 'edge-unreachable')
      return differs(check, expected, error.message, error.hint);
    throw error;
  }
}

/** An answer in a few words: `401 signature-missing`, `200 text/html`, `301 to https://…`. */
export function answerText(answer: EdgeAnswer): string {
  const { status } = answer;
  const location = answer.field('location');
  if (status >= 300 && status < 400 && location !== null) return `${status} to ${location}`;
  const coding = answer.field('content-encoding');
  const type = answer.field('content-type') ?? 'without a Content-Type';
  return `${status} ${codeOf(answer) ?? type}${coding === null ? '' : ` with Content-Encoding: ${coding}`}`;
}

/** The code of a refusal by the rule; null for any other answer. */
export function codeOf(answer: EdgeAnswer): string | null {
  if (!/^application\/problem\+json\b/.test(answer.field('content-type') ?? '')) return null;
  const problem = jsonOf(answer.content);
  const code = typeof problem === 'object' && problem !== null ? Reflect.get(problem, 'code') : null;
  return typeof code === 'string' ? code : null;
}

/** Whether something in front of the rule answered, because of a rate limit or a failure. */
export function isOverloaded(answer: EdgeAnswer): boolean {
  return codeOf(answer) === null && (answer.status === 429 || answer.status >= 500);
}

/** undefined for anything but JSON. */
export function jsonOf(content: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(content).toString());
  } catch {
    return undefined;
  }
}
