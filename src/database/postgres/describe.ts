// Which of the contract's tables the search_path leads to, and the types of their columns: native
// ones are taken, too (values.ts).

import { sql } from 'kysely';
import type { TableDescription, TypeProblem } from '../reader.ts';
import { CELL_BYTES_MAX, type Column } from '../contract/columns.ts';
import { idColumnsOf, TABLE_NAMES, TABLE_RULES, type TableName } from '../contract/tables.ts';
import { presentOid } from './transaction.ts';

/** Groups of types that are read alike. */
export type TypeClass = 'boolean' | 'number' | 'numeric' | 'text' | 'uuid' | 'timestamptz' | 'timestamp' | 'other';

const CLASSES: Readonly<Record<string, TypeClass>> = {
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  numeric: 'numeric',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  citext: 'text',
  uuid: 'uuid',
  timestamptz: 'timestamptz',
  timestamp: 'timestamp',
};

export interface PostgresTable extends TableDescription {
  readonly oid: number;
  readonly schema: string;
  /** Whether LOCK TABLE takes it: a table of this server, not a view. */
  readonly isLockable: boolean;
  readonly classes: ReadonlyMap<string, TypeClass>;
  /** Columns of text whose type does not limit it. */
  readonly unlimited: ReadonlySet<string>;
  /** Columns declared NOT NULL. */
  readonly required: ReadonlySet<string>;
}

/**
 * The relations with the contract's names that the search_path leads to, a row for each column:
 * table, kind, column, type as SQL; then of that type, or of the one behind a domain, the name,
 * whether it is built in, and whether it is an enumeration; then the table's schema and oid, and
 * whether the column is NOT NULL.
 */
export const DESCRIBE_QUERY = sql`
  with recursive domains(type, base) as (
    select oid, typbasetype from pg_catalog.pg_type where typtype = 'd'
    union all
    select d.type, t.typbasetype from domains as d join pg_catalog.pg_type as t on t.oid = d.base where t.typtype = 'd'
  ), bases as (
    select d.type, t.oid as base from domains as d join pg_catalog.pg_type as t on t.oid = d.base where t.typtype <> 'd'
  )
  select c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), t.typname,
    t.typnamespace = 'pg_catalog'::regnamespace, t.typtype = 'e', n.nspname, c.oid,
    a.attnotnull
  from unnest(${[...TABLE_NAMES]}::text[]) as contract(name)
  join pg_catalog.pg_class as c on c.oid = ${presentOid(sql.ref('contract.name'))}
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  left join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join bases on bases.type = a.atttypid
  left join pg_catalog.pg_type as t on t.oid = coalesce(bases.base, a.atttypid)
  order by c.relname, a.attnum`;

/** Names of all other tables and views in the schemas of the search_path. */
export const OTHER_TABLES_QUERY = sql`
  select distinct c.relname::text
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where n.nspname = any(current_schemas(false)) and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and c.relpersistence <> 't' and c.relname <> all(${[...TABLE_NAMES]}::text[])`;

type DescribedTable = PostgresTable & {
  types: Map<string, string>;
  classes: Map<string, TypeClass>;
  unlimited: Set<string>;
  required: Set<string>;
};

/** Whether a type as SQL is of so few characters that no text is too large to be read. */
function isLimited(type: string): boolean {
  const [, length] = /^character(?: varying)?\((\d+)\)$/.exec(type) ?? [];
  return length !== undefined && Number(length) * 3 <= CELL_BYTES_MAX;
}

/** From the rows of DESCRIBE_QUERY. */
export function tablesFrom(rows: readonly unknown[][]): PostgresTables {
  const tables = new Map<TableName, DescribedTable>();
  for (const [name, kind, column, type, typeName, isBuiltIn, isEnumeration, schema, oid, isRequired] of rows) {
    const table = TABLE_NAMES.find((one) => one === name);
    if (table === undefined) continue;
    const found = tables.get(table) ?? {
      oid: Number(oid),
      schema: String(schema),
      isView: kind === 'v' || kind === 'm',
      isLockable: kind === 'r' || kind === 'p',
      types: new Map(),
      classes: new Map(),
      unlimited: new Set<string>(),
      required: new Set<string>(),
    };
    tables.set(table, found);
    if (typeof column !== 'string') continue;
    found.types.set(column, String(type));
    if (isRequired === 1) found.required.add(column);
    const isKnown = isBuiltIn === 1 || typeName === 'citext';
    if (isEnumeration !== 1 && !isLimited(String(type))) found.unlimited.add(column);
    found.classes.set(column, isEnumeration === 1 ? 'text' : (isKnown && CLASSES[String(typeName)]) || 'other');
  }
  return tables;
}

export type PostgresTables = ReadonlyMap<TableName, PostgresTable>;

/**
 * Whether the ids of a table are text; as those that refer to it say, where it is absent. What
 * refers to them has to be of the same kind: PostgreSQL does not compare the two.
 */
export function areIdsText(tables: PostgresTables, parent: TableName): boolean {
  const classes = idColumnsOf(parent).map(([table, column]) => tables.get(table)?.classes.get(column));
  const type = classes.find((one) => one !== undefined);
  return type !== undefined && isTextual(type);
}

const isTextual = (type: TypeClass): boolean => type === 'text' || type === 'uuid';

/** The classes that a column may have, and what messages call their types. */
function allowedFor(rule: Column<unknown>): { readonly classes: readonly TypeClass[]; readonly expected: string } {
  if (rule.time === 'instant')
    return { classes: ['timestamptz', 'text'], expected: 'timestamp with time zone or text' };
  if (rule.time === 'wall') return { classes: ['timestamp', 'text'], expected: 'timestamp without time zone or text' };
  if (rule.declared === 'TEXT') return { classes: ['text'], expected: 'text or character varying' };
  if (rule.isFlag === true)
    return { classes: ['boolean', 'number', 'numeric'], expected: 'boolean, smallint, integer or bigint' };
  return NUMBERS;
}

const NUMBERS = { classes: ['number', 'numeric'], expected: 'smallint, integer, bigint or numeric' } as const;
const TEXTS = { classes: ['text', 'uuid'], expected: 'text, character varying or uuid' } as const;

/** The same for a column of ids that may be text. */
function allowedForIds(tables: PostgresTables, table: TableName, column: string): ReturnType<typeof allowedFor> {
  const parent = TABLE_RULES[table].references[column];
  if (parent === undefined) {
    const classes = [...NUMBERS.classes, ...TEXTS.classes];
    return { classes, expected: `${NUMBERS.expected}, ${TEXTS.expected}` };
  }
  const { classes, expected } = areIdsText(tables, parent) ? TEXTS : NUMBERS;
  return { classes, expected: `${expected}, like ${parent}.id` };
}

/** See CatalogueRows. */
export function typeProblem(
  tables: PostgresTables,
  table: TableName,
  column: string,
  rule: Column<unknown>,
): TypeProblem | null {
  const { classes, expected } = rule.mayBeText === true ? allowedForIds(tables, table, column) : allowedFor(rule);
  const typeClass = tables.get(table)?.classes.get(column);
  if (typeClass === undefined || classes.includes(typeClass)) return null;
  return { expected };
}
