// The SQL that creates a catalogue's tables.

import { readFileSync } from 'node:fs';
import type { DatabaseKind } from './reader.ts';

/** Paths in this repository and in the package. */
export const SCHEMA_FILES = {
  sqlite: 'data/schema.sql',
  postgres: 'data/schema-postgres.sql',
} as const satisfies Record<DatabaseKind, string>;

export function schemaText(kind: DatabaseKind): string {
  return readFileSync(new URL(`../../${SCHEMA_FILES[kind]}`, import.meta.url), 'utf8');
}
