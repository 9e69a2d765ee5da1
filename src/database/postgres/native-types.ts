// Which of the contract's tables a search_path of PostgreSQL leads to, and how values of native types become those of the contract:
// booleans 0 and 1, infinite instants open ends, all text in the order of its code points. What a type does not say the values do, as they
// are read (values.ts).

import { sql } from 'kysely';
import type { TableDescription, TypeProblem } from '../reader.ts';
import type { Column } from '../schema/columns.ts';
import { TEXT_ID_HINT } from '../schema/conversions.ts';
import { isId, TABLE_NAMES, TABLES, type TableName } from '../schema/tables.ts';

/** Types that are read in the same way. */
type TypeClass = 'boolean' | 'integer' | 'numeric' | 'text' | 'timestamptz' | 'timestamp' | 'other';

const CLASSES: Readonly<Record<string, TypeClass>> = {
  bool: 'boolean',
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  numeric: 'numeric',
  text: 'text',
  varchar: 'text',
  bpchar: 'text',
  citext: 'text',
  timestamptz: 'timestamptz',
  timestamp: 'timestamp',
};

export interface PostgresTable extends TableDescription {
  readonly schema: string;
  /** Whether it can be locked: not a view, and not a table of another server. */
  readonly isLockable: boolean;
  readonly classes: ReadonlyMap<string, TypeClass>;
}

/**
 * The tables, views, materialized views and foreign tables with names of the contract, as the search_path finds them; of each the kind, and
 * of each column the name, the type as SQL, and of that type, or of the one that is behind a domain, the name, whether the name is the
 * server's own, and whether it is an enumeration; and the table's schema.
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
    t.typnamespace = 'pg_catalog'::regnamespace, t.typtype = 'e', n.nspname
  from unnest(${[...TABLE_NAMES]}::text[]) as contract(name)
  join pg_catalog.pg_class as c on c.oid = to_regclass(quote_ident(contract.name))
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  left join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join bases on bases.type = a.atttypid
  left join pg_catalog.pg_type as t on t.oid = coalesce(bases.base, a.atttypid)
  order by c.relname, a.attnum`;

/** The search_path as it was set, and which of its schemas there are for this user. */
export const SEARCH_PATH_QUERY = sql`
  select format('%s (%s)', current_setting('search_path'),
    coalesce(nullif('schemas: ' || array_to_string(current_schemas(false), ', '), 'schemas: '), 'no such schema, or none that this user may use'))`;

/** From the rows of DESCRIBE_QUERY. */
export function tablesFrom(rows: readonly unknown[][]): ReadonlyMap<TableName, PostgresTable> {
  const tables = new Map<TableName, PostgresTable & { types: Map<string, string>; classes: Map<string, TypeClass> }>();
  for (const [name, kind, column, type, typeName, isBuiltIn, isEnumeration, schema] of rows) {
    const table = TABLE_NAMES.find((one) => one === name);
    if (table === undefined) continue;
    const found = tables.get(table) ?? {
      schema: String(schema),
      isView: kind === 'v' || kind === 'm',
      isLockable: kind === 'r' || kind === 'p',
      types: new Map(),
      classes: new Map(),
    };
    tables.set(table, found);
    if (typeof column !== 'string') continue;
    found.types.set(column, String(type));
    const isKnown = isBuiltIn === 1 || typeName === 'citext';
    found.classes.set(column, isEnumeration === 1 ? 'text' : (isKnown && CLASSES[String(typeName)]) || 'other');
  }
  return tables;
}

/** SQL for a SELECT that gives a table's columns as the contract has them. Planners see through it: no index is lost. */
export function canonicalSelect(table: TableName, description: PostgresTable): string {
  return `select ${canonicalColumns(table, description).join(', ')} from "${table}"`;
}

export function canonicalColumns(table: TableName, { classes }: PostgresTable): readonly string[] {
  return Object.entries<Column<unknown>>(TABLES[table]).flatMap(([name, { openEnd }]) => {
    const type = classes.get(name);
    if (type === undefined) return [];
    if (type === 'boolean') return [`"${name}"::int as "${name}"`];
    if (type === 'text') return [`("${name}"::text collate "C") as "${name}"`];
    if (type === 'timestamptz' && openEnd !== undefined) return [`nullif("${name}", '${openEnd}') as "${name}"`];
    return [`"${name}"`];
  });
}

