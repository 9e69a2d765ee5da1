// Collects the findings of a tree's checks until they are taken, front by front. Locations and
// messages are raw: whoever prints them to a terminal escapes them.

import type { Finding, FindingCode, Severity } from '../../findings.ts';

/** Messages quote documents, which may contain texts of any length. */
const TEXT_LENGTH_MAX = 600;

export class FindingSink {
  /** The number of errors so far, including those already taken. */
  errors = 0;
  #waiting: Finding[] = [];

  error(code: FindingCode, place: string, message: string): void {
    this.errors += 1;
    this.#add('error', code, place, message);
  }

  warning(code: FindingCode, place: string, message: string): void {
    this.#add('warning', code, place, message);
  }

  /** Returns the findings since the last call. */
  take(): readonly Finding[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  #add(severity: Severity, code: FindingCode, place: string, message: string): void {
    const text = message.length <= TEXT_LENGTH_MAX ? message : `${message.slice(0, TEXT_LENGTH_MAX)}…`;
    this.#waiting.push({ severity, code, place, message: text });
  }
}

/** One message for several faults of one kind: the first in full, the others counted. */
export function summary(messages: readonly string[]): string {
  const [first = '', ...others] = messages;
  return others.length === 0 ? first : `${first}; and ${others.length} more of this kind`;
}
