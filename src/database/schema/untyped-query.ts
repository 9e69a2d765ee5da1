// Queries on tables known only at run time: import, export and check-db do the same with each. Compiles SQL, and is connected
// to nothing; where the table is known, the reader's own typed builder is used instead.

import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { RowChecker } from './row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from './tables.ts';

/** Builds queries whose columns are strings; they go to a reader's `rows`, or to a statement of the driver. */
export const anyTable = new Kysely<Record<TableName, Record<string, unknown>>>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** A table with all its columns, in the order of its definition. */
export function wholeTable(table: TableName) {
  const columns = Object.keys(TABLES[table]);
  const query = anyTable.selectFrom(table).select(columns);
  return {
    columns,
    /** Whole rows in the order of the primary key, which is total. */
    query: TABLE_RULES[table].key.reduce((ordered, column) => ordered.orderBy(column), query),
    // The names come from the very table that the checker looks them up in.
    checker: new RowChecker(table, columns as never[]),
  };
}
