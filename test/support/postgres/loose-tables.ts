// Tables as views are to a reader: with the contract's columns, and neither CHECKs nor keys, so
// that nearly every fault can be in them. What PostgreSQL's types alone keep out stays in SQLite:
// bytes, text in a column of numbers and a number in one of text, text with a NUL.

import Database from 'better-sqlite3';
import { mayTableBeAbsent, standInFor } from '../../../src/database/contract/absence.ts';
import { columnsOf } from '../../../src/database/contract/added-columns.ts';
import { TABLE_NAMES, type TableName } from '../../../src/database/contract/tables.ts';
import type { OwnSchema } from './own-schema.ts';

const TYPES = { INTEGER: 'numeric', TEXT: 'text' } as const;

/** The type of ids that may be of either. */
export type IdType = 'numeric' | 'text';

type Typed = readonly [name: string, type: 'numeric' | 'text'];

const typesOf = (table: TableName, ids: IdType): Typed[] =>
  columnsOf(table).map(([name, { declared, mayBeText }]) => [name, mayBeText === true ? ids : TYPES[declared]]);

/** One of the tables: its columns, and the cells of each as text. */
interface LooseTable {
  readonly types: readonly Typed[];
  readonly lists: readonly (readonly (string | null)[])[];
}

/** Those that a catalogue has. */
export type LooseTables = ReadonlyMap<TableName, LooseTable>;

/** What a schema holds: the SQL that made its tables, and the cells of each as JSON. */
interface Held {
  readonly layout: string;
  readonly cells: ReadonlyMap<TableName, string>;
}

const heldBy = new WeakMap<OwnSchema, Held>();

function layoutOf(tables: LooseTables): string {
  return [...tables]
    .map(([table, { types }]) => `CREATE TABLE ${table} (${types.map((typed) => typed.join(' ')).join(', ')});`)
    .join('\n');
}

/** Makes the tables in an empty schema. */
export async function createLooseTables(schema: OwnSchema, ids: IdType = 'numeric'): Promise<void> {
  const whole = new Map(TABLE_NAMES.map((table) => [table, { types: typesOf(table, ids), lists: [] }]));
  await schema.client.query(layoutOf(whole));
  heldBy.set(schema, { layout: layoutOf(whole), cells: new Map() });
}

/**
 * The tables of an SQLite catalogue, or null where PostgreSQL cannot hold a value, or the contract
 * is broken. What may be absent may be absent.
 */
export function looseRows(path: string, ids: IdType = 'numeric'): LooseTables | null {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const tables = new Map<TableName, LooseTable>();
    for (const table of TABLE_NAMES) {
      const found = new Set(
        database.prepare<[], string>(`SELECT name FROM pragma_table_xinfo('${table}')`).pluck().all(),
      );
      if (found.size === 0 && mayTableBeAbsent(table)) continue;
      const optional = columnsOf(table).filter(([name, rule]) => standInFor(table, name, rule, '') !== null);
      const absent = new Set(optional.map(([name]) => name).filter((name) => !found.has(name)));
      const types = typesOf(table, ids).filter(([name]) => !absent.has(name));
      const cells = types.map(([name]) => `"${name}", CAST("${name}" AS BLOB)`);
      const rows = database
        .prepare<[], unknown[]>(`SELECT ${cells.join(', ')} FROM "${table}"`)
        .raw()
        .safeIntegers()
        .all();
      const lists = types.map(([, type], i) => rows.map((row) => textOf(type, row[2 * i], row[2 * i + 1])));
      if (lists.some((list) => list.includes(undefined))) return null;
      tables.set(table, { types, lists: lists as (string | null)[][] });
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

/**
 * Puts these rows in the place of those that are there: of one catalogue after another, most tables
 * are the same.
 */
export async function refillLooseTables(schema: OwnSchema, tables: LooseTables): Promise<void> {
  const layout = layoutOf(tables);
  const cells = new Map([...tables].map(([table, { lists }]) => [table, JSON.stringify(lists)]));
  const before = heldBy.get(schema);
  const isSameLayout = before?.layout === layout;
  const changed = [...tables].filter(([table]) => !isSameLayout || before.cells.get(table) !== cells.get(table));
  if (changed.length === 0) return;
  heldBy.delete(schema);
  const all = (verb: string): string => TABLE_NAMES.map((table) => `${verb} ${table};`).join(' ');
  await schema.client.session(async (client) => {
    await client.query('BEGIN');
    if (isSameLayout) await client.query(changed.map(([table]) => `DELETE FROM ${table};`).join(' '));
    else await client.query(`${all('DROP TABLE IF EXISTS')} ${layout}`);
    for (const [table, { types, lists }] of changed) {
      if (lists[0]?.length === 0) continue;
      const arrays = types.map(([, type], i) => `$${i + 1}::${type}[]`);
      const names = types.map(([name]) => name).join(', ');
      const values = lists.map((list) => [...list]);
      await client.query(`INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays.join(', ')})`, values);
    }
    await client.query('COMMIT');
  });
  heldBy.set(schema, { layout, cells });
}
