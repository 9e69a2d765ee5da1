// What `explain` prints, taken apart for the page.

/**
 * The sections of what `explain` prints: a title, or one sentence, at the margin; each line of it two blanks in, and what a terminal has
 * folded further in. Sessions and prices come first.
 */
export function sectionsOf(text: string): { readonly title: string; readonly lines: readonly string[] }[] {
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
