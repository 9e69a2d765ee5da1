// A plugin of vitest under which catalogues in SQLite files are read from PostgreSQL: puts the
// mirror in the place of the module that opens them. So suites that were written for SQLite say the
// same of PostgreSQL.

import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('../../../src/database/open.ts', import.meta.url));
const MIRROR = fileURLToPath(new URL('mirror-open.ts', import.meta.url));

export function cataloguesInPostgres() {
  return {
    name: 'catalogues-in-postgres',
    enforce: 'pre' as const,
    resolveId(source: string, importer: string | undefined): string | null {
      if (!source.startsWith('.') || importer === undefined || importer === MIRROR) return null;
      return resolve(dirname(importer), source) === MODULE ? MIRROR : null;
    },
  };
}
