// What to write in a view in the place of a column, for values or a type that it does not accept:
// SQL for each kind of column in each database. It does not look at values: where they could mean
// several things, it says for which of them the SQL is right, and what a person must decide, it
// leaves open.

import type { DatabaseKind } from '../reader.ts';
import { TEXT_LENGTH_MAX, type Column } from './columns.ts';
import { isId, type TableName } from './tables.ts';

/** SQL that makes what a column accepts of what the view has under its name. */
export interface Conversion {
  /** What it is right for; '' where that needs no words. */
  readonly from: string;
  readonly sql: string;
}

/** What to type for a column, in one line. */
export function hintFor(kind: DatabaseKind, table: TableName, name: string, column: Column<unknown>): string {
  const texts = conversionsFor(kind, name, column).map(({ from, sql }) => (from === '' ? sql : `from ${from}: ${sql}`));
  return [...texts, ...(isId(table, name) ? [otherIds(kind, name, column)] : [])].join('; ');
}

function otherIds(kind: DatabaseKind, name: string, { mayBeText }: Column<unknown>): string {
  const how =
    mayBeText === true
      ? `become text, alike wherever they stand: ${DIALECTS[kind].otherId(name)}`
      : 'take numbers in a table of their own';
  return `other ids, and those beyond 2^53, ${how} (data/own-schema.md, Ids)`;
}

/** Its SQL, each for other values. */
export function conversionsFor(kind: DatabaseKind, name: string, column: Column<unknown>): readonly Conversion[] {
  const dialect = DIALECTS[kind];
  const { defaultSql, isNullable, time, words } = column;
  if (time === 'instant') return dialect.instant(name, name === 'starts_at');
  if (time === 'wall') return dialect.wallTime(name);
  if (words !== undefined) return [{ from: '', sql: caseOf(dialect.text(name), words, defaultSql) }];
  const given = otherConversions(dialect, name, column);
  if (isNullable || defaultSql === null) return given;
  const value = column.isFlag === true ? dialect.flagText(defaultSql) : defaultSql;
  return given.map(({ from, sql }) => ({ from, sql: `coalesce(${sql}, ${value})` }));
}

function otherConversions(dialect: Dialect, name: string, column: Column<unknown>): readonly Conversion[] {
  if (column.isFlag === true) return dialect.flag(name);
  if (name === 'amount_minor') return dialect.money(name);
  if (column.declared === 'INTEGER') return dialect.number(name);
  // A keyid that is cut off, or made of something else, is another key.
  if (name === 'keyid') return [];
  if (column.similar === undefined) return dialect.freeText(name);
  const { from, sql } = column.similar;
  return [{ from, sql: sql(dialect.text(name)) }];
}

/** The words are for a person to assign. */
function caseOf(cell: string, words: readonly string[], defaultSql: string | null): string {
  const whens = words.map((word) => ` WHEN ${cell} = '<yours>' THEN '${word}'`);
  if (defaultSql !== null) whens.push(` WHEN ${cell} IS NULL THEN ${defaultSql}`);
  return `CASE${whens.join('')} END`;
}

/** The SQL of one database. Empty text becomes NULL where a column of a view could not have it. */
interface Dialect {
  /** A start may be a wall time as well: then the SQL is that of two columns, with their names. */
  readonly instant: (name: string, isStart: boolean) => readonly Conversion[];
  readonly wallTime: (name: string) => readonly Conversion[];
  readonly flag: (name: string) => readonly Conversion[];
  /** A flag's default as the expressions of `flag` give it. */
  readonly flagText: (defaultSql: string) => string;
  readonly money: (name: string) => readonly Conversion[];
  readonly number: (name: string) => readonly Conversion[];
  readonly freeText: (name: string) => readonly Conversion[];
  /** A cell as text. */
  readonly text: (name: string) => string;
  /** What makes text of an id. */
  readonly otherId: (name: string) => string;
}

const LOCAL_START = 'the local time of the venue';
const WHOLE_UNITS = 'whole units of a currency of two decimals';
const MINOR_UNITS = 'minor units';

