// What a command says on stderr: as text, or with --log-format json as one object a line.

import type { LogMessage } from '../../contract/log-message.ts';
import type { AppError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { escapeLine } from './escape.ts';

export interface Message extends Pick<LogMessage, 'level' | 'code' | 'place' | 'message'> {
  readonly details?: readonly string[];
  /** What to do; further lines are indented below the first. */
  readonly hint?: string | readonly string[];
}

/** An error that ended a command, or with another level something that did not. */
export function errorMessage(
  { code, message, details, hint }: Pick<AppError, 'code' | 'message' | 'details' | 'hint'>,
  level: Message['level'] = 'error',
): Message {
  return { level, code, message, details, hint };
}

export function findingMessage({ severity, code, place, message }: Finding): Message {
  return { level: severity, code, place, message };
}

/** `error CODE PLACE: MESSAGE`, a line for each detail, then the hint. */
export function messageText({ level, code, place, message, details = [], hint }: Message): string {
  const head = [level, code, place].filter((word) => word !== undefined).join(' ');
  const [first, ...commands] = hint === undefined ? [] : [hint].flat();
  const hints = first === undefined ? [] : [`hint: ${first}`, ...commands.map((command) => `  ${command}`)];
  const below = [...details, ...hints].map((line) => `  ${line}`);
  return [level === 'info' ? message : `${head}: ${message}`, ...below].map(escapeLine).join('\n');
}

/** The message as JSON, on one line. `seconds` since 1970. */
export function messageJson(message: Message | string, seconds: number): string {
  const {
    details = [],
    hint = [],
    ...said
  }: Message = typeof message === 'string' ? { level: 'info', message } : message;
  const hints = [hint].flat();
  const line: LogMessage = {
    at: new Date(Math.round(seconds * 1000)).toISOString(),
    ...said,
    ...(details.length === 0 ? {} : { details: [...details] }),
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
  };
  return JSON.stringify(line);
}

/** The value of a flag in words that are not parsed yet, or cannot be: the last counts. */
export function typedValue(flag: string, argv: readonly string[]): string | undefined {
  const values = argv.flatMap((word, i) => {
    if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
    return word === flag ? [argv[i + 1]] : [];
  });
  return values.at(-1);
}
