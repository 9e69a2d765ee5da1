// Reads files of rows into a catalogue, and creates the catalogue if there is none.

import { createReadStream } from 'node:fs';
import { importRows, type ImportOptions, type ImportResult } from '../database/write/import-rows.ts';
import type { ImportSource } from '../database/write/input-rows.ts';
import { mirrorRows, type MirrorOptions, type MirrorResult } from '../database/write/mirror-rows.ts';

/**
 * Imports the rows of files in one transaction. `-` stands for `stdin`.
 * @throws AppError import-…, database-…, contract-…
 */
export function importFiles(
  files: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportResult> {
  return importRows(sourcesOf(files, stdin), options);
}

/**
 * Makes the catalogue hold exactly the rows of the files, in one transaction.
 * @throws AppError import-…, database-…, contract-…
 */
export function mirrorFiles(
  files: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  options: MirrorOptions,
): Promise<MirrorResult> {
  return mirrorRows(sourcesOf(files, stdin), options);
}

function sourcesOf(files: readonly string[], stdin: AsyncIterable<Uint8Array>): readonly ImportSource[] {
  return files.map((file) =>
    file === '-' ? { name: 'stdin', open: () => stdin } : { name: file, open: () => createReadStream(file) },
  );
}
