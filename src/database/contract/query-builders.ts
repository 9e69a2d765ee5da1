// Builders of queries. They have no connection: a reader's `rows` compiles a query for its database
// and runs it.

import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect } from 'kysely';
import { RowChecker } from './row-checker.ts';
import { TABLE_RULES, TABLES, type CatalogueTables, type TableName } from './tables.ts';

/** Kysely requires one; readers compile with their own. */
const dialect: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** What locates a price tier, with its id or without. */
export const LOCATED_TIER = new RowChecker('price_tiers', [
  'id',
  'product_id',
  'session_id',
  'amount_minor',
  'currency',
]);

/** Builds queries on known tables. */
export const knownTables = new Kysely<CatalogueTables>({ dialect });

/**
 * Builds queries on tables known only at run time, whose columns are strings: import, export and
 * check-db do the same with each.
 */
export const anyTable = new Kysely<Record<TableName, Record<string, unknown>>>({ dialect });

/** The rows of a checker, in an order that must be total: that of the key, where it has one. */
export function checkedRows(
  { table, columns }: { readonly table: TableName; readonly columns: readonly string[] },
  orderBy: readonly string[] = orderOf(table, columns),
) {
  const query = anyTable.selectFrom(table).select([...columns]);
  return orderBy.reduce((ordered, column) => ordered.orderBy(column), query);
}

function orderOf(table: TableName, columns: readonly string[]): readonly string[] {
  const { key, keyless } = TABLE_RULES[table];
  return keyless === undefined ? key : [...new Set([...key, ...keyless, ...columns])];
}

/** A table with all its columns, in the order of its definition, and of the primary key. */
export function wholeTable(table: TableName) {
  const columns = Object.keys(TABLES[table]);
  // The names come from the very table that the checker looks them up in.
  const checker = new RowChecker(table, columns as never[]);
  return { columns, checker, query: checkedRows(checker) };
}
