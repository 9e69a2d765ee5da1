// Reads files of rows into a catalogue, which is made if there is none.

import { createReadStream } from 'node:fs';
import { importRows, type ImportOptions, type ImportResult } from '../database/write/import-rows.ts';

/**
 * Imports files of rows in one transaction; `-` is `stdin`. @throws AppError import-…, database-…, contract-…
 */
export function importFiles(
  files: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportResult> {
  const sources = files.map((file) =>
    file === '-' ? { name: 'stdin', open: () => stdin } : { name: file, open: () => createReadStream(file) },
  );
  return importRows(sources, options);
}
