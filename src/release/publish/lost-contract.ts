// The guard on tables and columns that the published release had and the catalogue now lacks
// (catalogue.md, "What may be absent"): a migration that drops a column must not unlock what it
// locked.

import { isAddition, lostUses } from '../../contract/additions.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { isAllowed, type GuardOptions } from './guards.ts';

/** What a manifest says of the catalogue that the release was made of. */
type Had = Pick<Manifest, 'absent' | 'uses'>;

/** Of what is absent now, what was not when the release was made; of later additions, what was used. */
export function lostSince(manifest: Had | null, absent: readonly string[]): readonly string[] {
  if (manifest === null) return [];
  const before = new Set(manifest.absent);
  // With its table a column is lost, and absent.
  const first = absent.filter(
    (name) => !isAddition(name) && !before.has(name) && !before.has(name.replace(/\..*/, '')),
  );
  return [...first, ...lostUses(manifest.uses ?? [], absent)];
}

/** What the manifest says of them. */
export function contractEntries(absent: readonly string[], uses: Iterable<string>): Had {
  const first = absent.filter((name) => !isAddition(name));
  const later = [...uses].filter(isAddition).sort();
  return { ...(first.length === 0 ? {} : { absent: first }), ...(later.length === 0 ? {} : { uses: later }) };
}

/**
 * A build of some fronts cannot let a loss pass: the release would no longer have what was lost, and
 * the next build of all would show it to nobody.
 * @throws AppError contract-lost
 */
export function refuseLost(
  manifest: Had | null,
  absent: readonly string[],
  guards: Pick<GuardOptions, 'allow' | 'force'>,
  isPartial = false,
): void {
  const lost = lostSince(manifest, absent);
  if (lost.length === 0 || (!isPartial && isAllowed('contract-lost', guards))) return;
  const message = `expected the tables and columns that the published release had, found no ${lost.join(', ')}`;
  throw new AppError(
    'contract-lost',
    message,
    `bring them back; or, if they are no longer used, --allow contract-lost${isPartial ? ' in a build of all fronts, without --front' : ''}`,
  );
}
