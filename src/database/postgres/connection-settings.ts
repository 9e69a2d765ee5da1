// Settings for the driver, from an address and the environment as PostgreSQL's own tools read them. The driver's own parser is not used:
// it warns on stderr, knows no service files, and gives TLS modes another meaning.

import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { AppError } from '../../errors.ts';
import { nearNames } from '../../suggestions.ts';
import { addressParts, displayAddress, HEEDED, KNOWN, UNABLE, type Parameters, type Read } from './address-parts.ts';
import { passwordIn, type PasswordFor } from './password-file.ts';
import { serviceParameters } from './service-file.ts';
import { IN_THE_CLEAR, isVerifying, tlsSettings } from './tls-settings.ts';

export interface ConnectionSettings {
  readonly config: ClientConfig;
  /** The same without TLS, for a server that has none, where the address lets it; see `connect.ts`. */
  readonly withoutTls: ClientConfig | null;
  /** Whether the server has to prove that TLS ends at it; see `connect.ts`. */
  readonly isBindingRequired: boolean;
}

/** Where distributions put the socket. Not /tmp: anybody could make one there, and would be sent the password. */
const SOCKET_FOLDER = '/var/run/postgresql';

const USUAL_PORT = '5432';
const USUAL_TIMEOUT_SECONDS = '10';

/**
 * Each parameter comes from the first of these that has it: the address, the service that it or PGSERVICE names, the environment, the
 * defaults. Defaults: the socket of a server on this machine or else localhost, port 5432, the user of this process, the database of the
 * same name, ten seconds to connect. The password file is read only when the server asks for a password. TLS: tls-settings.ts.
 * @throws AppError database-unreadable
 */
export function connectionSettings(
  address: string,
  environment: NodeJS.ProcessEnv,
  socketFolder = SOCKET_FOLDER,
): ConnectionSettings {
  const home = homeOf(environment);
  const read = readerOf(address, environment, home);
  const port = portOf(read('port') ?? USUAL_PORT);
  const named = read('host');
  const host = named ?? (existsSync(join(socketFolder, `.s.PGSQL.${port}`)) ? socketFolder : 'localhost');
  if (host.includes(',')) throw refused(address, 'one server', 'several', 'name the one to read from');
  const isSocket = host.startsWith('/');
  if (isSocket && named === undefined && isVerifying(read)) {
    const hint = `name the server: postgres://USER@HOST/…; for the socket, which has no TLS: host=${host}`;
    throw refused(address, 'a host whose certificate can be verified', `none, and a socket in ${host}`, hint);
  }
  const user = read('user') ?? processUser();
  const dbname = read('dbname') ?? user;
  const tls = isSocket ? IN_THE_CLEAR : tlsSettings(read, home);
  // The password file calls the default socket localhost.
  const inPasswordFile = host === socketFolder ? 'localhost' : host;
  const passwordPath = read('passfile') ?? (home === null ? null : join(home, '.pgpass'));
  const binding = bindingOf(read('channel_binding') ?? 'disable');
  const config: ClientConfig = {
    host,
    port,
    user,
    database: dbname,
    password: passwordOf(read('password'), passwordPath, { host: inPasswordFile, port, dbname, user }, address),
    application_name: read('application_name') ?? 'playbill',
    connectionTimeoutMillis: 1000 * secondsOf('connect_timeout', read('connect_timeout') ?? USUAL_TIMEOUT_SECONDS),
    keepAlive: read('keepalives') !== '0',
    keepAliveInitialDelayMillis: 1000 * secondsOf('keepalives_idle', read('keepalives_idle') ?? '0'),
    enableChannelBinding: binding !== 'disable',
    options: read('options'),
    ssl: tls.ssl,
    sslnegotiation: 'postgres',
  };
  return {
    config,
    withoutTls: tls.isOptional ? { ...config, ssl: false } : null,
    isBindingRequired: binding === 'require',
  };
}

