// An SQLite catalogue copied into PostgreSQL, in one of three shapes: the tables of
// data/schema-postgres.sql; tables with PostgreSQL's own types; views over tables of somebody
// else's. The last two also with ids that are text, and without slugs and ids of price tiers. The
// rows say the same in each. They have to be sound: other types could not hold the rest.

import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type pg from 'pg';
import { TABLE_NAMES, TABLES, type TableName } from '../../../src/database/contract/tables.ts';
import type { CatalogueRow } from '../catalogue.ts';
import type { OwnSchema } from './own-schema.ts';
import { OWN_TABLES, type OwnTable, type Value } from './own-rows.ts';

export const SHAPES = ['contract', 'native', 'views'] as const;
/** Those of catalogues whose rows the first three do not hold. */
export const TEXT_SHAPES = ['native-text', 'views-text'] as const;
export type Shape = (typeof SHAPES)[number] | (typeof TEXT_SHAPES)[number];

const textOfFile = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const NATIVE = textOfFile('native-tables.sql');
const VIEWS = textOfFile('own-views.sql');

const DEFINITIONS: Readonly<Record<Shape, string>> = {
  contract: textOfFile('../../../data/schema-postgres.sql'),
  native: NATIVE,
  views: VIEWS,
  'native-text': NATIVE.replaceAll(
    /(CREATE TABLE (?:fronts|venues|images|sessions) \(\s*id|(?:front|venue|image|session)_id) (?:integer|bigint)/g,
    '$1 varchar(200)',
  )
    .replace('slug varchar(200) NOT NULL', 'slug varchar(200)')
    .replace(/(CREATE TABLE price_tiers \(\s*id bigint) PRIMARY KEY/, '$1'),
  'views-text': VIEWS.replaceAll(/\b((?:shop|hall|picture|show)_no) integer/g, '$1 text').replace(
    'price_no integer PRIMARY KEY',
    'price_no integer',
  ),
};

const ROWS_PER_QUERY = 10_000;

/** Where the rows of each of the contract's tables go. */
const TARGETS: Readonly<Record<Shape, Readonly<Record<TableName, OwnTable>>>> = {
  contract: ownColumns(),
  native: ownColumns(),
  views: OWN_TABLES,
  'native-text': ownColumns(),
  'views-text': OWN_TABLES,
};

function ownColumns(): Readonly<Record<TableName, OwnTable>> {
  const tables = TABLE_NAMES.map((table): [TableName, OwnTable] => {
    const columns = Object.keys(TABLES[table]).map((name): [string, OwnTable['columns'][string]] => [
      name,
      (valueIn) => valueIn(name),
    ]);
    return [table, { table, columns: Object.fromEntries(columns) }];
  });
  return Object.fromEntries(tables) as Record<TableName, OwnTable>;
}

/** PostgreSQL's text holds no NUL, so a catalogue with one is in SQLite alone. */
export function withoutNul(rows: Iterable<CatalogueRow>): CatalogueRow[] {
  const mended = (value: string | number | null) => (typeof value === 'string' ? value.replaceAll('\0', '␀') : value);
  return [...rows].map(({ table, row }) => ({
    table,
    row: Object.fromEntries(Object.entries(row).map(([column, value]) => [column, mended(value)])),
  }));
}

/** Makes the tables of a shape in an empty schema. */
export async function createShape(schema: OwnSchema, shape: Shape): Promise<void> {
  await schema.client.query(DEFINITIONS[shape]);
}

/**
 * Makes the tables of a shape in an empty schema, and fills them with the rows of an SQLite
 * catalogue.
 */
export async function copyCatalogue(path: string, schema: OwnSchema, shape: Shape): Promise<void> {
  await createShape(schema, shape);
  await refillCatalogue(path, schema, shape);
}

/**
 * Replaces the rows in the tables of a shape by those of an SQLite catalogue, in one transaction.
 */
export async function refillCatalogue(path: string, schema: OwnSchema, shape: Shape): Promise<void> {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    await schema.client.session(async (client) => {
      await client.query('BEGIN');
      const types = await columnTypes(client);
      const names = new Set(TABLE_NAMES.map((table) => TARGETS[shape][table].table));
      // Those first that refer to others.
      for (const table of [...names].reverse()) await client.query(`DELETE FROM "${table}"`);
      for (const table of TABLE_NAMES) await copyTable(database, table, client, TARGETS[shape][table], types);
      await client.query('COMMIT');
    });
  } finally {
    database.close();
  }
}

/**
 * The type of each column in the schema, by `table.column`; without its length, so that nothing is
 * cut off silently.
 */
async function columnTypes(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT c.relname || '.' || a.attname AS name,
       CASE a.atttypid WHEN 'bpchar'::regtype THEN 'text' ELSE format_type(a.atttypid, NULL) END AS type
     FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0`,
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

async function copyTable(
  database: Database.Database,
  from: TableName,
  client: pg.Client,
  { table, columns }: OwnTable,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const names = Object.keys(columns);
  const typeOf = (name: string): string => types.get(`${table}.${name}`) ?? 'text';
  const arrays = names.map((name, i) => `$${i + 1}::${typeOf(name)}[]`);
  const insert = `INSERT INTO "${table}" (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
  const rows = database
    .prepare<[], Record<string, string | bigint | null>>(`SELECT * FROM "${from}"`)
    .safeIntegers()
    .all();
  for (let start = 0; start < rows.length; start += ROWS_PER_QUERY) {
    const batch = rows.slice(start, start + ROWS_PER_QUERY);
    const values = Object.entries(columns).map(([name, value]) => {
      const type = typeOf(name);
      return batch.map((row) =>
        textOf(
          value((column) => row[column] ?? null),
          type,
        ),
      );
    });
    await client.query(insert, values);
  }
}

/** A value as PostgreSQL reads it for a type. */
function textOf(value: Value, type: string): string | null {
  if (value === null) return null;
  if (type === 'boolean') return String(value === true || value === 1n);
  const text = String(value);
  // The year before 1 AD is 0 in SQLite.
  return type.startsWith('timestamp') && text.startsWith('0000') ? `0001${text.slice(4)} BC` : text;
}
