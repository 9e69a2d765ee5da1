// A product's details as Markdown, for a ticket or a mail.

import type { Zone } from '../../../catalogue/calendar.ts';
import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import type { Fact } from './card-facts.ts';
import { dateText, zoneClockText } from './descriptions.ts';
import { headingOf, type Section } from './explanation.ts';
import { shown } from './safe-text.ts';

export interface MarkdownProduct {
  readonly name: string;
  readonly front: string;
  readonly at: Instant;
  readonly zone: Zone;
  /** The id of the release; null if no manifest names it. */
  readonly release: string | null;
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  readonly command: string;
}

export function markdownOf({ name, front, at, zone, release, facts, sections, command }: MarkdownProduct): string {
  const when = `${dateText(zone.format(at))}, ${zoneClockText(zone, at)} (${zone.name}, ${formatInstant(at)})`;
  const parts = [
    `## ${escaped(name)}`,
    `${escaped(front)}, ${when}${release === null ? '' : `, release ${release}`}`,
    ...(facts.length === 0 ? [] : [facts.map(([label, fact]) => `- ${label}: ${escaped(fact)}`).join('\n')]),
    ...sections.map((section) => {
      const { title, lines } = section;
      const body = lines.length === 0 ? escaped(title) : lines.map((line) => `- ${escaped(line)}`).join('\n');
      return `### ${headingOf(section)}\n\n${body}`;
    }),
    // Four blanks in front make it code, whatever it contains.
    `    ${command}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Text from the catalogue must not become markup where the Markdown is pasted. */
function escaped(text: string): string {
  return shown(text).replaceAll(/[\\`*_[\]<>#|~]/g, String.raw`\$&`);
}
