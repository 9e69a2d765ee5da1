// Commands that the page offers to copy. Options are included only where they differ from the
// defaults.

import { formatInstant, type Instant } from '../../../catalogue/instant.ts';
import { shellWord } from '../../../errors.ts';
import type { Overview } from '../../messages.ts';

type Addresses = Pick<Overview, 'root' | 'database'>;

export function buildCommand({ root, database }: Addresses): string {
  return ['playbill build', ...databaseFlag(database), ...rootFlag(root)].join(' ');
}

export function verifyCommand({ root }: Addresses): string {
  return ['playbill verify', ...rootFlag(root)].join(' ');
}

/** Why a build would hold the front back. */
export function dryRunCommand(addresses: Addresses, front: string): string {
  return `${buildCommand(addresses)} --dry-run --front ${shellWord(front)}`;
}

/** `front` null: of the whole tree. */
export function resumeCommand({ root }: Addresses, front: string | null): string {
  const alone = front === null ? [] : [`--front ${shellWord(front)}`];
  return ['playbill rollback --resume', ...alone, ...rootFlag(root)].join(' ');
}

export function checkCommand({ database }: Addresses): string {
  return ['playbill check-db', ...databaseFlag(database)].join(' ');
}

export function statusCommand({ root }: Addresses, at: Instant): string {
  return ['playbill status', `--at ${formatInstant(at)}`, ...rootFlag(root)].join(' ');
}

/** `query`: of the page's address. */
export function exportCommand({ root, database }: Addresses, query: string, front: string): string {
  const folder = shellWord(`preview-${front}`);
  const address = `--address ${shellWord(`/${query.replaceAll('%3A', ':')}`)}`;
  return ['playbill preview', `--export ${folder}`, address, ...databaseFlag(database), ...rootFlag(root)].join(' ');
}

/** Without a slug, the command contains the placeholder SLUG. */
export function explainCommand({ database }: Addresses, front: string, slug: string | null, at: Instant): string {
  const product = slug === null ? 'SLUG' : shellWord(slug);
  const command = `playbill explain --front ${shellWord(front)} --product ${product}`;
  return [command, `--at ${formatInstant(at)}`, ...databaseFlag(database)].join(' ');
}

/** The preview with a catalogue. */
export function previewCommand({ root }: Addresses): string {
  return ['playbill preview', ...rootFlag(root), '--db CATALOGUE.sqlite'].join(' ');
}

function rootFlag(root: string): string[] {
  return root === 'out' ? [] : [`--out ${shellWord(root)}`];
}

function databaseFlag(database: string | null): string[] {
  return database === null || database === 'data/catalogue.sqlite' ? [] : [`--db ${shellWord(database)}`];
}