/** '' counts as not given, except for parameters with fixed words. @throws AppError database-unreadable */
function readerOf(address: string, environment: NodeJS.ProcessEnv, home: string | null): Read {
  const parts = addressParts(address);
  if (parts === null)
    throw refused(address, 'postgres://user@host:port/database?parameters, or a path', 'other text', ADDRESS_HINT);
  refuseUnknown(parts, 'the address', parts.has('password') || parts.has('sslpassword'));
  const named = parts.get('service') ?? environment['PGSERVICE'] ?? '';
  const service: Parameters = named === '' ? new Map() : serviceParameters(named, environment, home);
  refuseUnknown(service, `service ${named}`, false);
  // PGREQUIRESSL is the older form of PGSSLMODE.
  const requireTls = environment['PGREQUIRESSL']?.startsWith('1') === true ? 'require' : undefined;
  const variables: NodeJS.ProcessEnv = { ...environment, PGSSLMODE: environment['PGSSLMODE'] ?? requireTls };
  for (const [name, variable, ...fine] of UNABLE) {
    const value = parts.get(name) ?? service.get(name) ?? variables[variable] ?? '';
    if (value === '' || fine.includes(value)) continue;
    const but = fine.length === 0 ? '' : ` but ${fine.join(', ')}`;
    const message = `expected no ${name}${but} (${variable}), found another; this program cannot do what it asks for`;
    throw new AppError('database-unreadable', message, `leave out ${name}, or unset ${variable}`);
  }
  return (name) => {
    const value = parts.get(name) ?? service.get(name) ?? variables[HEEDED[name] ?? ''];
    return value === '' && name !== 'sslmode' && name !== 'channel_binding' ? undefined : value;
  };
}

const ADDRESS_HINT =
  'begin with postgres://, without quotes and blanks; write %40 for @, %3A for :, %2F for / and %3F for ? in names; better no password, but PGPASSWORD or ~/.pgpass';

function refused(address: string, expected: string, found: string, hint: string): AppError {
  const message = `expected ${expected}, found ${found}: ${displayAddress(address)}`;
  return new AppError('database-unreadable', message, hint);
}

/**
 * A parameter with a mistyped name would silently have no effect. `isSecret`: whether the name may be the rest of a password that has an
 * & in it.
 */
function refuseUnknown(parameters: Parameters, where: string, isSecret: boolean): void {
  const candidates = KNOWN.map((name) => ({ name, title: name }));
  for (const name of parameters.keys()) {
    if (KNOWN.includes(name)) continue;
    const near = nearNames(name, candidates).map((one) => one.name);
    const found = isSecret ? 'another name; write %26 for an & in a password' : JSON.stringify(name);
    const message = `expected parameters of PostgreSQL in ${where}, found ${found}`;
    const hint = isSecret || near.length === 0 ? 'leave it out' : `did you mean ${near.join(', ')}?`;
    throw new AppError('database-unreadable', message, hint);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  // Does not show what was found: after a colon it may be a password.
  const message = 'expected port to be 1 to 65535, found something else';
  throw new AppError('database-unreadable', message, 'leave it out for 5432');
}

/** 0 stands for no limit, or for the system's default. */
function secondsOf(name: string, text: string): number {
  if (/^-?\d{1,6}$/.test(text)) return Math.max(0, Number(text));
  const message = `expected ${name} to be a number of seconds, found ${JSON.stringify(text)}`;
  throw new AppError('database-unreadable', message, 'leave it out for what is usual');
}

function bindingOf(text: string): string {
  if (['disable', 'prefer', 'require'].includes(text)) return text;
  const message = `expected channel_binding to be disable, prefer or require, found ${JSON.stringify(text)}`;
  throw new AppError('database-unreadable', message, 'leave it out, or where the server can do it: require');
}

/** Always a function: given undefined, the driver would look for a password itself. */
function passwordOf(
  given: string | undefined,
  path: string | null,
  wanted: PasswordFor,
  address: string,
): () => Promise<string> {
  return async () => {
    if (given !== undefined) return given;
    const found = path === null ? { missing: 'none' } : passwordIn(path, wanted);
    if ('password' in found) return found.password;
    const { host, port, dbname, user } = wanted;
    const line = [host, String(port), dbname, user]
      .map((field) => field.replaceAll(/[:\\]/g, String.raw`\$&`))
      .join(':');
    const message = `expected a password for user ${user} at ${displayAddress(address)}, found ${found.missing}`;
    throw new AppError('database-unreadable', message, `set PGPASSWORD, or add a line to ~/.pgpass: ${line}:PASSWORD`);
  };
}

/** Null for a user without a home folder, such as in a container. */
function homeOf(environment: NodeJS.ProcessEnv): string | null {
  const named = environment['HOME'] ?? '';
  if (named !== '') return named;
  try {
    return homedir();
  } catch {
    return null;
  }
}

function processUser(): string {
  try {
    return userInfo().username;
  } catch (error) {
    const message = 'expected a user, found none: this process runs as a number without a name';
    throw new AppError('database-unreadable', message, 'name one: postgres://USER@host/database, or PGUSER', error);
  }
}
