// Column rules: what a value of the catalogue may be, as in the CHECKs of data/schema.sql. They
// type the queries, check every row that is read (a view has no CHECKs), and describe what was
// expected. Own code, not zod: millions of values pass here.

import { FRONT_CODE } from '../../contract/front-code.ts';
import { parseInstant, parseWallTime } from '../../catalogue/instant.ts';
import type { RowId } from '../../catalogue/row-id.ts';

/** One column: which values it accepts, and how SQL declares it. */
export interface Column<T> {
  readonly declared: 'INTEGER' | 'TEXT';
  readonly isNullable: boolean;
  /** The default as SQL; null where a row must give a value. */
  readonly defaultSql: string | null;
  /** Set where the default is the row's id, as text: none that a table could declare. */
  readonly defaultsToId?: boolean;
  /** Completes "expected …". */
  readonly expected: string;
  readonly accepts: (value: unknown) => value is T;
  /** All values that it accepts, where these are a few words. */
  readonly words?: readonly string[];
  readonly isFlag?: boolean;
  /** Set where it holds ids that may be text as well as integers. */
  readonly mayBeText?: boolean;
  /**
   * Where it holds a time: an instant, or a wall time. Databases have types of their own for these.
   */
  readonly time?: 'instant' | 'wall';
  /** Whether it takes any text that is not too long. */
  readonly isFree?: boolean;
  /** Whether documents show it to people, as plain text. */
  readonly isName?: boolean;
  /** Which other text is usually found, and the SQL that makes of it what the column accepts. */
  readonly similar?: Similar;
  /** The infinite instant that means the same as NULL, where NULL is an open end. */
  readonly openEnd?: 'infinity' | '-infinity';
}

interface Similar {
  readonly from: string;
  readonly sql: (cell: string) => string;
}

/** The type of a column's values. */
export type ValueOf<C> = C extends Column<infer T> ? T : never;

function column<T>(declared: 'INTEGER' | 'TEXT', expected: string, accepts: (value: unknown) => boolean): Column<T> {
  return { declared, isNullable: false, defaultSql: null, expected, accepts: accepts as Column<T>['accepts'] };
}

function textual(expected: string, accepts: (text: string) => boolean): Column<string> {
  return column('TEXT', expected, (value) => typeof value === 'string' && accepts(value));
}

function free(expected: string, accepts: (text: string) => boolean): Column<string> {
  return { ...textual(expected, accepts), isFree: true };
}

function matching(pattern: RegExp, expected: string, from: string, sql: (cell: string) => string): Column<string> {
  return { ...textual(expected, (text) => pattern.test(text)), similar: { from, sql } };
}

export function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Column<number> {
  let expected = `an integer from ${min} to ${max}`;
  if (max === Number.MAX_SAFE_INTEGER) expected = `an integer of at least ${min}`;
  if (min === Number.MIN_SAFE_INTEGER) expected = 'an integer';
  const accepts = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
  return column('INTEGER', expected, accepts);
}

export const boolean: Column<0 | 1> = {
  ...column<0 | 1>('INTEGER', '0 or 1', (value) => value === 0 || value === 1),
  isFlag: true,
};

/**
 * No name is longer; longer text comes from a faulty join, and would be in every edition of every
 * front that shows it.
 */
export const TEXT_LENGTH_MAX = 65_536;
/**
 * What takes more is not read from a database, only its size: in UTF-8 none of the characters that
 * are counted, UTF-16 code units, has more than three bytes.
 */
export const CELL_BYTES_MAX = 3 * TEXT_LENGTH_MAX;

