// The output of commands: results on stdout, messages and progress on stderr. Only this file knows
// whether a stream is a terminal. It escapes everything that a terminal would interpret.

import type { Finding } from '../../findings.ts';
import { escapeControls, escapeAllButColours, escapeLine } from './escape.ts';
import { messageJson, messageText, type Message } from './messages.ts';
import { NO_PROGRESS, ProgressLine, type Progress } from './progress.ts';
import { printAll, type Output } from './stdout.ts';
import { COLUMNS } from './text.ts';

export interface Terminal {
  /** Prints one or more lines of the result. */
  readonly print: (text: string) => void;
  /**
   * Prints a line of the result: escaped on a terminal, byte for byte elsewhere. For published
   * documents.
   */
  readonly printExact: (text: string) => void;
  /** Prints a result that is too large for memory: see `printAll` of stdout.ts. */
  readonly printAll: (pieces: AsyncGenerator<string>) => Promise<boolean>;
  /** Writes a message to stderr. A string is one of level `info`. */
  readonly log: (message: Message | string) => void;
  /**
   * A progress bar if stderr is a terminal, otherwise nothing. With a unit it shows a count, for
   * work whose total is unknown. Whatever else is written removes it; the next `show` brings it
   * back.
   */
  readonly progress: (label: string, unit?: string) => Progress;
  /** Whether results go to a terminal, which keeps and shows what it has printed. */
  readonly isTerminal: boolean;
  /** The width for tables: the terminal's, or 80. */
  readonly columns: number;
  /**
   * Whether results may be coloured: on a terminal, unless NO_COLOR is set. FORCE_COLOR is ignored,
   * so that a pipe gets plain text.
   */
  readonly isColoured: boolean;
}

export function terminalOn(
  stdout: Output,
  stderr: Output,
  environment: (name: string) => string | undefined,
): Terminal {
  // A dumb terminal prints escape sequences literally.
  const isDumb = environment('TERM') === 'dumb';
  // no-color.org: set and not empty.
  const isColoured = stdout.isTTY === true && (environment('NO_COLOR') ?? '') === '' && !isDumb;
  const safe = isColoured ? escapeAllButColours : escapeControls;
  const line = new ProgressLine(stderr);
  const write = (stream: Output, text: string): void => {
    line.erase();
    stream.write(text);
  };
  return {
    print: (text) => write(stdout, `${safe(text)}\n`),
    printExact: (text) => write(stdout, `${stdout.isTTY === true ? escapeControls(text) : text}\n`),
    printAll: (pieces) => printAll(stdout, pieces, () => line.erase()),
    log: (message) =>
      write(stderr, `${typeof message === 'string' ? escapeControls(message) : messageText(message)}\n`),
    progress: (label, unit) => (stderr.isTTY === true && !isDumb ? line.progress(label, unit) : NO_PROGRESS),
    isTerminal: stdout.isTTY === true,
    get columns() {
      return (stdout.isTTY === true && stdout.columns) || COLUMNS;
    },
    isColoured,
  };
}

/** The same terminal without progress, and with errors and warnings as its only messages. */
export function quiet(terminal: Terminal): Terminal {
  const log = (message: Message | string): void => {
    if (typeof message !== 'string' && (message.level === 'error' || message.level === 'warning'))
      terminal.log(message);
  };
  return { ...terminal, log, progress: () => NO_PROGRESS };
}

/** The same terminal with each message as a JSON object on a line, and without progress. */
export function withJsonMessages(terminal: Terminal, clock: () => number): Terminal {
  const log = (message: Message | string): void => terminal.log(messageJson(message, clock()));
  return { ...terminal, log, progress: () => NO_PROGRESS };
}

/** The meaning of a colour. */
export type Style = 'bad' | 'good' | 'warning';

const STYLES: Readonly<Record<Style, string>> = { bad: '31', good: '32', warning: '33' };

/** Colours text if the terminal allows it. */
export function styled(text: string, style: Style, { isColoured }: Pick<Terminal, 'isColoured'>): string {
  return isColoured ? `\u{1b}[${STYLES[style]}m${text}\u{1b}[0m` : text;
}

/** A finding on one line, its data escaped: `error value-invalid sessions 17: …`. */
export function findingText(finding: Finding, terminal: Pick<Terminal, 'isColoured'>): string {
  const { severity, code, place, message } = finding;
  const coloured = styled(severity, severity === 'error' ? 'bad' : 'warning', terminal);
  return `${coloured} ${code} ${escapeLine(place)}: ${escapeLine(message)}`;
}

/** A number of bytes with a unit: 1234567 → `1.2 MB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A duration as text: 21600 → `6h`. */
export function durationText(seconds: number): string {
  const amounts = { d: seconds / 86_400, h: (seconds / 3600) % 24, m: (seconds / 60) % 60, s: seconds % 60 };
  const parts = Object.entries(amounts).map(([unit, amount]) => (amount < 1 ? '' : `${Math.floor(amount)}${unit}`));
  return parts.join('') || '0';
}

/** A span of time in its two largest units, rounded down: 5025 → `1h23m`; -300 → `5m ago`. */
export function spanText(seconds: number): string {
  const span = Math.abs(seconds);
  const smallest = span >= 86_400 ? 3600 : span >= 3600 ? 60 : 1;
  const text = span < 1 ? '0s' : durationText(span - (span % smallest));
  return seconds < 0 ? `${text} ago` : text;
}
