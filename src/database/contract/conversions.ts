// Hints for mapping a schema: SQL that converts the value that was found into one that the column accepts, such as a Unix time into an
// instant. Where a value could mean several things, the hint says under which condition it holds, or there is none.

import { formatInstant, instantOf } from '../../catalogue/instant.ts';
import type { DatabaseKind } from '../reader.ts';
import type { Column } from './columns.ts';
import { isId, type TableName } from './tables.ts';

/** SQL for a view, with the column's name where the view has an expression. */
export interface Conversion {
  readonly sql: string;
  /** What must be true of the values; '' where the value itself leaves no doubt. */
  readonly condition: string;
}

/**
 * The hint for a value that a column of a table does not accept, or undefined where there is none: a conversion, or what a person has to
 * complete.
 */
export function hintOf(
  kind: DatabaseKind,
  table: TableName,
  name: string,
  column: Column<unknown>,
  value: unknown,
): string | undefined {
  const conversion = conversionOf(kind, name, column, value);
  if (conversion !== null) {
    const { condition, sql } = conversion;
    return condition === '' ? sql : `${condition}: ${sql}`;
  }
  if (typeof value === 'string' && isId(table, name)) return TEXT_ID_HINT;
  if (typeof value === 'bigint') return isId(table, name) ? LARGE_ID_HINT : undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return column.words && `CASE ${name}${column.words.map((word) => ` WHEN '<yours>' THEN '${word}'`).join('')} END`;
}

/** For what SQL on a single value cannot do. */
export const TEXT_ID_HINT = 'ids are integers: give text ids numbers in a table of their own (data/own-schema.md, Ids)';

const LARGE_ID_HINT =
  'ids are integers of at most 2^53: give larger ones numbers in a table of their own (data/own-schema.md, Ids)';

interface Rule {
  readonly sql: (name: string) => string;
  /** The same for PostgreSQL, where it differs: there a view may as well give a native type. */
  readonly postgres?: (name: string) => string;
  /** What the SQL makes of a value; undefined where it is not meant for it. */
  readonly result: (value: unknown) => unknown;
  readonly condition?: (name: string) => string;
  readonly postgresCondition?: (name: string) => string;
  /** Only for some columns; otherwise for each that accepts the result. */
  readonly isFor?: (name: string, column: Column<unknown>) => boolean;
}

const TRUE = ['true', 't', 'yes', 'y', 'on', '1'];
const FALSE = ['false', 'f', 'no', 'n', 'off', '0'];
const INSTANT = "'%Y-%m-%dT%H:%M:%SZ'";

/** SQLite's lower() and upper() change these letters alone. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = (text: string): string => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());

const ofText =
  (result: (text: string) => unknown) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? result(value) : undefined;

/** Of a number, or of a text that is one. */
const ofNumber = (result: (number: number) => unknown) => (value: unknown) => {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value));
  return isNumber ? result(Number(value)) : undefined;
};

