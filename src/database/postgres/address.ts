// Addresses of PostgreSQL: which values of `--db` are one, where all others are files; and what of
// an address may be shown. Every command asks, so this file loads no driver.

import { shellWord } from '../../errors.ts';

/**
 * The parameters that an address or a service may set, and the environment variables that set them
 * otherwise; null: none does.
 */
export const PARAMETERS = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  service: 'PGSERVICE',
  options: 'PGOPTIONS',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  // Ours: PostgreSQL's tools refuse it.
  row_security: null,
} as const;
export type Parameter = keyof typeof PARAMETERS;

export function isParameter(name: string): name is Parameter {
  return Object.hasOwn(PARAMETERS, name);
}

/**
 * Whether `--db` names a server rather than a file. Text that merely resembles an address counts
 * too, because it may hold a password: opening it explains what was expected, without repeating the
 * text.
 */
export function isAddress(text: string): boolean {
  return /^postgres(?:ql)?:|^\W*[a-z][\w+.:-]*:\/\/|password\s*=/i.test(text);
}

/**
 * The parsed address; a user without a host is one at localhost. Null where the text is no address
 * of one server, or where part of an unescaped password may stand outside the password's place.
 */
export function parseAddress(text: string): URL | null {
  // An @ before any colon: one of the two, or the colon, is a slip, and what stands for the user
  // may be the password.
  const isMisplaced = /^\w+:\/\/[^:/?#]*@.*@/s.test(text);
  const isPostgres = /^postgres(?:ql)?:\/\//i.test(text) && !isMisplaced;
  const url = isPostgres ? URL.parse(text.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost')) : null;
  return url === null || /[@#]/.test(url.pathname + url.search + url.hash) || url.hostname.includes(',') ? null : url;
}

/**
 * `--db` for messages and hints: a path as it is, an address without its password, and of any other
 * text only the scheme.
 */
export function displayAddress(text: string): string {
  if (!isAddress(text)) return text;
  const url = parseAddress(text);
  if (url === null) return `${/^\W*[a-z][\w+.-]*:(?:\/\/)?/i.exec(text)?.[0] ?? ''}…`;
  const query = url.search
    .slice(1)
    .split('&')
    .filter((pair) => isPublic(pair));
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** The same for a command line of PostgreSQL's own tools. */
export function psqlCommand(path: string): string {
  return `psql ${shellWord(path.replace(/([?&])row_security=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, ''))}`;
}

/**
 * A setting with a dot in its name belongs to an extension or an application, and may be a token
 * that row policies check.
 */
function isPublic(pair: string): boolean {
  const [name = ''] = pair.split('=');
  return isParameter(name) && name !== 'password' && !/^options=.*(?:\.|%2e)/is.test(pair);
}
