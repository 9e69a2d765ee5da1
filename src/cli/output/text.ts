// Lines of a terminal: text of a catalogue escaped and folded to eighty columns; and the same text escaped for Markdown. Knows nothing about
// its content.

import stringWidth from 'fast-string-width';
import type { Zone } from '../../catalogue/calendar.ts';
import { dateTextOf, isoWeekdayOf, parseInstant, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import { escapeLine } from './escape.ts';

export const COLUMNS = 80;

/**
 * Folds a text, escaped, behind a first lead and a lead of the other lines; a word that is too long for any line is cut. By hand: the
 * library that folds (wrap-ansi) knows no leads, and normalizes names, which are then no longer those of the catalogue.
 */
export function folded(text: string, lead: string, nextLead: string): string {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of escapeLine(text).split(' ')) {
    const isTooLong = stringWidth(nextLead + word) > COLUMNS;
    for (const [i, piece] of (isTooLong ? Array.from(word) : [word]).entries()) {
      // Measured with the line: a mark, or the next part of a joined emoji, takes no column of its own.
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
 * Text as a code span of Markdown: nothing in it is markup, a mention or a link. The fence is longer than any run of backticks
 * inside (CommonMark, "Code spans").
 */
export function codeSpan(text: string): string {
  const shown = escapeLine(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

const WEEKDAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** An instant by the clock of a zone, `Sat 2026-05-02 00:00`; seconds only where there are any, the offset where the time occurs twice. */
export function wallTimeText(zone: Zone, instant: Instant): string {
  const wall = instant + zone.offsetAt(instant);
  const day = Math.floor(wall / SECONDS_PER_DAY);
  const time = zone.format(instant).slice(11, 19).replace(/:00$/, '');
  return `${WEEKDAYS[isoWeekdayOf(day)] ?? ''} ${dateTextOf(day)} ${time} ${zone.offsetOfRepeated(instant)}`.trimEnd();
}

/** The same of an instant as text; any other text stays as it is. */
export function zoneTimeText(text: string, zone: Zone): string {
  const instant = parseInstant(text);
  return instant === undefined ? text : wallTimeText(zone, instant);
}
