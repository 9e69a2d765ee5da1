// Parses the output of `explain` for the page.

export interface Section {
  /** A title, or a sentence if there are no lines. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** What to write above a section: a sentence has no title of its own. */
export function headingOf({ title, lines }: Section): string {
  if (lines.length > 0) return title;
  return title.startsWith('Next change') ? 'Next' : 'Why';
}

/**
 * Splits the output of `explain` into sections. A title or a single sentence starts at the margin;
 * the lines of a section are indented by two blanks, folded lines further. The verdict stays first;
 * sessions and prices follow.
 */
export function sectionsOf(text: string): Section[] {
  const unfolded = text.replaceAll(/\n {6}/g, ' ').replaceAll(/^(?!\w+:$)(\S.*)((?:\n {2}.*)+)/gm, unfold);
  const sections: { title: string; lines: string[] }[] = [];
  for (const line of unfolded.split('\n')) {
    if (line.startsWith('  ')) sections.at(-1)?.lines.push(line.trim());
    else sections.push({ title: line.replace(/^(\w+):$/, '$1'), lines: [] });
  }
  const rank = ({ title }: { title: string }): number => ['Sessions', 'Prices'].indexOf(title);
  const [verdict, ...others] = sections;
  const first = others.filter((one) => rank(one) >= 0).sort((a, b) => rank(a) - rank(b));
  return [...(verdict === undefined ? [] : [verdict]), ...first, ...others.filter((one) => rank(one) < 0)];
}

function unfold(_: string, first: string, rest: string): string {
  return first + rest.replaceAll(/\n {2}/g, ' ');
}
