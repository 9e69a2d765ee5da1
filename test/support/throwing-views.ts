// Catalogues of views of which an expression throws for some rows, in SQLite and in PostgreSQL; and
// the same with a value in its place that no column accepts, which has to give the same documents.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TABLE_RULES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { richCatalogue, viewsAt } from './fault/rich-catalogue.ts';
import { createLooseTables, looseRows, refillLooseTables } from './postgres/loose-tables.ts';
import { newSchema, type OwnSchema } from './postgres/own-schema.ts';
import type { CatalogueRow } from './catalogue.ts';
import { NOW } from './fault/small-catalogue.ts';
import { buildTree, filesOf, instant } from './trees.ts';

const CODES = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
const ROWS = richCatalogue(CODES);

/** What throws: columns of a table, each for the rows at some positions by key. */
export interface Throwing {
  readonly table: TableName;
  readonly columns: readonly string[];
  /** From 0; from the end where negative; all where there is none. */
  readonly rows?: readonly number[];
}

type Key = readonly (string | number)[];

/** The keys of the rows that a case is about, in order. */
function keysOf({ table, rows }: Throwing): readonly Key[] {
  const keys = ROWS.filter((one) => one.table === table)
    .map(keyOf)
    .sort(isAfter);
  return rows === undefined ? keys : rows.map((i) => keys.at(i) ?? []);
}

/** A case in words: `products.name of 1010`. */
export const nameOf = ({ table, columns, rows }: Throwing): string =>
  `${table}.${columns.join(', ')} of ${rows === undefined ? 'every row' : `rows ${rows.join(', ')}`}`;

/** Where findings say that a case is wrong, sorted. */
export const placesOf = (throwing: Throwing): readonly string[] =>
  keysOf(throwing)
    .map((key) => `${throwing.table} ${key.join(',')}`)
    .sort();

/** The first, the last, one in between, two, two neighbours. */
const POSITIONS: readonly (readonly number[])[] = [[0], [-1], [5], [1, -2], [3, 4]];

/** What a search has to find. */
export const CASES: readonly Throwing[] = [
  ...POSITIONS.flatMap((rows): Throwing[] => [
    { table: 'sessions', columns: ['available'], rows },
    { table: 'sessions', columns: ['status', 'starts_at'], rows },
    { table: 'price_tiers', columns: ['amount_minor'], rows },
    { table: 'products', columns: ['name'], rows },
    { table: 'front_products', columns: ['sort_weight'], rows },
    { table: 'venues', columns: ['timezone'], rows },
  ]),
  { table: 'sessions', columns: ['venue_id'], rows: [7] },
  { table: 'price_tiers', columns: ['session_id'], rows: [7] },
  { table: 'products', columns: ['slug', 'status', 'image_id'], rows: [7] },
  { table: 'images', columns: ['url'], rows: [3] },
  { table: 'tags', columns: ['sort_weight'], rows: [3] },
  { table: 'badges', columns: ['color'], rows: [3] },
  { table: 'product_badges', columns: ['valid_until'], rows: [3] },
  { table: 'product_groups', columns: ['sort_weight'], rows: [3] },
  { table: 'front_groups', columns: ['sort_weight'], rows: [3] },
  { table: 'fronts', columns: ['min_cards'], rows: [3] },
];

/** More rows than a search finds, or a key. */
export const BEYOND: readonly Throwing[] = [
  { table: 'sessions', columns: ['available'] },
  { table: 'price_tiers', columns: ['currency'] },
  { table: 'products', columns: ['name'] },
  { table: 'front_products', columns: ['sort_weight'] },
  { table: 'sessions', columns: ['id'], rows: [2] },
];

/** Several tables at once, whose rows are read side by side. */
export const TOGETHER: readonly Throwing[] = [
  { table: 'products', columns: ['name'], rows: [2] },
  { table: 'images', columns: ['url'], rows: [6] },
  { table: 'sessions', columns: ['available'], rows: [-1] },
  { table: 'price_tiers', columns: ['amount_minor'], rows: [9] },
  { table: 'product_badges', columns: ['valid_until'], rows: [11] },
];

