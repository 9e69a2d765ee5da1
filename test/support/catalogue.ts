// Catalogue databases of our schema, or of one like it that takes what ours does not, filled with
// given rows. A schema is run once, and copied from then on: a third of the time.

import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface CatalogueRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

const SCHEMA = readFileSync(new URL('../../data/schema.sql', import.meta.url), 'utf8');

/** The same for ids that are text, products without slugs and price tiers without ids. */
const THEIR_SCHEMA = SCHEMA.replaceAll(
  /(CREATE TABLE (?:fronts|venues|images|sessions) \(\n  id) INTEGER/g,
  '$1 ANY NOT NULL',
)
  .replaceAll(/(\n  (?:front|venue|image|session)_id) INTEGER/g, '$1 ANY')
  .replace(/(CREATE TABLE products \([^;]*?slug TEXT) NOT NULL/, '$1')
  .replace(/(CREATE TABLE price_tiers \(\n  id INTEGER) PRIMARY KEY/, '$1 UNIQUE');

const emptyCatalogues = new Map<string, Buffer>();

/**
 * A new, empty catalogue at `path` (`:memory:` too), made by data/schema.sql. The caller closes it.
 */
export function createCatalogue(path: string, schema = SCHEMA): Database.Database {
  if (path === ':memory:') return withSchema(path, schema);
  const empty = emptyCatalogues.get(schema);
  if (empty === undefined) {
    withSchema(path, schema).close();
    emptyCatalogues.set(schema, readFileSync(path));
  } else writeFileSync(path, empty, { flag: 'wx' });
  const database = new Database(path);
  // A test's own files need not survive a loss of power.
  database.pragma('synchronous = OFF');
  return database;
}

/** One that takes these rows. */
export function createCatalogueFor(path: string, rows: readonly CatalogueRow[]): Database.Database {
  return createCatalogue(path, rows.every(isOurs) ? SCHEMA : THEIR_SCHEMA);
}

/** Whether a table of data/schema.sql takes a row. */
export function isOurs({ table, row }: CatalogueRow): boolean {
  if (table === 'products' && row['slug'] === null) return false;
  if (table === 'price_tiers' && row['id'] === null) return false;
  return (
    table === 'texts' ||
    Object.entries(row).every(([name, value]) => !/^(.*_)?id$/.test(name) || typeof value !== 'string')
  );
}

function withSchema(path: string, schema: string): Database.Database {
  const database = new Database(path);
  database.exec(schema);
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