const SQLITE: Dialect = {
  // What is no time stays as it is, and a finding, instead of becoming an open end.
  instant: (name, isStart) => [
    { from: 'text in UTC or with its offset', sql: `coalesce(${instantInSqlite(name)}, nullif(${name}, ''))` },
    { from: 'seconds since 1970', sql: ifNumber(name, instantInSqlite(name, 'unixepoch')) },
    { from: 'milliseconds', sql: ifNumber(name, instantInSqlite(`${name} / 1000`, 'unixepoch')) },
    ...(isStart ? [{ from: LOCAL_START, sql: `NULL AS starts_at, ${wallTimeInSqlite(name)} AS starts_local` }] : []),
  ],
  wallTime: (name) => [{ from: 'text', sql: wallTimeInSqlite(name) }],
  flag: (name) => [
    { from: 'words, with yours for yes', sql: `lower(${name}) IN ('true', 't', 'yes', 'y', 'on', '1')` },
    { from: 'numbers', sql: ifNumber(name, `${name} <> 0`) },
  ],
  flagText: (defaultSql) => defaultSql,
  money: (name) => [
    { from: WHOLE_UNITS, sql: ifNumber(name, `CAST(round(${name} * 100) AS INTEGER)`) },
    { from: MINOR_UNITS, sql: ifNumber(name, `CAST(round(${name}) AS INTEGER)`) },
  ],
  number: (name) => [
    {
      from: 'digits',
      // Only what the cast keeps: of R18 and of empty text it would make 0.
      sql: `iif(${name} = CAST(${name} AS INTEGER), CAST(${name} AS INTEGER), ${name})`,
    },
  ],
  freeText: (name) => [
    { from: 'numbers, or text that is too long', sql: `substr(CAST(${name} AS TEXT), 1, ${TEXT_LENGTH_MAX})` },
  ],
  text: (name) => name,
  otherId: (name) => `CAST(${name} AS TEXT), of a BLOB lower(hex(${name}))`,
};

/**
 * To SQLite text is the number that it begins with, or 0: a price of `TBA` would be free. What is no
 * number stays as it is.
 */
function ifNumber(name: string, sql: string): string {
  return `iif(${name} = CAST(${name} AS REAL), ${sql}, ${name})`;
}

function instantInSqlite(time: string, modifier?: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%SZ', ${time}${modifier === undefined ? '' : `, '${modifier}'`})`;
}

/** Nineteen characters are the time without its offset. */
function wallTimeInSqlite(name: string): string {
  return `replace(substr(nullif(${name}, '') || ':00', 1, 19), ' ', 'T')`;
}

const POSTGRES: Dialect = {
  instant: (name, isStart) => [
    { from: 'a time with its offset', sql: `nullif(${name}::text, '')::timestamptz` },
    {
      from: 'one without, with the zone that its clock shows in place of UTC',
      sql: `nullif(${name}::text, '')::timestamp AT TIME ZONE 'UTC'`,
    },
    { from: 'seconds since 1970', sql: `to_timestamp(trunc(${name}::numeric))` },
    { from: 'milliseconds', sql: `to_timestamp(trunc(${name}::numeric / 1000))` },
    ...(isStart
      ? [
          {
            from: LOCAL_START,
            sql: `NULL::timestamptz AS starts_at, nullif(${name}::text, '')::timestamp AS starts_local`,
          },
        ]
      : []),
  ],
  wallTime: (name) => [
    { from: 'text', sql: `nullif(${name}::text, '')::timestamp` },
    { from: 'an instant', sql: `${name} AT TIME ZONE venues.timezone` },
  ],
  flag: (name) => [
    { from: 'words such as true and no', sql: `nullif(${name}::text, '')::boolean` },
    { from: 'numbers', sql: `${name}::numeric <> 0` },
  ],
  flagText: (defaultSql) => String(defaultSql === '1'),
  money: (name) => [
    { from: WHOLE_UNITS, sql: `round(${name}::numeric * 100)::bigint` },
    { from: MINOR_UNITS, sql: `round(${name}::numeric)::bigint` },
  ],
  number: (name) => [{ from: 'digits', sql: `${name}::numeric::bigint` }],
  freeText: (name) => [
    { from: 'other types, or text that is too long', sql: `left(${name}::text, ${TEXT_LENGTH_MAX})` },
    { from: 'a bytea', sql: `convert_from(${name}, 'UTF8')` },
  ],
  text: (name) => `${name}::text`,
  otherId: (name) => `${name}::text, of a bytea encode(${name}, 'hex')`,
};

const DIALECTS: Readonly<Record<DatabaseKind, Dialect>> = { sqlite: SQLITE, postgres: POSTGRES };