/** What a build publishes for readers, and what it found. */
export async function publishedFrom(database: string, out: string) {
  const guards = { maxShrink: 1, maxBad: 1, allow: [], force: false };
  const { findings, outcomes } = await buildTree(database, out, instant(NOW), { guards });
  const failed = findings.filter(({ code }) => code === 'expression-failed').map(({ place }) => place);
  return {
    files: new Map([...filesOf(out)].filter(([name]) => /^(?:public|edge)\//.test(name))),
    held: outcomes.map(({ held }) => held),
    failed: [...new Set(failed)].sort(),
  };
}

function keyOf({ table, row }: CatalogueRow): Key {
  return TABLE_RULES[table as TableName].key.map((column) => row[column] ?? '');
}

function isAfter(a: Key, b: Key): number {
  const [at = 0] = [...a.keys()].filter((i) => a[i] !== b[i]);
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

function condition(throwing: Throwing): string {
  const keys = keysOf(throwing).map((key) => {
    const parts = TABLE_RULES[throwing.table].key.map((column, i) => `${column} = ${literal(key[i])}`);
    return `(${parts.join(' AND ')})`;
  });
  return keys.join(' OR ');
}

const literal = (value: string | number | undefined): string =>
  typeof value === 'string' ? `'${value}'` : String(value);

/** A view with these cells in place of a table's columns. */
function viewText({ table, columns }: Throwing, cellOf: (column: string) => string, tail = ''): string {
  const list = Object.keys(TABLES[table]).map((name) => `${columns.includes(name) ? cellOf(name) : name} AS ${name}`);
  return `CREATE VIEW ${table} AS SELECT ${list.join(', ')} FROM theirs_${table} ${tail}`;
}

/** How SQLite's view is made, beside the plain one: of two halves, or sorted. */
export type Form = 'plain' | 'union' | 'distinct';

/** In SQLite. */
export function throwingFile(folder: string, all: readonly Throwing[], form: Form = 'plain'): string {
  const path = join(folder, 'throwing.sqlite');
  const database = viewsAt(path, ROWS);
  for (const throwing of all) {
    const cellOf = (column: string): string =>
      `json_extract(CASE WHEN ${condition(throwing)} THEN '{broken' ELSE json_array(${column}) END, '$[0]')`;
    const select = viewText(throwing, cellOf);
    const [key = ''] = TABLE_RULES[throwing.table].key;
    const forms = {
      plain: select,
      union: `${select} WHERE ${key} < 4000 UNION ALL ${select.replace(/^.*? AS /, '')} WHERE ${key} >= 4000`,
      distinct: select.replace(' AS SELECT', ' AS SELECT DISTINCT'),
    };
    database.exec(`DROP VIEW ${throwing.table}; ${forms[form]}`);
  }
  database.close();
  return path;
}

/** The same with a BLOB in place of what throws. */
export function badFile(folder: string, all: readonly Throwing[]): string {
  const path = join(folder, 'bad.sqlite');
  const database = viewsAt(path, ROWS);
  for (const throwing of all) {
    const cells = throwing.columns.map((column) => `${column} = x'00'`);
    database.exec(`UPDATE theirs_${throwing.table} SET ${cells.join(', ')} WHERE ${condition(throwing)}`);
  }
  database.close();
  return path;
}

/** A schema in the server at hand, with views that may be made to throw. */
export class ThrowingSchema implements AsyncDisposable {
  readonly #schema: OwnSchema;
  readonly url: string;

  private constructor(schema: OwnSchema) {
    this.#schema = schema;
    this.url = schema.url;
  }

  static async create(): Promise<ThrowingSchema> {
    const schema = await newSchema();
    await createLooseTables(schema);
    const folder = mkdtempSync(join(tmpdir(), 'playbill-test-'));
    viewsAt(join(folder, 'rows.sqlite'), ROWS).close();
    const rows = looseRows(join(folder, 'rows.sqlite'));
    rmSync(folder, { recursive: true });
    if (rows === null) throw new Error('PostgreSQL holds all of these rows');
    await refillLooseTables(schema, rows);
    const renamed = Object.keys(TABLES).map(
      (table) =>
        `ALTER TABLE ${table} RENAME TO theirs_${table}; CREATE VIEW ${table} AS SELECT * FROM theirs_${table};`,
    );
    await schema.client.query(renamed.join('\n'));
    return new ThrowingSchema(schema);
  }

  /** Makes views throw, and all others not. */
  async replace(all: readonly Throwing[]): Promise<void> {
    const views = Object.keys(TABLES).map((name) => {
      const table = name as TableName;
      const throwing = all.find((one) => one.table === table) ?? { table, columns: [] };
      const cellOf = (column: string): string => {
        const [key = ''] = TABLE_RULES[table].key;
        const { declared } = (TABLES[table] as Readonly<Record<string, { readonly declared: string }>>)[column] ?? {};
        const thrown = declared === 'INTEGER' ? `1 / (${key} - ${key})` : `concat('{', ${key})::json ->> 'a'`;
        return `CASE WHEN ${condition(throwing)} THEN ${thrown} ELSE ${column} END`;
      };
      return `DROP VIEW ${table}; ${viewText(throwing, cellOf)};`;
    });
    await this.#schema.client.query(views.join('\n'));
  }

  /** Changes rows from another session. */
  async change(text: string): Promise<void> {
    await this.#schema.client.query(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#schema.drop();
  }
}
