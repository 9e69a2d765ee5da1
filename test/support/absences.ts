// What a catalogue may lack: each table and column alone, all together, and NULL in place of each
// default; with the rows of the catalogue that has the same to say.

import type { Column } from '../../src/database/contract/columns.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import type { CatalogueRow } from './catalogue.ts';
import { richCatalogue, viewsAt } from './fault/rich-catalogue.ts';

export const WHOLE = richCatalogue(['alpha', 'bravo', 'charlie']);

/** Tables and columns that a catalogue must have although they have a default. */
export const REQUIRED: readonly string[] = [
  'fronts',
  'products',
  'front_products',
  'sessions',
  'venues',
  'front_keys.revoked_at',
  'front_keys.not_after',
  'products.status',
  'sessions.status',
  'sessions.available',
  'price_tiers.is_public',
  'price_tiers.kind',
  'products.name',
  'tags.slug',
];

export interface Absence {
  /** `tags`, `sessions.paused`. */
  readonly names: readonly string[];
  /** What is left of the tables concerned; nothing of one that is absent. */
  readonly kept: ReadonlyMap<TableName, readonly string[]>;
  /** NULL stands in the columns, which are there. */
  readonly isNull: boolean;
}

const columnsOf = (table: TableName): readonly string[] => Object.keys(TABLES[table]);

/** As SQL, over the columns of the row. */
function defaultOf(table: TableName, column: string): string | null {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  const rule = rules[column];
  return rule?.defaultsToId === true ? 'id' : (rule?.defaultSql ?? null);
}

/** Columns with a default or NULL, by table. */
function optionalOf(table: TableName): readonly string[] {
  return columnsOf(table).filter(
    (column) =>
      defaultOf(table, column) !== null &&
      !REQUIRED.includes(`${table}.${column}`) &&
      // Something else that says the same is needed then: the other form of the start, or zones of sessions.
      !['sessions.starts_at', 'venues.timezone'].includes(`${table}.${column}`),
  );
}

export function absence(names: readonly string[], isNull = false): Absence {
  const tables = TABLE_NAMES.filter((table) => names.some((name) => name === table || name.startsWith(`${table}.`)));
  const kept = tables.map((table): [TableName, readonly string[]] => [
    table,
    names.includes(table) ? [] : columnsOf(table).filter((column) => !names.includes(`${table}.${column}`)),
  ]);
  return { names, kept: new Map(kept), isNull };
}

const TABLES_LACKED = TABLE_NAMES.filter((table) => !REQUIRED.includes(table) && table !== 'images');
const COLUMNS_LACKED = TABLE_NAMES.flatMap((table) => optionalOf(table).map((column) => `${table}.${column}`));
const WITH_DEFAULT = COLUMNS_LACKED.filter((name) => {
  const [table = '', column = ''] = name.split('.');
  return defaultOf(table as TableName, column) !== 'NULL';
});

export const ABSENCES: readonly Absence[] = [
  ...TABLES_LACKED.map((table) => absence([table])),
  // What a product refers to goes with the table.
  absence(['images', 'products.image_id']),
  ...COLUMNS_LACKED.filter((name) => name !== 'front_keys.secret_ref').map((name) =>
    // Only a pause has an end.
    absence(name === 'products.paused' ? [name, 'products.paused_until'] : [name]),
  ),
  absence([
    ...TABLES_LACKED,
    'images',
    ...COLUMNS_LACKED.filter((name) => !TABLES_LACKED.includes(name.split('.')[0] as TableName)),
  ]),
  absence([...WITH_DEFAULT, 'products.paused_until'], true),
];

export const nameOf = ({ names, isNull }: Absence): string =>
  names.length > 2 ? `${isNull ? 'NULL in ' : ''}${names.length} tables and columns` : names.join(' and ');

/** Rows with the defaults, or NULL, in place of what is absent. */
export function rowsWithout(
  { names }: Absence,
  value: 'default' | null,
  rows: readonly CatalogueRow[] = WHOLE,
): CatalogueRow[] {
  return rows
    .filter(({ table }) => !names.includes(table))
    .map(({ table, row }) => {
      const changed = Object.keys(row).filter((column) => names.includes(`${table}.${column}`));
      const cells = changed.map((column): [string, string | number | null] => [
        column,
        value === null ? null : valueOf(defaultOf(table as TableName, column), row),
      ]);
      return { table, row: { ...row, ...Object.fromEntries(cells) } };
    });
}

/** A file of views over such rows, of which those that are concerned lack columns, or are not there. */
export function lackingCatalogueAt(path: string, rows: readonly CatalogueRow[], { kept }: Absence): string {
  const database = viewsAt(path, rows);
  for (const [table, columns] of kept) {
    database.exec(`DROP VIEW ${table}`);
    if (columns.length > 0) database.exec(`CREATE VIEW ${table} AS SELECT ${columns.join(', ')} FROM theirs_${table}`);
  }
  database.close();
  return path;
}

function valueOf(defaultSql: string | null, { id }: CatalogueRow['row']): string | number | null {
  if (defaultSql === 'id') return String(id);
  const json = (defaultSql ?? 'NULL').replace('NULL', 'null').replaceAll("'", '"');
  return JSON.parse(json) as string | number | null;
}

/** Tables of an operator's own, and the contract's table that each may be meant for, if any. */
export const NEAR_TABLES: readonly (readonly [found: string, meant: string | null])[] = [
  ['tag', 'tags'],
  ['image', 'images'],
  ['Texts_', 'texts'],
  ['priceTiers', 'price_tiers'],
  ['product_tag', 'product_tags'],
  ['front_alocations', 'front_allocations'],
  ['bagdes', 'badges'],
  ['labels', null],
  ['product_labels', null],
  ['ta', null],
];
