// Tables as views are to a reader: with the contract's columns, and neither CHECKs nor keys, so
// that nearly every fault can be in them. What PostgreSQL's types alone keep out stays in SQLite:
// bytes, text in a column of numbers and a number in one of text, text with a NUL.

import Database from 'better-sqlite3';
import type { Column } from '../../../src/database/contract/columns.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../../src/database/contract/tables.ts';
import type { OwnSchema } from './own-schema.ts';

const TYPES = { INTEGER: 'numeric', TEXT: 'text' } as const;

/** The type of ids that may be of either. */
export type IdType = 'numeric' | 'text';

const typesOf = (table: TableName, ids: IdType): [name: string, type: 'numeric' | 'text'][] =>
  Object.entries<Column<unknown>>(TABLES[table]).map(([name, { declared, mayBeText }]) => [
    name,
    mayBeText === true ? ids : TYPES[declared],
  ]);

/** Makes the tables in an empty schema. */
export async function createLooseTables(schema: OwnSchema, ids: IdType = 'numeric'): Promise<void> {
  const tables = TABLE_NAMES.map((table) => {
    const columns = typesOf(table, ids).map(([name, type]) => `${name} ${type}`);
    return `CREATE TABLE ${table} (${columns.join(', ')});`;
  });
  await schema.client.query(tables.join('\n'));
}

/**
 * The tables' columns of an SQLite catalogue as lists of text, or null where PostgreSQL cannot hold
 * a value, or the contract is broken.
 */
export function looseRows(path: string, ids: IdType = 'numeric'): ReadonlyMap<TableName, (string | null)[][]> | null {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const tables = new Map<TableName, (string | null)[][]>();
    for (const table of TABLE_NAMES) {
      const types = typesOf(table, ids);
      const cells = types.map(([name]) => `"${name}", CAST("${name}" AS BLOB)`);
      const rows = database
        .prepare<[], unknown[]>(`SELECT ${cells.join(', ')} FROM "${table}"`)
        .raw()
        .safeIntegers()
        .all();
      const lists = types.map(([, type], i) => rows.map((row) => textOf(type, row[2 * i], row[2 * i + 1])));
      if (lists.some((list) => list.includes(undefined))) return null;
      tables.set(table, lists as (string | null)[][]);
    }
    return tables;
  } catch (error) {
    // A table or column that is not there: the SQLite suites say what is found then.
    if (error instanceof Database.SqliteError) return null;
    throw error;
  } finally {
    database.close();
  }
}

/** Undefined where PostgreSQL cannot hold it. */
function textOf(type: 'numeric' | 'text', value: unknown, bytes: unknown): string | null | undefined {
  if (value === null) return null;
  if (typeof value === 'bigint' || typeof value === 'number') return type === 'text' ? undefined : String(value);
  if (typeof value !== 'string' || type !== 'text') return undefined;
  // Text that is not UTF-8 is not what the driver made of it.
  return !Buffer.from(value).equals(bytes as Buffer) || value.includes('\0') ? undefined : value;
}

/** Whether PostgreSQL can hold a value in a column of these tables. */
export function isHeld(table: TableName, column: string, value: unknown): boolean {
  const type = typesOf(table, 'numeric').find(([name]) => name === column)?.[1] ?? 'text';
  return textOf(type, value, Buffer.from(String(value))) !== undefined;
}

/** Puts these rows in the place of those that their tables have. */
export async function refillLooseTables(
  schema: OwnSchema,
  rows: NonNullable<ReturnType<typeof looseRows>>,
  ids: IdType = 'numeric',
): Promise<void> {
  await schema.client.session(async (client) => {
    await client.query(`BEGIN; ${[...rows.keys()].map((table) => `DELETE FROM ${table};`).join(' ')}`);
    for (const [table, lists] of rows) {
      if (lists[0]?.length === 0) continue;
      const arrays = typesOf(table, ids).map(([, type], i) => `$${i + 1}::${type}[]`);
      await client.query(`INSERT INTO ${table} SELECT * FROM unnest(${arrays.join(', ')})`, lists);
    }
    await client.query('COMMIT');
  });
}
