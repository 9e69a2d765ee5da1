// Groups the findings of `check-db` by column and kind, with a count and three examples: a view that maps a column wrongly causes a finding in
// every row. Memory does not grow with the number of findings.

import type { Finding } from '../../findings.ts';
import { escapeLine } from './escape.ts';
import { countText, findingText, styled, type Terminal } from './terminal.ts';

const EXAMPLES = 3;

interface FindingGroup {
  /** What the findings have in common: `value-invalid sessions.starts_at`. */
  readonly title: string;
  readonly examples: Finding[];
  count: number;
}

/** Yields nothing before the last finding. Groups are sorted by table and column; those about the database itself come last. */
export async function* groupedFindings(
  findings: AsyncIterable<Finding>,
  terminal: Pick<Terminal, 'isColoured'>,
): AsyncGenerator<string> {
  const groups = new Map<string, FindingGroup>();
  for await (const finding of findings) {
    const { severity, code, hint = '' } = finding;
    const location = locationOf(finding);
    const key = [location === 'database' ? '~' : location, code, severity, hint].join('\n');
    const group = groups.get(key) ?? { title: `${code} ${location}`, examples: [], count: 0 };
    group.count += 1;
    if (group.examples.length < EXAMPLES) group.examples.push(finding);
    groups.set(key, group);
  }
  for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) yield `${groupText(group, terminal)}\n`;
}

/** `sessions.starts_at`, or the table alone if the finding is not about one column. */
function locationOf({ place, column }: Finding): string {
  const [table = ''] = place.split(/[ .]/, 1);
  return column === undefined ? table : `${table}.${column}`;
}

function groupText({ title, examples, count }: FindingGroup, terminal: Pick<Terminal, 'isColoured'>): string {
  const [first] = examples;
  if (first === undefined) return '';
  const hint = first.hint === undefined ? [] : [`  hint: ${escapeLine(first.hint)}`];
  if (count === 1) return [findingText(first, terminal), ...hint].join('\n');
  const severity = styled(first.severity, first.severity === 'error' ? 'bad' : 'warning', terminal);
  return [
    `${severity} ${title}: ${countText(count, 'finding')}`,
    ...examples.map(({ place, message }) => `  ${escapeLine(`${place}: ${message}`)}`),
    ...(count > EXAMPLES ? [`  and ${count - EXAMPLES} more: --all`] : []),
    ...hint,
  ].join('\n');
}
