// Where the checks of a tree put what they find, until it is taken away, front by front. Places
// and messages are as they are found, for machines; a terminal gets them through cli/harmless.ts.

import type { Finding, FindingCode, Severity } from '../../findings.ts';

const TEXT_LENGTH_MAX = 600;

export class Report {
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
    this.#waiting.push({ severity, code, place, message: shortened(message) });
  }
}

/** Several things wrong of one kind, as one message: the first in full, the others counted. */
export function gathered(messages: readonly string[]): string {
  const [first = '', ...others] = messages;
  return others.length === 0 ? first : `${first}; and ${others.length} more of this kind`;
}

/** A message does not run on for ever: documents may contain anything. Making it harmless is for whoever shows it. */
function shortened(message: string): string {
  return message.length <= TEXT_LENGTH_MAX ? message : `${message.slice(0, TEXT_LENGTH_MAX)}…`;
}
