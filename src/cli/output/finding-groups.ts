// Groups findings by what they have in common, with a count and three examples: a view that maps a
// column wrongly causes a finding in every row. Memory does not grow with the number of findings.

import type { Finding } from '../../findings.ts';
import { escapeLine } from './escape.ts';
import { countText } from '../../count-text.ts';
import { findingText, styled, type Terminal } from './terminal.ts';

const EXAMPLES = 3;

export interface Grouping {
  /** What findings of one kind must share to be in one group; '' if the kind is enough. */
  readonly locationOf: (finding: Finding) => string;
  /** What to type to see those that are not examples. */
  readonly toSeeAll: string;
}

export interface FindingGroup {
  /** What the findings have in common: `value-invalid sessions.starts_at`. */
  readonly title: string;
  readonly first: Finding;
  readonly count: number;
  /** The lines below the title: a few findings, the number of the others, and the hint. */
  readonly lines: readonly string[];
}

/** Findings of `check-db`: those of one column. */
export const BY_COLUMN: Grouping = { locationOf: columnOf, toSeeAll: '--all' };

/** Findings of `verify`: those of one kind. */
export const BY_KIND: Grouping = { locationOf: () => '', toSeeAll: 'playbill verify' };

/** The groups of all findings, sorted by location; those about the database itself come last. */
export async function groupsOf(
  findings: AsyncIterable<Finding>,
  { locationOf, toSeeAll }: Grouping,
): Promise<readonly FindingGroup[]> {
  const groups = new Map<string, { title: string; first: Finding; examples: Finding[]; count: number }>();
  for await (const finding of findings) {
    const { severity, code, hint = '' } = finding;
    const location = locationOf(finding);
    const key = [location === 'database' ? '~' : location, code, severity, hint].join('\n');
    const group = groups.get(key) ?? { title: `${code} ${location}`.trimEnd(), first: finding, examples: [], count: 0 };
    group.count += 1;
    if (group.examples.length < EXAMPLES) group.examples.push(finding);
    groups.set(key, group);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { title, first, examples, count }]) => ({
    title,
    first,
    count,
    lines: [
      ...(count === 1 ? [] : examples.map(({ place, message }) => `${place}: ${message}`)),
      ...(count > EXAMPLES ? [`and ${count - EXAMPLES} more: ${toSeeAll}`] : []),
      ...(first.hint === undefined ? [] : [`hint: ${first.hint}`]),
    ],
  }));
}

/** `sessions.starts_at`, or the table alone if the finding is not about one column. */
function columnOf({ place, column }: Finding): string {
  const [table = ''] = place.split(/[ .]/, 1);
  return column === undefined ? table : `${table}.${column}`;
}

/**
 * A group as text. Its only finding, or the title with the number of them; then the other lines,
 * indented.
 */
export function groupText(
  { title, first, count, lines }: FindingGroup,
  terminal: Pick<Terminal, 'isColoured'>,
): string {
  const severity = styled(first.severity, first.severity === 'error' ? 'bad' : 'warning', terminal);
  const head = count === 1 ? findingText(first, terminal) : `${severity} ${title}: ${countText(count, 'finding')}`;
  return [head, ...lines.map((line) => `  ${escapeLine(line)}`)].join('\n');
}
