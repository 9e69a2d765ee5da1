// Checks a catalogue: its tables, every row, and every rule between rows. Opens it read-only.

import type { Instant } from '../catalogue/instant.ts';
import { openCatalogue } from '../database/open.ts';
import { checkCatalogue } from '../database/check/check-catalogue.ts';
import { examineContract } from '../database/contract/check-schema.ts';
import { stubsText } from '../database/check/stubs.ts';
import type { Finding } from '../findings.ts';

/**
 * Yields whatever is wrong with a catalogue, as it is found. `onRows` counts the rows checked.
 * @throws AppError database-…, contract-…
 */
export async function* checkDatabase(
  databasePath: string,
  tzdata: string,
  onRows: (table: string, rows: number) => void,
  now: Instant,
): AsyncGenerator<Finding> {
  await using reader = await openCatalogue(databasePath);
  yield* checkCatalogue(reader, { tzdata, now, onRows });
}

/**
 * SQL for the optional tables and columns that a catalogue lacks; empty if it has all.
 * @throws AppError database-…
 */
export async function missingStubs(databasePath: string): Promise<string> {
  await using reader = await openCatalogue(databasePath);
  const text = stubsText(await examineContract(reader));
  return text === '' || reader.schemas === '' ? text : `SET search_path = ${reader.schemas};\n\n${text}`;
}
