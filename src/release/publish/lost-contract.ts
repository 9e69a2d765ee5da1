// The guard on tables and columns that the published release had and the catalogue now lacks
// (catalogue.md, "What may be absent"): a migration that drops a column must not unlock what it
// locked.

import type { Manifest } from '../../contract/manifest.ts';
import { AppError } from '../../errors.ts';
import { isAllowed, type GuardOptions } from './guards.ts';

/** Of what is absent now, what was not when the release was made. */
export function lostSince(manifest: Pick<Manifest, 'absent'> | null, absent: readonly string[]): readonly string[] {
  if (manifest === null) return [];
  const before = new Set(manifest.absent);
  // With its table a column is lost, and absent.
  return absent.filter((name) => !before.has(name) && !before.has(name.replace(/\..*/, '')));
}

/** @throws AppError contract-lost */
export function refuseLost(
  manifest: Pick<Manifest, 'absent'> | null,
  absent: readonly string[],
  guards: Pick<GuardOptions, 'allow' | 'force'>,
): void {
  const lost = lostSince(manifest, absent);
  if (lost.length === 0 || isAllowed('contract-lost', guards)) return;
  const message = `expected the tables and columns that the published release had, found no ${lost.join(', ')}`;
  throw new AppError(
    'contract-lost',
    message,
    'bring them back; or, if they are no longer used, --allow contract-lost',
  );
}
