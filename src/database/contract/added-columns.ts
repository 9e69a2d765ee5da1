// What to type where a table lacks columns: SQL for a table, and for a view what its SELECT needs.

import type { DatabaseKind } from '../reader.ts';
import type { Column } from './columns.ts';
import { TABLE_RULES, TABLES, type TableName } from './tables.ts';

/** The columns of a table with their names. */
export function columnsOf(table: TableName): [name: string, column: Column<unknown>][] {
  return Object.entries(TABLES[table]);
}

export const OTHER_TABLE_HINTS = {
  sqlite: 'this looks like a table of your own; a view needs the name (data/own-schema.md, Names that are taken)',
  postgres:
    'this looks like a table of your own; put the views in a schema that comes before it on the search_path (data/postgres.md, The views)',
} as const satisfies Record<DatabaseKind, string>;

const TYPES = {
  sqlite: { INTEGER: 'INTEGER', TEXT: 'TEXT' },
  postgres: { INTEGER: 'bigint', TEXT: 'text' },
} as const satisfies Record<DatabaseKind, Record<Column<unknown>['declared'], string>>;

/** To PostgreSQL a NULL without a type is text. */
function nullOf(kind: DatabaseKind, declared: Column<unknown>['declared']): string {
  return kind === 'sqlite' ? 'NULL' : `NULL::${TYPES[kind][declared]}`;
}

/**
 * What to add to a view, or to type for a table, where columns are missing; `values` where they
 * have no default.
 */
export function addColumnsText(
  kind: DatabaseKind,
  table: TableName,
  missing: readonly string[],
  isView: boolean,
  values: Readonly<Record<string, string>> = {},
): string {
  const columns = columnsOf(table)
    .filter(([name]) => missing.includes(name))
    .map(([name, column]) => ({ name, ...column, value: column.defaultSql ?? values[name] ?? 'NULL' }));
  if (isView) {
    const valueOf = ({ value, declared }: (typeof columns)[number]): string =>
      value === 'NULL' ? nullOf(kind, declared) : value;
    return `in the SELECT of the view ${table}: ${columns.map((column) => `${valueOf(column)} AS ${column.name}`).join(', ')}`;
  }
  const declared = columns.map(({ name, declared, isNullable, value }) => {
    const type = TYPES[kind][declared];
    return isNullable ? `${name} ${type}` : `${name} ${type} NOT NULL DEFAULT ${value}`;
  });
  return declared.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`).join(' ');
}

/**
 * SQL for a table `front_keys`, into which the commands for keys write; without references.
 * `frontIdType`: the declared type of the ids of fronts; '' where a view has none.
 */
export function keysTableText(kind: DatabaseKind, frontIdType?: string): string {
  const columns = columnsOf('front_keys').map(([name, { declared, isNullable }]) => {
    const isKey = TABLE_RULES.front_keys.key.includes(name);
    const type = (name === 'front_id' ? frontIdType : undefined) ?? TYPES[kind][declared];
    return `${name}${type === '' ? '' : ` ${type}`}${isNullable ? '' : ' NOT NULL'}${isKey ? ' PRIMARY KEY' : ''}`;
  });
  return `CREATE TABLE front_keys (${columns.join(', ')});`;
}
