// Where the checks of a tree put their findings, until they are taken away, front by front. Locations and messages are as they are in
// the tree, for machines; a terminal gets them escaped.

import type { Finding, FindingCode, Severity } from '../../findings.ts';

/** Documents may contain anything: a message does not run on for ever. */
const TEXT_LENGTH_MAX = 600;

export class FindingSink {
  /** How many errors there were so far, those taken away included. */
  errors = 0;
  #waiting: Finding[] = [];

  error(code: FindingCode, place: string, message: string): void {
    this.errors += 1;
    this.#add('error', code, place, message);
  }

  warning(code: FindingCode, place: string, message: string): void {
    this.#add('warning', code, place, message);
  }

  /** Hands over what has been found since the last call. */
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

/** Several faults of one kind as one message: the first in full, the others counted. */
export function summary(messages: readonly string[]): string {
  const [first = '', ...others] = messages;
  return others.length === 0 ? first : `${first}; and ${others.length} more of this kind`;
}
