// How a column becomes values of the contract. SQL converts native types: booleans to 0 and 1,
// infinite instants to NULL where that is an open end, and all text to the order of its code
// points. Single values are parsed here as the server prints them. What the contract does not allow
// is passed on, for the column's rule to refuse.

import { standInFor } from '../contract/absence.ts';
import { CELL_BYTES_MAX, type Column } from '../contract/columns.ts';
import { FAILED_TEXT, LARGE_TEXT } from '../contract/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { markedTable, type MarkedRow } from '../load/failing-rows.ts';
import { areIdsText, type PostgresTable, type PostgresTables, type TypeClass } from './describe.ts';

/**
 * A SELECT that gives a table's columns as the contract has them: of one that a catalogue lacks,
 * without rows. The planner inlines it and still uses indexes.
 */
export function canonicalSelect(tables: PostgresTables, table: TableName, marked: readonly MarkedRow[] = []): string {
  const description = tables.get(table);
  if (description === undefined) return emptySelect(tables, table);
  if (marked.length === 0) return `select ${canonicalColumns(tables, table).join(', ')} from "${table}"`;
  const cells = canonicalCells(tables, table, description);
  const markOf = (column: string, row: number) => markText(description.classes.get(column) ?? 'other', row);
  return markedTable(table, marked, `"${table}"`, cells, markOf);
}

/** The columns of a table that there is. */
export function canonicalColumns(tables: PostgresTables, table: TableName): readonly string[] {
  const description = tables.get(table);
  if (description === undefined) throw new Error(`not checked: ${table}`);
  return [...canonicalCells(tables, table, description)].map(([name, cell]) => `${cell} as "${name}"`);
}

function canonicalCells(
  tables: PostgresTables,
  table: TableName,
  { classes, unlimited, required }: PostgresTable,
): ReadonlyMap<string, string> {
  const cells = Object.entries(columnsOf(table)).map(([name, rule]): [string, string] => {
    const type = classes.get(name);
    const standIn = standInFor(table, name, rule, idAsText(classes.get('id')));
    if (type === undefined) return [name, absentCell(tables, table, name, standIn)];
    const cell = canonicalCell(name, type, unlimited.has(name), rule);
    const isPlain = standIn === null || standIn === 'NULL' || required.has(name);
    return [name, isPlain ? cell : `coalesce(${cell}, ${standIn})`];
  });
  return new Map(cells);
}

function canonicalCell(name: string, type: TypeClass, isUnlimited: boolean, { openEnd }: Column<unknown>): string {
  if (type === 'boolean') return `"${name}"::int`;
  if (type === 'uuid') return `("${name}"::text collate "C")`;
  if (type === 'text') return `(${textOf(name, isUnlimited)} collate "C")`;
  if (type === 'timestamptz' && openEnd !== undefined) return `nullif("${name}", '${openEnd}')`;
  return `"${name}"`;
}

/** SQL for the id of a row as the text that the load makes of it: numeric may have 14.0 for 14. */
export function idAsText(type: TypeClass | undefined): string {
  return type === 'numeric' ? '(trim_scale("id")::text collate "C")' : '("id"::text collate "C")';
}

/** What stands for a column that a table lacks; of ids, in the type that the others have. */
function absentCell(tables: PostgresTables, table: TableName, name: string, standIn: string | null): string {
  const value = standIn ?? 'NULL';
  const { declared, mayBeText } = columnsOf(table)[name] ?? {};
  const parent = TABLE_RULES[table].references[name] ?? table;
  const isText = mayBeText === true ? areIdsText(tables, parent) : declared === 'TEXT';
  return isText ? `(${value}::text collate "C")` : `${value}::bigint`;
}

const columnsOf = (table: TableName): Readonly<Record<string, Column<unknown>>> => TABLES[table];

