// Writes checked rows one by one: SQL compiled once for each table and set of columns; refusals of the database become our errors.

import type Database from 'better-sqlite3';
import { AppError, messageOf, shellWord, systemCodeOf } from '../../errors.ts';
import { anyTable } from '../schema/query-builders.ts';
import { writing, type WritableCatalogue } from '../create.ts';
import { TABLE_RULES, TABLES } from '../schema/tables.ts';
import type { CheckedRow } from './input-rows.ts';

/** What becomes of a row whose key is there; in a mirror, only an earlier line can have it. */
export type ExistingKey = 'refused' | 'replaced' | 'on-earlier-line';

/**
 * Inserts rows; `place` is where one was read, for the message.
 * @throws AppError import-row-refused, database-busy, database-not-writable
 */
export function rowInserter(catalogue: WritableCatalogue, existingKey: ExistingKey) {
  return rowWriter(catalogue, (row) => insertSql(row, existingKey === 'replaced'), existingKey);
}

/** The same with any statement that takes the values of a row in their order. */
export function rowWriter(
  catalogue: WritableCatalogue,
  sqlOf: (row: CheckedRow) => string,
  existingKey: ExistingKey = 'on-earlier-line',
) {
  const statements = new Map<string, Database.Statement>();
  return (row: CheckedRow, place: string): void => {
    const id = `${row.table} ${row.columns.join()}`;
    try {
      writing(catalogue.path, () => {
        const statement = statements.get(id) ?? catalogue.handle.prepare(sqlOf(row));
        statements.set(id, statement);
        statement.run(...row.values);
      });
    } catch (error) {
      throw refusalOf(row, place, error, catalogue.path, existingKey);
    }
  };
}

function insertSql({ table, columns }: CheckedRow, isReplacing: boolean): string {
  const insert = anyTable.insertInto(table).values(Object.fromEntries(columns.map((column) => [column, null])));
  if (!isReplacing) return insert.compile().sql;
  // Not INSERT OR REPLACE: that deletes the old row first, and with it the rows that refer to it.
  const { key } = TABLE_RULES[table];
  const others = Object.keys(TABLES[table]).filter((column) => !key.includes(column));
  const upsert = insert.onConflict((conflict) => {
    const onKey = conflict.columns([...key]);
    if (others.length === 0) return onKey.doNothing();
    // Columns left out of the row get their default, as in a new row.
    return onKey.doUpdateSet((eb) =>
      Object.fromEntries(others.map((column) => [column, eb.ref(`excluded.${column}`)])),
    );
  });
  return upsert.compile().sql;
}

export const VIEWS_HINT =
  'views take no rows: your own system writes the tables behind them, or import into a file of its own with --db';

/** Turns the database's refusal of a row into an error for its author; other errors pass unchanged. */
function refusalOf(
  { table, columns, values }: CheckedRow,
  place: string,
  error: unknown,
  path: string,
  existingKey: ExistingKey,
): unknown {
  const cause = error instanceof AppError ? error.cause : error;
  const code = systemCodeOf(cause);
  const message = messageOf(cause);
  const refused = (expected: string, hint: string): AppError =>
    new AppError('import-row-refused', `${place}: expected ${expected}`, hint, error);
  // A statement that cannot be prepared: a view does not take rows, or a table lacks the key that --replace needs.
  if (code === 'SQLITE_ERROR') return refused(`a table "${table}" that takes rows, found: ${message}`, VIEWS_HINT);
  if (!code.startsWith('SQLITE_CONSTRAINT')) return error;
  if (code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_ROWID') {
    const key = TABLE_RULES[table].key.map((column) => String(values[columns.indexOf(column)])).join();
    if (existingKey === 'on-earlier-line') {
      const hint = 'a mirror takes each row once: leave out one of the two lines';
      return refused(`a new key, found ${table} ${key} on an earlier line (${message})`, hint);
    }
    const hint = `replace rows that are there: playbill import --replace --db ${shellWord(path)} FILE.ndjson`;
    return refused(`a new key, found ${table} ${key} in the database or on an earlier line (${message})`, hint);
  }
  if (code === 'SQLITE_CONSTRAINT_UNIQUE') {
    const hint = 'give the row another value, or change the other row first';
    return refused(`values that no other row of ${table} has, found: ${message}`, hint);
  }
  // The columns' rules have accepted the row. Only an older table, or one of the operator's own, is stricter.
  if (code === 'SQLITE_CONSTRAINT_NOTNULL') {
    const hint = `copy the rows into a new database: playbill export --db ${shellWord(path)} | playbill import - --db NEW.sqlite`;
    return refused(`a table "${table}" as in data/schema.sql, found: ${message}`, hint);
  }
  const hint = `see the CHECKs of "${table}" in data/schema.sql`;
  return refused(`a row that the database accepts, found: ${message}`, hint);
}
