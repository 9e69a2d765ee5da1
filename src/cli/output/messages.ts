// What a command says on stderr: as text, or with --log-format json as one object a line. Only this
// file knows both forms.

import type { LogMessage } from '../../contract/log-message.ts';
import type { AppError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { escapeLine } from './escape.ts';
import { NO_PROGRESS } from './progress.ts';
import type { Terminal } from './terminal.ts';

export interface Message extends Pick<LogMessage, 'level' | 'code' | 'place' | 'message'> {
  readonly details?: readonly string[];
  /** What to do; commands to type on lines of their own. */
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

/** The same terminal with each message as a JSON object on a line, and without progress. */
export function withJsonMessages(terminal: Terminal, clock: () => number): Terminal {
  const log = (message: Message | string): void => {
    const at = new Date(Math.round(clock() * 1000)).toISOString();
    const {
      details = [],
      hint = [],
      ...said
    }: Message = typeof message === 'string' ? { level: 'info', message } : message;
    const hints = [hint].flat();
    const line: LogMessage = {
      at,
      ...said,
      ...(details.length === 0 ? {} : { details: [...details] }),
      ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
    };
    terminal.log(JSON.stringify(line));
  };
  return { ...terminal, log, progress: () => NO_PROGRESS };
}

/** Whether words ask for such messages: before they are parsed, and if they cannot be. */
export function asksForJsonMessages(argv: readonly string[]): boolean {
  return argv.some((word, i) => word === '--log-format=json' || (word === '--log-format' && argv[i + 1] === 'json'));
}
