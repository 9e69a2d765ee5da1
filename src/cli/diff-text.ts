// Differences as text for a terminal and as Markdown. Text of a catalogue is made harmless for where it goes.

import { changeWords, elementWords, fieldWords, summaryWords, type DocumentChange } from '../release/document-diff.ts';
import { codeSpan, folded } from './lines.ts';

/** How the parts of a report look; every part ends without a line end. */
export interface ReportStyle {
  /** A front, and what there is to say of it in few words. */
  readonly front: (code: string, words: string) => string;
  /** A group of changes: why, or from when. */
  readonly part: (title: string, changes: readonly DocumentChange[]) => string;
  readonly change: (change: DocumentChange) => string;
  /** Anything else: words of ours. */
  readonly note: (words: string) => string;
}

const SIGN = { added: '+', gone: '-', changed: '~', moved: '>' } as const;

export const TERMINAL_STYLE: ReportStyle = {
  front: (code, words) => folded(`${code}: ${words}`, '', '  '),
  part: (title, changes) => folded(`${title}: ${summaryWords(changes)}`, '  ', '    '),
  change: (change) => {
    const words = change.change === 'added' || change.change === 'gone' ? elementWords(change) : changeWords(change);
    return folded(words, `    ${SIGN[change.change]} `, '      ');
  },
  note: (words) => folded(words, '', '  '),
};

export const MARKDOWN_STYLE: ReportStyle = {
  front: (code, words) => `\n## ${codeSpan(code)}\n\n${words}`,
  part: (title, changes) => `\n### ${title}\n\n${summaryWords(changes)}\n`,
  change: (change) => {
    const words = `- **${change.change}** ${codeSpan(elementWords(change))}`;
    switch (change.change) {
      case 'added':
      case 'gone':
        return words;
      case 'changed':
        return `${words}: ${change.fields.map((field) => codeSpan(fieldWords(field))).join('; ')}`;
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
  yield `${style.part(title, changes)}\n`;
  if (isBrief) return;
  for (const change of changes) yield `${style.change(change)}\n`;
}
