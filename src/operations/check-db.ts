// Checks a catalogue: its tables, every row, and every rule between rows. Opens it read-only.

import type { Instant } from '../catalogue/instant.ts';
import { openCatalogue } from '../database/open.ts';
import { checkCatalogue, type CheckOptions } from '../database/check/check-catalogue.ts';
import type { Finding } from '../findings.ts';

/**
 * Yields whatever is wrong with a catalogue, as it is found. `onAbsent` gets what it lacks and may
 * lack; `onRows` counts the rows checked.
 * @throws AppError database-…, contract-…
 */
export async function* checkDatabase(
  databasePath: string,
  tzdata: string,
  { onAbsent, onRows }: Pick<CheckOptions, 'onAbsent' | 'onRows'>,
  now: Instant,
): AsyncGenerator<Finding> {
  await using reader = await openCatalogue(databasePath);
  yield* checkCatalogue(reader, { tzdata, now, onAbsent, onRows });
}
