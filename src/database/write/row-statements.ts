// The SQL that writes rows. Databases differ only in the names of tables and in placeholders.

import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';

/** All columns, with the key last, so that an insert and an update take the same values. */
export const columnsOf = (table: TableName): readonly string[] => [...othersOf(table), ...TABLE_RULES[table].key];

/** The columns that are not of the key. */
export const othersOf = (table: TableName): readonly string[] =>
  Object.keys(TABLES[table]).filter((column) => !TABLE_RULES[table].key.includes(column));

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ');

interface Insert {
  readonly table: TableName;
  /** Its name in SQL. */
  readonly into: string;
  readonly columns: readonly string[];
  /** For each row, the placeholders of its values. */
  readonly rows: readonly (readonly string[])[];
  readonly isReplacing: boolean;
}

export function insertText({ table, into, columns, rows, isReplacing }: Insert): string {
  const values = rows.map((cells) => `(${cells.join(', ')})`).join(', ');
  const insert = `insert into ${into} (${quoted(columns)}) values ${values}`;
  return isReplacing ? `${insert} ${onConflictText(table)}` : insert;
}

/** Whether replacing changes nothing because all columns are the key. */
export const leavesExisting = (table: TableName, isReplacing: boolean): boolean =>
  isReplacing && othersOf(table).length === 0;

/** Not INSERT OR REPLACE: that deletes the old row first, and with it the rows that refer to it. */
function onConflictText(table: TableName): string {
  const onKey = `on conflict (${quoted(TABLE_RULES[table].key)})`;
  if (leavesExisting(table, true)) return `${onKey} do nothing`;
  // Columns left out of the row get their default, as in a new row.
  return `${onKey} do update set ${othersOf(table)
    .map((column) => `"${column}" = excluded."${column}"`)
    .join(', ')}`;
}

/** Updates the row with the key of a row that has all columns, in the order of `columnsOf`. */
export function updateText(table: TableName, name: string, cellOf: (position: number) => string): string {
  const others = othersOf(table);
  const assignments = others.map((column, i) => `"${column}" = ${cellOf(i)}`);
  const conditions = TABLE_RULES[table].key.map((column, i) => `"${column}" = ${cellOf(others.length + i)}`);
  return `update ${name} set ${assignments.join(', ')} where ${conditions.join(' and ')}`;
}
