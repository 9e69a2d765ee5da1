// What every transaction on a server begins with, reading or writing: its settings and the
// search_path, which a file does not have. All of it is local to the transaction: behind a pooler
// the next one may be in another session, and a session may have temporary tables and settings of
// another client.

import { sql, type RawBuilder } from 'kysely';
import { AppError } from '../../errors.ts';
import type { RowSecurity } from './connection-settings.ts';

/** The statements after BEGIN. */
export function transactionSettings(rowSecurity: RowSecurity): readonly string[] {
  return [
    "set local timezone = 'UTC'",
    "set local datestyle = 'ISO'",
    // Off is an error, not less rows, where a policy would hide some.
    `set local row_security = ${rowSecurity === 'filter' ? 'on' : 'off'}`,
    // A statement, with its locks, ends soon after this process does. Servers before 14 and those
    // on Windows do not have this setting.
    `select set_config(name, '2s', true) from pg_settings where name = 'client_connection_check_interval' and version() like '%linux%'`,
    // Every cursor is read to its end, so a plan that gives the first rows early is no better.
    'set local cursor_tuple_fraction = 1',
    // Waits for whoever has locked a table, but not forever.
    `select set_config('lock_timeout', '10s', true) where current_setting('lock_timeout') = '0'`,
    'set local jit = off',
  ];
}

/** Where tables are searched. */
export interface SearchPath {
  /** As it was set. */
  readonly setting: string;
  /**
   * Those of its schemas that exist and that this user may use, as SQL; '' where there are none.
   */
  readonly schemas: string;
}

const PG_TEMP = String.raw`(^|,)\s*"?pg_temp"?\s*(?=,|$)`;

/**
 * Asks for the search_path and the server's encoding, and puts pg_temp last: unless it is named,
 * temporary tables come first.
 */
export const SESSION_QUERY = sql`
  with session as materialized (select current_setting('search_path') as path, current_schemas(false) as schemas)
  select path, array_to_string(array(select quote_ident(name) from unnest(schemas) as name), ', '), current_setting('server_encoding'),
    set_config('search_path', concat_ws(', ', nullif(ltrim(regexp_replace(path, ${PG_TEMP}, '', 'gi'), ', '), ''), 'pg_temp'), true)
  from session`;

/**
 * From the row of SESSION_QUERY.
 * @throws AppError database-unreadable: in SQL_ASCII the server accepts any bytes as text
 */
export function searchPathFrom([row = []]: readonly unknown[][], path: string): SearchPath {
  const [setting, schemas, encoding] = row.map(String);
  if (encoding === 'SQL_ASCII') {
    const message = `expected a database whose server checks its text, found ${path} in SQL_ASCII`;
    throw new AppError('database-unreadable', message, 'copy it: pg_dump | psql into CREATE DATABASE … ENCODING UTF8');
  }
  return { setting: setting ?? '', schemas: schemas ?? '' };
}

/**
 * SQL for the relation that a name leads to now; null for a temporary table, since behind a pooler
 * it is another client's.
 */
export function presentOid(name: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql`nullif(to_regclass(quote_ident(${name}))::oid,
    (select oid from pg_catalog.pg_class where relname = ${name} and relnamespace = pg_my_temp_schema()))`;
}