function emptySelect(tables: PostgresTables, table: TableName): string {
  const cells = Object.keys(TABLES[table]).map((name) => `${absentCell(tables, table, name, null)} as "${name}"`);
  return `select ${cells.join(', ')} where false`;
}

/**
 * What stands for a cell that throws: a value of its type that no column accepts, and as text in
 * each row another.
 */
function markText(type: TypeClass, row: number): string {
  switch (type) {
    case 'boolean':
    case 'number':
    case 'numeric':
      return '0.5';
    case 'text':
    case 'uuid':
      return `('${FAILED_TEXT}${row}'::text collate "C")`;
    case 'timestamptz':
    case 'timestamp':
      return `'infinity'::${type}`;
    case 'other':
      return 'null';
  }
}

/**
 * A column's text; where it is too large to be read, its size, which the server knows without
 * fetching it.
 */
function textOf(name: string, isUnlimited: boolean): string {
  const text = `"${name}"::text`;
  const size = `octet_length(${text})`;
  return isUnlimited ? `case when ${size} > ${CELL_BYTES_MAX} then '${LARGE_TEXT}' || ${size} else ${text} end` : text;
}

/** OIDs of built-in types, the same in every database. */
const BOOL = 16;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const OID = 26;
const BPCHAR = 1042;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const NUMERIC = 1700;

/** Text; for what was too large, and for what throws, an object, which no column accepts. */
function asText(text: string): unknown {
  if (text.startsWith(FAILED_TEXT)) return { failed: true };
  return text.startsWith(LARGE_TEXT) ? { text: Number(text.slice(LARGE_TEXT.length)) } : text;
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [BOOL]: (text) => (text === 't' ? 1 : 0),
  [INT2]: Number,
  [INT4]: Number,
  [INT8]: integer,
  [OID]: Number,
  [BPCHAR]: (text) => text.replace(/ +$/, ''),
  [TIMESTAMP]: wallTime,
  [TIMESTAMPTZ]: instant,
  [NUMERIC]: numeric,
};

/** For the driver. Times are those of a session in UTC. */
export const valueTypes = { getTypeParser: (oid: number) => PARSERS[oid] ?? asText };

/** An integer too large for a number becomes a bigint: exact, and accepted by no column. */
function integer(text: string): unknown {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** No column accepts NaN, Infinity, or text: what a number would round to a whole one. */
function numeric(text: string): unknown {
  const [, whole] = /^(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  if (whole !== undefined) return integer(whole);
  const number = Number(text);
  return Number.isInteger(number) ? text : number;
}

/** Usually `2026-12-01 19:00:00+00`; for other forms see `inIso`. */
function instant(text: string): string {
  if (text.length === 22 && text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
  return inIso(text.replace(/\+00(?=$| BC$)/, 'Z'));
}

function wallTime(text: string): string {
  return inIso(text);
}

/** The same for a time in JSON, such as `2026-12-01T19:00:00+00:00`. */
function timeInJson(text: string): string {
  if (text.length === 19) return text;
  if (text.length === 25 && text.endsWith('+00:00')) return `${text.slice(0, 19)}Z`;
  return inIso(text.replace(/\+00:00(?=$| BC$)/, 'Z'));
}

/**
 * The fraction of a second is cut off. A time after the year 9999 or before the year 0 stays longer
 * than a column accepts. The year 0 of the contract is 1 BC in PostgreSQL.
 */
function inIso(text: string): string {
  const time = text.replace(/ (?=\d)/, 'T').replace(/\.\d+/, '');
  return time.startsWith('0001') && time.endsWith(' BC') ? `0000${time.slice(4, -3)}` : time;
}

const ofText =
  (parse: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? parse(value) : value;

/** Values that JSON has in a form of its own. */
export const IN_JSON: Partial<Record<TypeClass, (value: unknown) => unknown>> = {
  timestamptz: ofText(timeInJson),
  timestamp: ofText(timeInJson),
  numeric: ofText(numeric),
};
