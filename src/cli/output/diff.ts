// Formats differences for a terminal and as Markdown. Text from a catalogue is escaped accordingly.

import { Zone } from '../../catalogue/calendar.ts';
import type { ChangeCounts, DocumentChange, FrontDifference, PlannedDiffJson } from '../../contract/results/diff.ts';
import { changeText, countChanges, elementText, fieldText, summaryText } from '../../release/diff/document-diff.ts';
import { codeSpan, folded, zoneTimeText } from './text.ts';
import { countText } from '../../count-text.ts';

/** Formats the parts of a report. No part ends with a newline. */
export interface ReportStyle {
  /** A front with a short summary. */
  readonly front: (code: string, text: string) => string;
  /** The heading of a group of changes: their cause or start, and a summary. */
  readonly part: (title: string, summary: string) => string;
  readonly change: (change: DocumentChange) => string;
  /** Any other line. Its text is ours and is not escaped. */
  readonly note: (text: string) => string;
  /** Count changes instead of listing them. */
  readonly isBrief?: boolean;
}

const SIGN = { added: '+', gone: '-', changed: '~', moved: '>' } as const;

export const TERMINAL_STYLE: ReportStyle = {
  front: (code, text) => folded(`${code}: ${text}`, '', '  '),
  part: (title, summary) => folded(`${title}: ${summary}`, '  ', '    '),
  change: (change) => {
    const text = change.change === 'added' || change.change === 'gone' ? elementText(change) : changeText(change);
    return folded(text, `    ${SIGN[change.change]} `, '      ');
  },
  note: (text) => folded(text, '', '  '),
};

export const MARKDOWN_STYLE: ReportStyle = {
  front: (code, text) => `\n## ${codeSpan(code)}\n\n${text}`,
  part: (title, summary) => `\n### ${title}\n\n${summary}\n`,
  change: (change) => {
    const text = `- **${change.change}** ${codeSpan(elementText(change))}`;
    switch (change.change) {
      case 'added':
      case 'gone':
        return text;
      case 'changed':
        return `${text}: ${change.fields.map((field) => codeSpan(fieldText(field))).join('; ')}`;
      case 'moved':
        return `${text} from place ${change.placeBefore} to ${change.placeAfter}`;
    }
  },
  note: (text) => `\n${text}`,
};

/**
 * A group of changes under its title; empty if there are none. `counts` also covers changes that
 * are not in the list.
 */
export function partLines(
  title: string,
  changes: readonly DocumentChange[],
  style: ReportStyle,
  counts = countChanges(changes),
): string[] {
  const summary = summaryText(changes, counts);
  if (summary === '') return [];
  const more = totalOf(counts) - changes.length;
  return [
    style.part(title, summary),
    ...(style.isBrief === true ? [] : changes.map(style.change)),
    ...(more > 0 ? [`    … ${more} more`] : []),
  ];
}

function totalOf(counts: ChangeCounts): number {
  return Object.values(counts).reduce(
    (sum, { added, gone, changed, moved }) => sum + added + gone + changed + moved,
    0,
  );
}

/** The differences of one front. Only a dry run has `counts`. */
export function frontLines(
  difference: Omit<FrontDifference, 'upcoming'> &
    Partial<Pick<PlannedDiffJson['changed'][number], 'upcoming' | 'counts'>>,
  style: ReportStyle,
): string[] {
  const { front, timezone, cardsBefore, cardsAfter, clock, data, ambiguous, comparableUntil, counts } = difference;
  const upcoming = difference.upcoming ?? [];
  const zone = new Zone(timezone);
  const ambiguousTitle = `by clock or data (the older snapshot was right only until ${comparableUntil}, so the two cannot be separated)`;
  const cards = countText(cardsAfter, 'card');
  const more = counts ? totalOf(counts.upcoming) - upcoming.flatMap(({ changes }) => changes).length : 0;
  return [
    style.front(front, cardsBefore === cardsAfter ? cards : `${cardsBefore} → ${cards}`),
    ...partLines('by the clock', clock, style, counts?.clock),
    ...partLines('by the data', data, style, counts?.data),
    ...partLines(ambiguousTitle, ambiguous, style, counts?.ambiguous),
    ...upcoming.flatMap(({ from, changes }) =>
      partLines(`by the data, from ${zoneTimeText(from, zone)} on`, changes, style),
    ),
    ...(more > 0 ? [`    … ${more} more`] : []),
  ];
}

/** The differences of a dry run. Unchanged fronts are only counted. */
export function plannedDiffLines({ same, added, gone, changed, unknown }: PlannedDiffJson): string[] {
  const { front: frontLine } = TERMINAL_STYLE;
  return [
    'What would change:',
    ...added.map(({ front, cards }) => frontLine(front, `front added, ${countText(cards, 'card')}`)),
    ...gone.map(({ front, cards }) => frontLine(front, `front gone, ${countText(cards, 'card')}`)),
    ...changed.flatMap((difference) => frontLines(difference, TERMINAL_STYLE)),
    ...unknown.map((front) => frontLine(front, 'what is published is damaged (see: playbill verify)')),
    `${countText(same.length, 'front')} would show the same as before`,
  ];
}
