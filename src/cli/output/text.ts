// Lines of a terminal: text of a catalogue made harmless, folded to eighty columns as a terminal counts them; and the same text
// made harmless for Markdown. Knows nothing of what the text says.

import type { Zone } from '../../catalogue/calendar.ts';
import { dateTextOf, isoWeekdayOf, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';

const COLUMNS = 80;

/**
 * Text that cannot steer a terminal or leave its line: controls, line ends, marks of direction and lone surrogates are written out as
 * `\u{…}`. Joiners stay, since Indic and Arabic names and emoji are spelt with them.
 */
export function escapeControls(text: string): string {
  return text.replace(/(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\u200C\u200D]/u;

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WITHOUT_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Folds a text, made harmless, behind a first lead and a lead of the other lines; a word that is too long is cut where it must be. */
export function folded(text: string, lead: string, nextLead: string): string {
  const lines: string[] = [];
  let line = lead;
  let isEmpty = true;
  const turn = (): void => {
    lines.push(line.trimEnd());
    line = nextLead;
    isEmpty = true;
  };
  for (const word of escapeControls(text).split(' ')) {
    if (!isEmpty && widthOf(line) + 1 + widthOf(word) > COLUMNS) turn();
    if (!isEmpty) line += ' ';
    isEmpty = false;
    for (const character of word) {
      // A mark without width stays with the letter it belongs to.
      if (widthOf(line) + widthOf(character) > COLUMNS) turn();
      line += character;
      isEmpty = false;
    }
  }
  lines.push(line.trimEnd());
  return lines.join('\n');
}

/**
 * Text as a code span of Markdown: nothing in it is markup, a mention or a link. The fence is longer than any run of backticks
 * inside (CommonMark, "Code spans").
 */
export function codeSpan(text: string): string {
  const shown = escapeControls(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

const WEEKDAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** An instant by the clock of a zone, `Sat 2026-05-02 00:00`; seconds only where there are any. */
export function wallTimeText(zone: Zone, instant: Instant): string {
  const wall = instant + zone.offsetAt(instant);
  const day = Math.floor(wall / SECONDS_PER_DAY);
  const time = zone.format(instant).slice(11, 19).replace(/:00$/, '');
  return `${WEEKDAYS[isoWeekdayOf(day)] ?? ''} ${dateTextOf(day)} ${time}`;
}
