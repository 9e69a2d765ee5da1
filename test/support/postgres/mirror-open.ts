// Opens a catalogue in an SQLite file as a copy of it in PostgreSQL; in SQLite where PostgreSQL
// cannot hold what is in it. Stands in for src/database/open.ts in suites that run on PostgreSQL
// (mirror-plugin.ts).

import { existsSync } from 'node:fs';
import { openCatalogue as openUnmirrored } from '../../../src/database/open.ts';
import type { CatalogueReader } from '../../../src/database/reader.ts';
import { createLooseTables, looseRows, refillLooseTables } from './loose-tables.ts';
import { newSchema, type OwnSchema } from './own-schema.ts';

let schema: Promise<OwnSchema> | undefined;
/** The rows that the schema holds, as JSON: most catalogues are opened several times in a row. */
let filledWith = '';
let openedTotal = 0;

export { databaseText, mayBeOpened, openForWriting, holdSnapshot } from '../../../src/database/open.ts';

/** How many catalogues were read from PostgreSQL so far. */
export function openedSoFar(): number {
  return openedTotal;
}

async function emptySchema(): Promise<OwnSchema> {
  const empty = await newSchema();
  await createLooseTables(empty);
  return empty;
}

export async function openCatalogue(address: string): Promise<CatalogueReader> {
  const rows = existsSync(address) ? looseRows(address) : null;
  if (rows === null) return openUnmirrored(address);
  schema ??= emptySchema();
  const { url } = await schema;
  const text = JSON.stringify([...rows]);
  if (text !== filledWith) {
    filledWith = '';
    await refillLooseTables(await schema, rows);
    filledWith = text;
  }
  openedTotal += 1;
  return openUnmirrored(url);
}

export async function dropMirror(): Promise<void> {
  await (await schema)?.drop();
  schema = undefined;
  filledWith = '';
}
