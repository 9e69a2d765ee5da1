// Formats text from a catalogue: escaped and folded to 80 columns for a terminal, or escaped for
// Markdown. Also wall-clock times of a zone.

import stringWidth from 'fast-string-width';
import type { Zone } from '../../catalogue/calendar.ts';
import { dateTextOf, isoWeekdayOf, parseInstant, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import { escapeLine } from './escape.ts';

export const COLUMNS = 80;

/**
 * Escapes text and folds it to 80 columns. The first line begins with `lead`, the others with
 * `nextLead`. A word longer than a line is split. Not wrap-ansi: it has no leads, and it normalizes
 * Unicode, which would alter names.
 */
export function folded(text: string, lead: string, nextLead: string): string {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of escapeLine(text).split(' ')) {
    const isTooLong = stringWidth(nextLead + word) > COLUMNS;
    for (const [i, piece] of (isTooLong ? Array.from(word) : [word]).entries()) {
      // Measured together with the line: a combining mark or the next part of a joined emoji takes
      // no column of its own.
      const next = i === 0 && !isEmpty ? ` ${piece}` : piece;
      if (!isEmpty && stringWidth(line + next) > COLUMNS) {
        lines.push(line.trimEnd());
        line = nextLead + piece;
      } else line += next;
      isEmpty = false;
    }
  }
  return [...lines, line.trimEnd()].join('\n');
}

/**
 * Text as a Markdown code span, in which nothing is markup, a mention or a link. The fence is
 * longer than any run of backticks in the text (CommonMark, "Code spans").
 */
export function codeSpan(text: string): string {
  const shown = escapeLine(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

const WEEKDAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/**
 * An instant in a zone's wall time, `Sat 2026-05-02 00:00`. Seconds only if they are not zero, the
 * offset only if the time occurs twice.
 */
export function wallTimeText(zone: Zone, instant: Instant): string {
  const wall = instant + zone.offsetAt(instant);
  const day = Math.floor(wall / SECONDS_PER_DAY);
  const time = zone.format(instant).slice(11, 19).replace(/:00$/, '');
  return `${WEEKDAYS[isoWeekdayOf(day)] ?? ''} ${dateTextOf(day)} ${time} ${zone.offsetOfRepeated(instant)}`.trimEnd();
}

/**
 * Like wallTimeText, for an instant given as text. Text that is not an instant is returned
 * unchanged.
 */
export function zoneTimeText(text: string, zone: Zone): string {
  const instant = parseInstant(text);
  return instant === undefined ? text : wallTimeText(zone, instant);
}