/** Date and time as most databases print them: `2026-12-01 19:00`, with seconds, fractions and an offset or without. */
const DATE_TIME =
  /^(?<date>\d{4}-\d\d-\d\d)[ T](?<minute>\d\d:\d\d)(?<second>:\d\d)?(?:\.\d+)?(?<zone>Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

/** The date and time of a text as ISO 8601 has it, without its offset; undefined where it has one and is not meant to. */
function dateTime(text: string, isZoned: boolean): string | undefined {
  const { date, minute, second = ':00', zone } = DATE_TIME.exec(text)?.groups ?? {};
  if (date === undefined || minute === undefined || (zone !== undefined) !== isZoned) return undefined;
  return `${date}T${minute}${second}`;
}

const isBoolean = (_name: string, column: Column<unknown>): boolean => column.accepts(1) && !column.accepts(2);
const isNoBoolean = (name: string, column: Column<unknown>): boolean => !isBoolean(name, column);
const isAmount = (name: string): boolean => name === 'amount_minor';
const isTime = (_name: string, { time }: Column<unknown>): boolean => time !== undefined;
const isTextual = (_name: string, { declared }: Column<unknown>): boolean => declared === 'TEXT';

/** The first whose result the column accepts is the hint. */
const RULES: readonly Rule[] = [
  {
    sql: (name) => `coalesce(${name}, 0)`,
    result: (value) => (value === null ? 0 : undefined),
    condition: () => 'where NULL is for all ages',
    isFor: (name) => name === 'age_rating',
  },
  { sql: (name) => `nullif(${name}, '')`, result: (value) => (value === '' ? null : undefined) },
  // An offset can make a valid time invalid only in the first and last years.
  {
    sql: (name) => `strftime(${INSTANT}, ${name})`,
    postgres: (name) => `date_trunc('second', ${name}::timestamptz)`,
    result: ofText((text) => withZ(dateTime(text, true))),
    isFor: isTime,
  },
  {
    sql: (name) => `strftime(${INSTANT}, ${name})`,
    postgres: (name) => `date_trunc('second', ${name}::timestamp) AT TIME ZONE 'UTC'`,
    result: ofText((text) => withZ(dateTime(text, false))),
    condition: (name) =>
      name === 'starts_at'
        ? `where it is the local time of the venue: NULL AS starts_at, strftime('%Y-%m-%dT%H:%M:%S', starts_at) AS starts_local; where it is UTC`
        : 'where it is UTC (to local time, append its offset first)',
    postgresCondition: (name) =>
      name === 'starts_at'
        ? `where it is the local time of the venue: NULL AS starts_at, date_trunc('second', starts_at::timestamp) AS starts_local; where it is UTC`
        : 'where it is UTC (else name its zone)',
    isFor: isTime,
  },
  // From 1973 to 5138 in seconds, to 2286 in milliseconds: smaller numbers are dates such as 20261201, larger ones 20261201190000.
  {
    sql: (name) => `strftime(${INSTANT}, ${name}, 'unixepoch')`,
    postgres: (name) => `to_timestamp(trunc(${name}::numeric))`,
    result: ofNumber((number) =>
      number >= 1e8 && number < 1e11 ? formatInstant(instantOf(Math.floor(number))) : undefined,
    ),
    isFor: isTime,
  },
  {
    sql: (name) => `strftime(${INSTANT}, ${name} / 1000, 'unixepoch')`,
    postgres: (name) => `to_timestamp(trunc(${name}::numeric / 1000))`,
    result: ofNumber((number) =>
      number >= 1e11 && number < 1e13 ? formatInstant(instantOf(Math.floor(number / 1000))) : undefined,
    ),
    isFor: isTime,
  },
  {
    sql: (name) => `strftime('%Y-%m-%dT%H:%M:%S', ${name})`,
    postgres: (name) => `date_trunc('second', ${name}::timestamp)`,
    result: ofText((text) => dateTime(text, false)),
    isFor: isTime,
  },
  {
    sql: (name) => `replace(substr(${name}, 1, 19), ' ', 'T')`,
    result: ofText((text) => (/^.{16}:/.test(text) ? dateTime(text, true) : undefined)),
    isFor: isTime,
  },
  {
    sql: (name) => `lower(${name}) IN (${TRUE.map((word) => `'${word}'`).join(', ')})`,
    result: ofText((text) =>
      [...TRUE, ...FALSE].includes(lower(text)) ? Number(TRUE.includes(lower(text))) : undefined,
    ),
    isFor: isBoolean,
  },
  { sql: (name) => `${name} <> 0`, result: (value) => (typeof value === 'number' ? 1 : undefined), isFor: isBoolean },
  {
    sql: (name) => `CAST(${name} AS INTEGER)`,
    postgres: (name) => `${name}::bigint`,
    result: ofText((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)),
    isFor: isNoBoolean,
  },
  // A product of a price and 100, such as 1998.9999999999998.
  {
    sql: (name) => `CAST(round(${name}) AS INTEGER)`,
    postgres: (name) => `round(${name})::bigint`,
    result: (value) =>
      typeof value === 'number' && Math.abs(value - Math.round(value)) < 1e-6 ? Math.round(value) : undefined,
    isFor: isAmount,
  },
  {
    sql: (name) => `CAST(round(${name} * 100) AS INTEGER)`,
    postgres: (name) => `round(${name}::numeric * 100)::bigint`,
    result: ofNumber((number) => Math.round(number * 100)),
    condition: () => 'for a currency of two decimals',
    isFor: isAmount,
  },
  {
    sql: (name) => `replace(${name}, 'http://', 'https://')`,
    result: ofText((text) => text.replaceAll('http://', 'https://')),
  },
  { sql: (name) => `lower(${name})`, result: ofText(lower) },
  { sql: (name) => `upper(${name})`, result: ofText(upper) },
  { sql: (name) => `replace(${name}, '_', '-')`, result: ofText((text) => text.replaceAll('_', '-')) },
  { sql: (name) => `lower(replace(${name}, '_', '-'))`, result: ofText((text) => lower(text.replaceAll('_', '-'))) },
  { sql: (name) => `'#' || ${name}`, result: ofText((text) => `#${text}`) },
  // Not CAST: that of 67.0 is 67.0.
  {
    sql: (name) => `printf('%d', ${name})`,
    postgres: (name) => `${name}::bigint::text`,
    result: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
    isFor: isTextual,
  },
];

function withZ(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${text}Z`;
}

/** The hint for a value that a column does not accept, or null where there is none. */
export function conversionOf(
  kind: DatabaseKind,
  name: string,
  column: Column<unknown>,
  value: unknown,
): Conversion | null {
  // PostgreSQL goes by types: the column may be an enumeration or a boolean.
  const operand = kind === 'sqlite' || column.words === undefined ? name : `${name}::text`;
  if (value === null && column.defaultSql !== null) {
    const number = kind === 'postgres' && isBoolean(name, column) ? `${name}::int` : operand;
    return { sql: `coalesce(${number}, ${column.defaultSql})`, condition: '' };
  }
  for (const { sql: ofSqlite, postgres = ofSqlite, result, condition, postgresCondition = condition, isFor } of RULES) {
    if (isFor?.(name, column) === false) continue;
    const made = result(value);
    if (made === undefined || !column.accepts(made)) continue;
    const [sql, when] = kind === 'sqlite' ? [ofSqlite, condition] : [postgres, postgresCondition];
    return { sql: sql(operand), condition: when?.(name) ?? '' };
  }
  return null;
}
