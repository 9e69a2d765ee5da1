// What commands write to: results to stdout, messages and progress to stderr. The only place that knows whether a person reads.

import type { AppError } from '../errors.ts';

export interface Terminal {
  /** Prints a line of the result. */
  readonly print: (text: string) => void;
  /** Says something beside the result. */
  readonly say: (text: string) => void;
  /** A bar on stderr where that is a terminal; elsewhere nothing. */
  readonly progress: (label: string) => Promise<Progress>;
  readonly isColoured: boolean;
}

export interface Progress {
  readonly show: (done: number, total: number) => void;
  readonly end: () => void;
}

const NO_PROGRESS: Progress = { show: () => undefined, end: () => undefined };

export function processTerminal(): Terminal {
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    say: (text) => void process.stderr.write(`${text}\n`),
    progress: async (label) => {
      if (!process.stderr.isTTY) return NO_PROGRESS;
      const { SingleBar, Presets } = await import('cli-progress');
      const format = `${label} {bar} {value}/{total}`;
      const bar = new SingleBar(
        { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
        Presets.shades_classic,
      );
      let isStarted = false;
      return {
        show: (done, total) => {
          if (!isStarted) bar.start(total, done);
          else bar.update(done);
          isStarted = true;
        },
        end: () => {
          if (isStarted) bar.stop();
        },
      };
    },
    isColoured: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  };
}

/** An error as a person reads it: code and message, then what to type. */
export function errorText(error: AppError): string {
  return `error ${error.code}: ${error.message}\n  hint: ${error.hint}`;
}

/** A table whose columns line up; numbers to the right. Cells are plain ASCII but for the last column. */
export function tableText(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => String(row[i] ?? '').length)));
  const line = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        return typeof rows[0]?.[i] === 'number' ? String(cell).padStart(width) : String(cell).padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** Bytes with a unit: 1234567 → `1.2 MB`. */
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

/** `1 front`, `2 fronts`. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** A span of time in its two largest units, rounded down: 5025 → `1h23m`; `-` before one that is past. */
export function spanText(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const;
  const span = Math.abs(seconds);
  const first = units.findIndex(([, size]) => span >= size);
  if (first === -1) return '0s';
  const parts = units.slice(first, first + 2).map(([unit, size], i) => {
    const whole = i === 0 ? span : span % (units[first]?.[1] ?? 1);
    return [Math.floor(whole / size), unit] as const;
  });
  const text = parts.map(([amount, unit], i) => (i > 0 && amount === 0 ? '' : `${amount}${unit}`)).join('');
  return seconds < 0 ? `-${text}` : text;
}

/** A text of at most `width` characters, cut with an ellipsis. */
export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