export const text = free(`text of at most ${TEXT_LENGTH_MAX} characters`, ({ length }) => length <= TEXT_LENGTH_MAX);
export const name: Column<string> = { ...text, isName: true };
export const slug = matching(
  /^(?=.{1,200}$)([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/,
  'a slug, 1 to 200 of A-Z, a-z, 0-9, ., _, ~, - and %XX',
  'text with blanks',
  (cell) => `replace(${cell}, ' ', '%20')`,
);
/** One that may be left out. */
export const slugOrId: Column<string> = { ...slug, defaultsToId: true };
const CASE_DIFFERS = 'text in which only case differs';
export const code = matching(
  FRONT_CODE,
  'a code, [a-z0-9][a-z0-9._-]{0,62} without ..',
  CASE_DIFFERS,
  (cell) => `lower(${cell})`,
);
export const keyId = textual('a keyid, 1 to 128 of A-Z, a-z, 0-9, ., _, : and -', (id) =>
  /^[A-Za-z0-9._:-]{1,128}$/.test(id),
);
export const currency = matching(
  /^[A-Z]{3}$/,
  'a currency of three capitals, such as EUR',
  CASE_DIFFERS,
  (cell) => `upper(${cell})`,
);
export const color = matching(
  /^#[0-9A-Fa-f]{6}$/,
  'a colour as #RRGGBB',
  'six digits without #',
  (cell) => `'#' || ${cell}`,
);
export const weekendDays = matching(
  /^(?=.{1,6}$)1?2?3?4?5?6?7?$/,
  '1 to 6 ISO weekday digits, ascending, such as 67',
  'a number',
  (cell) => `replace(${cell}, '.0', '')`,
);
/** Where something is sold; several names are separated by a blank each. */
const CHANNEL = '[A-Za-z0-9._-]+';
export const channel = matching(
  /^[A-Za-z0-9._-]{1,100}$/,
  'a channel, 1 to 100 of A-Z, a-z, 0-9, ., _ and -',
  'text with blanks',
  (cell) => `replace(${cell}, ' ', '-')`,
);
export const channels = matching(
  new RegExp(`^(?=.{1,1000}$)${CHANNEL}( ${CHANNEL})*$`),
  'channels of A-Z, a-z, 0-9, ., _ and -, with one blank between two, at most 1000 characters',
  'names with commas',
  (cell) => `replace(replace(${cell}, ', ', ' '), ',', ' ')`,
);

/** A language tag (BCP 47) that the runtime finds well-formed. */
export const locale = textual('a language tag such as de or de-AT (BCP 47)', (tag) => {
  try {
    return /^[A-Za-z0-9-]{2,35}$/.test(tag) && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
});

/** U+FFFD stands for what could not be decoded, which is no id. */
const ID_TEXT = /^[^\0\ufffd]{1,200}$/;

/** An id that nothing publishes. */
export const rowId: Column<RowId> = {
  ...column<RowId>(
    'INTEGER',
    'an integer, or text of 1 to 200 characters',
    (id) => Number.isSafeInteger(id) || (typeof id === 'string' && ID_TEXT.test(id)),
  ),
  mayBeText: true,
};

/** An id of another table, as text. */
export const idText: Column<string> = {
  ...textual('an id as text of 1 to 200 characters', (id) => ID_TEXT.test(id)),
  similar: { from: 'an integer', sql: (cell) => `CAST(${cell} AS TEXT)` },
};

/** Whether a zone is known is not for a column to say. */
export const zoneName = textual(
  'the name of a time zone, of at most 100 characters',
  (name) => name.length > 0 && name.length <= 100 && !name.includes('\0'),
);

export const filledName: Column<string> = {
  ...free(`text of 1 to ${TEXT_LENGTH_MAX} characters`, ({ length }) => length > 0 && length <= TEXT_LENGTH_MAX),
  isName: true,
};

/** When a day begins: at night, or at six at the latest. */
export const dayStart = matching(
  /^(0[0-5]:[0-5]\d|06:00)$/,
  'a time from 00:00 to 06:00 as HH:MM',
  'a time with seconds',
  (cell) => `substr(${cell}, 1, 5)`,
);
export const httpsUrl: Column<string> = {
  ...free(
    `a URL of at most ${TEXT_LENGTH_MAX} characters that begins with https://`,
    (url) => url.length <= TEXT_LENGTH_MAX && /^https:\/\/[^]/.test(url),
  ),
  similar: {
    from: 'http, where the same is there over https',
    sql: (cell) => `replace(${cell}, 'http://', 'https://')`,
  },
};
export const instant: Column<string> = {
  ...textual('an instant as YYYY-MM-DDTHH:MM:SSZ, UTC', (value) => parseInstant(value) !== undefined),
  time: 'instant',
};
export const wallTime: Column<string> = {
  ...textual('a wall time as YYYY-MM-DDTHH:MM:SS', (value) => parseWallTime(value) !== undefined),
  time: 'wall',
};

export function oneOf<const T extends string>(...values: readonly T[]): Column<T> {
  const of = column<T>('TEXT', `one of ${values.join(', ')}`, (value) => values.some((one) => one === value));
  return { ...of, words: values };
}

export function nullable<T>(of: Column<T>): Column<T | null> {
  const accepts = (value: unknown): value is T | null => value === null || of.accepts(value);
  return { ...of, isNullable: true, defaultSql: 'NULL', expected: `${of.expected}, or NULL`, accepts };
}

/** A column with a default: an import may leave it out. */
export function defaulted<T extends string | number>(of: Column<T>, value: NoInfer<T>): Column<T> {
  return { ...of, defaultSql: typeof value === 'string' ? `'${value}'` : String(value) };
}

/** The start or the end of a period; NULL where it is open. */
export const fromInstant: Column<string | null> = { ...nullable(instant), openEnd: '-infinity' };
export const untilInstant: Column<string | null> = { ...nullable(instant), openEnd: 'infinity' };
