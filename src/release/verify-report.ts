// Where the checks of a tree put what they find, until it is taken away, front by front. Each finding stays one line, whatever
// a hostile name or document has in it.

import type { Finding, FindingCode, Severity } from '../catalogue/finding.ts';

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
    this.#waiting.push({ severity, code, place: oneLine(place), message: oneLine(message) });
  }
}

/** Several things wrong of one kind, as one message: the first in full, the others counted. */
export function gathered(messages: readonly string[]): string {
  const [first = '', ...others] = messages;
  return others.length === 0 ? first : `${first}; and ${others.length} more of this kind`;
}

/** Text that cannot leave its line, steer a terminal or run on for ever: names of files may contain anything. */
function oneLine(text: string): string {
  const start = text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX)}…`;
  return start.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
