// Opens a catalogue in an SQLite file as a copy of it in PostgreSQL; in SQLite where PostgreSQL
// cannot hold what is in it. Stands in for src/database/open.ts in suites that run on PostgreSQL
// (mirror-plugin.ts).

import { existsSync } from 'node:fs';
import { openCatalogue as openUnmirrored } from '../../../src/database/open.ts';
import type { CatalogueReader } from '../../../src/database/reader.ts';
import { createLooseTables, looseRows, refillLooseTables, type IdType } from './loose-tables.ts';
import { newSchema, type OwnSchema } from './own-schema.ts';

/** By the type of ids. */
const schemas = new Map<IdType, Promise<OwnSchema>>();
let openedTotal = 0;

export { databaseText, mayBeOpened, openForWriting, holdSnapshot } from '../../../src/database/open.ts';

/** How many catalogues were read from PostgreSQL so far. */
export function openedSoFar(): number {
  return openedTotal;
}

async function emptySchema(ids: IdType): Promise<OwnSchema> {
  const empty = await newSchema();
  await createLooseTables(empty, ids);
  return empty;
}

/** The rows of a file in the first type of ids in which a server holds them. */
function rowsIn(path: string): readonly [IdType, NonNullable<ReturnType<typeof looseRows>>] | null {
  for (const ids of ['numeric', 'text'] as const) {
    const rows = looseRows(path, ids);
    if (rows !== null) return [ids, rows];
  }
  return null;
}

export async function openCatalogue(address: string): Promise<CatalogueReader> {
  const found = existsSync(address) ? rowsIn(address) : null;
  if (found === null) return openUnmirrored(address);
  const [ids, rows] = found;
  const pending = schemas.get(ids) ?? emptySchema(ids);
  schemas.set(ids, pending);
  const schema = await pending;
  await refillLooseTables(schema, rows);
  openedTotal += 1;
  return openUnmirrored(schema.url);
}

export async function dropMirror(): Promise<void> {
  for (const schema of schemas.values()) await (await schema).drop();
  schemas.clear();
}
