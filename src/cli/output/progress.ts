// Progress on one line of a terminal. The cursor stays visible and lines wrap as ever, so nothing
// has to be restored: a signal may end the process at any moment, even while SQLite works and no
// code of ours could run.

import stringWidth from 'fast-string-width';
import type { Output } from './stdout.ts';
import { COLUMNS } from './text.ts';

export interface Progress {
  readonly show: (done: number, total?: number) => void;
  /** Sets the text after the bar. */
  readonly note: (text: string) => void;
  /** Removes the line, whichever process drew it, before another process writes to the terminal. */
  readonly end: () => void;
}

export const NO_PROGRESS: Progress = { show: () => undefined, note: () => undefined, end: () => undefined };

const BAR_COLUMNS = 40;
const REDRAWN_AFTER_MS = 100;
const ERASE = '\r\u{1b}[2K';

/** The line of a terminal on which progress is drawn. */
export class ProgressLine {
  readonly #stream: Output;
  #isDrawn = false;
  #drawnAt = -Infinity;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  /** Removes the line, if there is one, before anything else is written. */
  erase(): void {
    if (this.#isDrawn) this.#erase();
  }

  #erase(): void {
    this.#stream.write(ERASE);
    this.#isDrawn = false;
  }

  /** Replaces the line. It is cut to the terminal's width, because only one row can be erased. */
  #draw(text: string): void {
    const room = (this.#stream.columns || COLUMNS) - 1;
    let line = '';
    for (const character of text) if (stringWidth(line + character) <= room) line += character;
    this.#stream.write(`${ERASE}${line}`);
    this.#isDrawn = true;
    this.#drawnAt = performance.now();
  }

  /** With a unit it shows a count, for work whose total is unknown. */
  progress(label: string, unit: string | undefined): Progress {
    let [done, total, note] = [0, 0, ''];
    const redraw = (): void => {
      // What was drawn a moment ago can still be read.
      if (this.#isDrawn && performance.now() - this.#drawnAt < REDRAWN_AFTER_MS) return;
      this.#draw(
        unit === undefined ? `${label} ${barText(done, total)} ${done}/${total}${note}` : `${label} ${done} ${unit}`,
      );
    };
    return {
      show: (...counts) => {
        [done, total = 0] = counts;
        redraw();
      },
      note: (text) => {
        note = text;
        if (this.#isDrawn) redraw();
      },
      end: () => this.#erase(),
    };
  }
}

function barText(done: number, total: number): string {
  const full = total === 0 ? 0 : Math.floor((Math.min(done, total) / total) * BAR_COLUMNS);
  return '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
}
