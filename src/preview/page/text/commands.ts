// Commands that the page offers to copy: what to type where the page cannot help by itself.

import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import { shellWord } from '../../../errors.ts';
import type { Overview } from '../../messages.ts';

type Places = Pick<Overview, 'root' | 'database'>;

/** `playbill build`, with the places that are not the usual ones. */
export function buildCommand({ root, database }: Places): string {
  return ['playbill build', ...databaseFlag(database), ...rootFlag(root)].join(' ');
}

export function verifyCommand({ root }: Places): string {
  return ['playbill verify', ...rootFlag(root)].join(' ');
}

/** Why a product has a card or none. A slug is left open where it is not known. */
export function explainCommand({ database }: Places, front: string, slug: string | null, at: Instant): string {
  const product = slug === null ? 'SLUG' : shellWord(slug);
  const command = `playbill explain --front ${shellWord(front)} --product ${product}`;
  return [command, `--at ${formatInstant(at)}`, ...databaseFlag(database)].join(' ');
}

/** The preview, with a catalogue that it can ask. */
export function previewCommand({ root }: Places): string {
  return ['playbill preview', ...rootFlag(root), '--db CATALOGUE.sqlite'].join(' ');
}

function rootFlag(root: string): string[] {
  return root === 'out' ? [] : [`--out ${shellWord(root)}`];
}

function databaseFlag(database: string | null): string[] {
  return database === null || database === 'data/catalogue.sqlite' ? [] : [`--db ${shellWord(database)}`];
}
