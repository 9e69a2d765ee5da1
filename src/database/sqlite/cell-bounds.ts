// Which cells of a database may be too large for any column, such as what a faulty join makes.
// These are not read: SQL gives their size in their place (values.ts). PostgreSQL says as much by
// its types.

import type Database from 'better-sqlite3';
import { standInFor } from '../contract/absence.ts';
import type { Column } from '../contract/columns.ts';
import { schemaText } from '../schema-file.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../contract/tables.ts';

/** The id of a row as the text that the load makes of it: a view may give 14.0 for 14. */
export const ID_AS_TEXT = `cast(case when typeof("id") = 'real' then cast("id" as integer) else "id" end as text)`;

/** Which cells of a table may be large. */
export interface TableBounds {
  /** Those of the contract that the table has. */
  readonly columns: readonly string[];
  /** The columns that may have large cells. */
  readonly large: ReadonlySet<string>;
  /** Those that a view computes. */
  readonly computed: ReadonlySet<string>;
  /**
   * Set where a cell may have any type, a BLOB included: in a view, and in a table that is not
   * STRICT.
   */
  readonly isAnyType: boolean;
  /** Set where a table is that of data/schema.sql, whose CHECKs limit what is sorted. */
  readonly hasOurChecks: boolean;
  /** SQL for the columns that are absent, or in which NULL stands for a default (absence.ts). */
  readonly standIns: ReadonlyMap<string, string>;
}

/** A table of data/schema.sql as SQLite keeps its text. */
const SCHEMA_TABLES: ReadonlySet<string> = new Set(
  [...schemaText('sqlite').matchAll(/^(CREATE TABLE [^]*?);$/gm)].map(([, text = '']) => text),
);

export type TablesBounds = ReadonlyMap<TableName, TableBounds>;

/**
 * The contract's tables as a database has them, without columns where it lacks the table or cannot
 * read it.
 * @throws errors of the driver
 */
export function tablesBounds(handle: Database.Database): TablesBounds {
  const schema = handle.prepare<[], [name: string, text: string]>(
    `select name, sql from main.sqlite_schema where type in ('table', 'view')`,
  );
  const hiding = handle.prepare<[], string>(`select name from temp.sqlite_schema`);
  const strict = handle.prepare<[], string>(`select name from pragma_table_list where schema = 'main' and strict = 1`);
  const texts = new Map(schema.raw().all());
  const strictNames = new Set(strict.pluck().all());
  const hidden = new Set(hiding.pluck().all());
  const tables = new Map<TableName, TableBounds>();
  for (const table of TABLE_NAMES) {
    // Temporary tables hide those of the file; their rows have been checked.
    if (hidden.has(table)) continue;
    const text = texts.get(table);
    const columns = text === undefined ? [] : columnsOf(handle, table);
    tables.set(table, boundsOf(table, text ?? '', strictNames.has(table), columns));
  }
  return tables;
}

function columnsOf(handle: Database.Database, table: TableName): readonly Database.ColumnDefinition[] {
  try {
    const columns = handle.prepare(`select * from main."${table}"`).columns();
    return columns.filter(({ name }) => Object.hasOwn(TABLES[table], name));
  } catch {
    // A view that cannot be read is reported where it is described.
    return [];
  }
}

function boundsOf(
  table: TableName,
  text: string,
  isStrict: boolean,
  columns: readonly Database.ColumnDefinition[],
): TableBounds {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  const hasOurChecks = SCHEMA_TABLES.has(text);
  const isAnyType = !isStrict || columns.some(({ type }) => type === 'ANY' || type === 'BLOB');
  const large = columns.filter(({ name, type }) =>
    hasOurChecks ? rules[name]?.isFree === true : isAnyType || type === 'TEXT',
  );
  const namesOf = (some: readonly Database.ColumnDefinition[]): string[] => some.map(({ name }) => name);
  return {
    columns: namesOf(columns),
    large: new Set(namesOf(large)),
    computed: new Set(namesOf(columns.filter(({ column }) => column === null))),
    isAnyType,
    hasOurChecks,
    standIns: standInsFor(table, new Set(namesOf(columns)), hasOurChecks),
  };
}

function standInsFor(table: TableName, found: ReadonlySet<string>, hasOurChecks: boolean): ReadonlyMap<string, string> {
  const standIns = new Map<string, string>();
  for (const [name, rule] of Object.entries(TABLES[table])) {
    const value = standInFor(table, name, rule, ID_AS_TEXT);
    if (!found.has(name)) standIns.set(name, value ?? 'NULL');
    else if (!hasOurChecks && value !== null && value !== 'NULL') standIns.set(name, `coalesce("${name}", ${value})`);
  }
  return standIns;
}
