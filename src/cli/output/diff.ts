// Differences as text for a terminal and as Markdown. Text of a catalogue is made harmless for where it goes.

import {
  changeText,
  changeCountsText,
  elementText,
  fieldText,
  summaryText,
  type DocumentChange,
} from '../../release/diff/document-diff.ts';
import type { PlannedChanges, PlannedDiff } from '../../release/diff/planned-diff.ts';
import { codeSpan, folded } from './text.ts';
import { countText } from './terminal.ts';

/** How the parts of a report look; every part ends without a line end. */
export interface ReportStyle {
  /** A front, and what there is to say of it in few words. */
  readonly front: (code: string, words: string) => string;
  /** A group of changes: why, or from when, and the summary of what. */
  readonly part: (title: string, summary: string) => string;
  readonly change: (change: DocumentChange) => string;
  /** Anything else: words of ours. */
  readonly note: (words: string) => string;
}

const SIGN = { added: '+', gone: '-', changed: '~', moved: '>' } as const;

export const TERMINAL_STYLE: ReportStyle = {
  front: (code, words) => folded(`${code}: ${words}`, '', '  '),
  part: (title, summary) => folded(`${title}: ${summary}`, '  ', '    '),
  change: (change) => {
    const words = change.change === 'added' || change.change === 'gone' ? elementText(change) : changeText(change);
    return folded(words, `    ${SIGN[change.change]} `, '      ');
  },
  note: (words) => folded(words, '', '  '),
};

export const MARKDOWN_STYLE: ReportStyle = {
  front: (code, words) => `\n## ${codeSpan(code)}\n\n${words}`,
  part: (title, summary) => `\n### ${title}\n\n${summary}\n`,
  change: (change) => {
    const words = `- **${change.change}** ${codeSpan(elementText(change))}`;
    switch (change.change) {
      case 'added':
      case 'gone':
        return words;
      case 'changed':
        return `${words}: ${change.fields.map((field) => codeSpan(fieldText(field))).join('; ')}`;
      case 'moved':
        return `${words} from place ${change.placeBefore} to ${change.placeAfter}`;
    }
  },
  note: (words) => `\n${words}`,
};

/** A group of changes with its title; under `isBrief` the title alone. Nothing where there are none. */
export function* partLines(
  title: string,
  changes: readonly DocumentChange[],
  style: ReportStyle,
  isBrief: boolean,
): Generator<string> {
  if (changes.length === 0) return;
  yield `${style.part(title, summaryText(changes))}\n`;
  if (isBrief) return;
  for (const change of changes) yield `${style.change(change)}\n`;
}

/** The differences of a dry run, front by front; fronts that stay as they are only counted. */
export function plannedDiffLines(diffs: readonly PlannedDiff[]): string[] {
  const lines: string[] = ['What would change:'];
  const style = TERMINAL_STYLE;
  for (const diff of diffs) {
    if (diff.state === 'same') continue;
    lines.push(style.front(diff.front, plannedText(diff)));
    lines.push(...plannedPart('by the clock', diff.clock));
    lines.push(...plannedPart('by the data', diff.data));
    lines.push(...plannedPart(ambiguousTitle(diff.comparableUntil), diff.ambiguous));
    // Where data differs now, later editions mostly differ by the same.
    if (diff.isLaterDifferent && diff.data.total === 0) {
      lines.push(folded('by the data: only editions to come differ', '  ', '    '));
    }
  }
  const same = diffs.filter(({ state }) => state === 'same').length;
  lines.push(`${countText(same, 'front')} would show the same as before`);
  return lines;
}

function plannedText({ state, cardsBefore, cardsAfter }: PlannedDiff): string {
  switch (state) {
    case 'added':
      return `front added, ${countText(cardsAfter ?? 0, 'card')}`;
    case 'gone':
      return 'front gone';
    case 'unknown':
      return 'what is published is damaged (see: playbill verify)';
    case 'same':
    case 'changed':
      return cardsText(cardsBefore ?? 0, cardsAfter ?? 0);
  }
}

function plannedPart(title: string, { counts, total, named }: PlannedChanges): string[] {
  if (total === 0) return [];
  const more = total - named.length;
  return [
    TERMINAL_STYLE.part(title, changeCountsText(counts)),
    ...named.map(TERMINAL_STYLE.change),
    ...(more > 0 ? [`    … ${more} more`] : []),
  ];
}

/** `28 → 27 cards`. */
export function cardsText(before: number, after: number): string {
  return before === after ? countText(after, 'card') : `${before} → ${countText(after, 'card')}`;
}

/** Why changes stand together that clock or data may have made. */
export function ambiguousTitle(comparableUntil: string | null): string {
  return `by clock or data (the older snapshot was right only until ${comparableUntil}, so they cannot be told apart)`;
}
