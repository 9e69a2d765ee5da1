// Catalogue databases of our schema, filled with given rows. The schema is run once, and copied
// from then on: a third of the time.

import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface CatalogueRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

const SCHEMA = readFileSync(new URL('../../data/schema.sql', import.meta.url), 'utf8');

let emptyCatalogue: Buffer | undefined;

/**
 * A new, empty catalogue at `path` (`:memory:` too), made by data/schema.sql. The caller closes it.
 */
export function createCatalogue(path: string): Database.Database {
  if (path === ':memory:') return withSchema(path);
  if (emptyCatalogue === undefined) {
    withSchema(path).close();
    emptyCatalogue = readFileSync(path);
  } else writeFileSync(path, emptyCatalogue, { flag: 'wx' });
  const database = new Database(path);
  // A test's own files need not survive a loss of power.
  database.pragma('synchronous = OFF');
  return database;
}

function withSchema(path: string): Database.Database {
  const database = new Database(path);
  database.exec(SCHEMA);
  return database;
}

/**
 * Inserts the rows in their order, in one transaction, with foreign keys enforced. Columns left out
 * take their default.
 */
export function insertRows(database: Database.Database, rows: Iterable<CatalogueRow>): void {
  database.pragma('foreign_keys = ON');
  const statements = new Map<string, Database.Statement>();
  database.transaction(() => {
    for (const { table, row } of rows) {
      const columns = Object.keys(row);
      const key = `${table}(${columns.join()})`;
      let statement = statements.get(key);
      if (statement === undefined) {
        const names = columns.map((column) => `"${column}"`).join(', ');
        statement = database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
        statements.set(key, statement);
      }
      statement.run(...Object.values(row));
    }
  })();
}