const isFlag = (rule: Column<unknown>): boolean => rule.accepts(1) && !rule.accepts(2);

/** The classes that a column may be of, and how messages name their types. */
function allowedFor(rule: Column<unknown>): { readonly classes: readonly TypeClass[]; readonly expected: string } {
  if (rule.time === 'instant')
    return { classes: ['timestamptz', 'text'], expected: 'timestamp with time zone or text' };
  if (rule.time === 'wall') return { classes: ['timestamp', 'text'], expected: 'timestamp without time zone or text' };
  if (rule.declared === 'TEXT') return { classes: ['text'], expected: 'text or character varying' };
  if (isFlag(rule))
    return { classes: ['boolean', 'integer', 'numeric'], expected: 'boolean, smallint, integer or bigint' };
  return { classes: ['integer', 'numeric'], expected: 'smallint, integer, bigint or numeric' };
}

/** See CatalogueRows. */
export function typeProblem(
  table: TableName,
  column: string,
  rule: Column<unknown>,
  found: TableDescription,
): TypeProblem | null {
  const { classes, expected } = allowedFor(rule);
  const typeClass = 'classes' in found ? (found as PostgresTable).classes.get(column) : undefined;
  if (typeClass === undefined || classes.includes(typeClass)) return null;
  return { expected, hint: typeHint(table, column, rule, { typeClass, type: found.types.get(column) ?? '' }) };
}

interface FoundType {
  readonly typeClass: TypeClass;
  /** As SQL. */
  readonly type: string;
}

const FLOATS: readonly string[] = ['real', 'double precision', 'money'];

function isNumber({ typeClass, type }: FoundType): boolean {
  return typeClass === 'integer' || typeClass === 'numeric' || FLOATS.includes(type);
}

/** What a view says in the place of the column. Guesses nothing: where a person must decide it says so. */
function typeHint(table: TableName, name: string, rule: Column<unknown>, found: FoundType): string {
  if (rule.time === 'instant') return instantHint(name, found);
  if (rule.time === 'wall') return wallTimeHint(name, found);
  if (name === 'amount_minor')
    return `for a currency of two decimals: round(${name}::numeric * 100)::bigint AS ${name}; a bare cast loses the cents`;
  if (isId(table, name) && !isNumber(found)) return TEXT_ID_HINT;
  return `in a view: ${castOf(name, rule, found)} AS ${name}`;
}

function castOf(name: string, rule: Column<unknown>, { typeClass, type }: FoundType): string {
  if (rule.declared === 'TEXT') return type === 'bytea' ? `convert_from(${name}, 'UTF8')` : `${name}::text`;
  if (isFlag(rule)) return FLOATS.includes(type) ? `${name}::numeric <> 0` : `${name}::boolean`;
  return typeClass === 'boolean' ? `${name}::int` : `${name}::bigint`;
}

function instantHint(name: string, found: FoundType): string {
  if (found.typeClass === 'timestamp')
    return `a timestamp without a zone is no instant: ${name} AT TIME ZONE 'UTC' AS ${name}, or the zone that its clock shows`;
  if (found.type === 'date')
    return `a date is no instant: ${name}::timestamp AT TIME ZONE 'UTC' AS ${name}, or the zone whose midnight it means`;
  if (isNumber(found))
    return `where these are seconds since 1970: to_timestamp(trunc(${name}::numeric)) AS ${name}; where milliseconds, ${name}::numeric / 1000`;
  return `in a view: ${name}::timestamptz AS ${name}`;
}

function wallTimeHint(name: string, found: FoundType): string {
  if (found.typeClass === 'timestamptz')
    return `an instant belongs in starts_at; the wall time of a venue: ${name} AT TIME ZONE venues.timezone AS ${name}`;
  return `in a view: ${name}::timestamp AS ${name}`;
}
