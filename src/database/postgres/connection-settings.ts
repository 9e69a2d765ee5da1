// How a PostgreSQL server is reached, where SQLite needs but a path: an address and the environment
// become settings of the driver. What a parameter means, sslmode above all, is left to
// pg-connection-string, and the password file to pgpass.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import pgpass from 'pgpass';
import { AppError, messageOf } from '../../errors.ts';
import { nearNames } from '../../suggestions.ts';
import { displayAddress, isParameter, type Parameter, PARAMETERS, parseAddress } from './address.ts';
import { serviceParameters } from './service-file.ts';

export interface ConnectionSettings {
  readonly config: ClientConfig;
  /**
   * The same without TLS, to fall back to where the server has none; null where the address insists
   * on TLS, or forbids it.
   */
  readonly withoutTls: ClientConfig | null;
  readonly rowSecurity: RowSecurity;
}

/** Where a policy hides rows from this role: an error, or only the rows that it sees. */
export type RowSecurity = 'refuse' | 'filter';

type Parameters = Partial<Record<Parameter, string>>;

/**
 * Where distributions put a server's socket. Not /tmp: anyone could open one there, and would be
 * sent the password.
 */
const SOCKET_FOLDER = '/var/run/postgresql';

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * A parameter counts where it is found first: in the address, the service that it or PGSERVICE
 * names, the environment. Defaults: the local server's socket, else localhost; the user of this
 * process; ten seconds to connect; TLS without verification where the server has it.
 * @throws AppError database-unreadable
 */
export function connectionSettings(
  address: string,
  environment: NodeJS.ProcessEnv,
  socketFolder = SOCKET_FOLDER,
): ConnectionSettings {
  const { row_security: rowSecurity, ...given } = parametersOf(address, environment);
  if (rowSecurity !== undefined && rowSecurity !== 'filter') {
    const message = `expected row_security to be filter, or not given, found ${JSON.stringify(rowSecurity)}`;
    throw new AppError('database-unreadable', message, 'to see only the rows that policies show: row_security=filter');
  }
  const { sslmode } = given;
  if (sslmode !== undefined && !MODES.includes(sslmode)) {
    const message = `expected sslmode to be one of ${MODES.join(', ')}, found ${JSON.stringify(sslmode)}`;
    throw new AppError('database-unreadable', message, 'over a network: sslmode=verify-full');
  }
  if (sslmode === 'verify-ca' && given.sslrootcert === undefined) {
    const message = 'expected sslrootcert with sslmode=verify-ca, found none';
    const hint =
      "name the file with the certificate of the server's authority: sslrootcert=FILE; or, for one that Node.js knows, sslmode=verify-full";
    throw new AppError('database-unreadable', message, hint);
  }
  // A socket has no TLS: whoever names a mode means a server on the network.
  const isLocal = sslmode === undefined && existsSync(join(socketFolder, `.s.PGSQL.${given.port ?? '5432'}`));
  const host = given.host ?? (isLocal ? socketFolder : 'localhost');
  const user = given.user ?? processUser();
  const isOptional = sslmode === undefined || sslmode === 'allow' || sslmode === 'prefer';
  const mode = host.startsWith('/') ? 'disable' : isOptional ? 'prefer' : sslmode;
  const parsed = driverSettings({ port: '5432', ...given, host, user, sslmode: mode });
  const config: ClientConfig = {
    ...parsed,
    database: given.dbname ?? user,
    application_name: given.application_name ?? 'playbill',
    connectionTimeoutMillis: 1000 * secondsOf(given.connect_timeout ?? '10'),
    keepAlive: true,
    // Firewalls cut connections that are silent, as while a slow view is read.
    keepAliveInitialDelayMillis: 30_000,
    // A function, so that no dump of these settings shows it.
    password: async () => given.password ?? (await filedPassword(config, address)),
    sslnegotiation: 'postgres',
  };
  return {
    config,
    withoutTls: mode === 'prefer' ? { ...config, ssl: false } : null,
    rowSecurity: rowSecurity ?? 'refuse',
  };
}

/** The parameters that are set, empty ones left out. */
function parametersOf(address: string, environment: NodeJS.ProcessEnv): Parameters {
  const url = parseAddress(address);
  if (url === null) {
    const message = `expected postgres://user@host:port/database?parameters, or a path, found something else: ${displayAddress(address)}`;
    throw new AppError('database-unreadable', message, ADDRESS_HINT);
  }
  const { username: user, password, hostname: host, port, pathname } = url;
  const parts = Object.entries({ user, password, host, port, dbname: pathname.slice(1) });
  const named = new Map([
    ...parts.filter(([, text]) => text !== '').map(([name, text]) => [name, decoded(text)] as const),
    ...url.searchParams,
  ]);
  refuseUnknown(named, 'the address');
  const serviceName = named.get('service') ?? environment['PGSERVICE'] ?? '';
  const service = serviceName === '' ? new Map<string, string>() : serviceParameters(serviceName, environment);
  refuseUnknown(service, `service ${serviceName}`);
  const found = Object.entries(PARAMETERS).map(([name, variable]) => [
    name,
    [named.get(name), service.get(name), variable === null ? undefined : environment[variable]].find(
      (text) => text !== undefined && text !== '',
    ),
  ]);
  return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as Parameters;
}

const ADDRESS_HINT =
  'begin with postgres://, without quotes and blanks, and name one server; write %40 for @, %3A for :, %2F for /, %3F for ? and %23 for # in names; keep the password in PGPASSWORD or ~/.pgpass instead';

function decoded(text: string): string {
  try {
    // An IPv6 address stands in brackets.
    return decodeURIComponent(text).replace(/^\[(.*)\]$/, '$1');
  } catch {
    return text;
  }
}

/**
 * A mistyped parameter would be ignored silently, and with it, say, the verification that sslmode
 * asks for.
 */
function refuseUnknown(parameters: ReadonlyMap<string, string>, where: string): void {
  const candidates = Object.keys(PARAMETERS).map((name) => ({ name, title: name }));
  for (const name of parameters.keys()) {
    if (isParameter(name)) continue;
    const near = nearNames(name, candidates).map((one) => one.name);
    // Behind an unescaped & the name may be the rest of a password.
    const message = `expected only parameters that Playbill knows in ${where}, found ${parameters.has('password') ? 'another' : JSON.stringify(name)}`;
    const hint =
      near.length > 0
        ? `did you mean ${near.join(', ')}?`
        : `leave it out; known are: ${Object.keys(PARAMETERS).join(', ')}`;
    throw new AppError('database-unreadable', message, hint);
  }
}

/**
 * What the parameters mean to the driver. Verification is spelled out: without that,
 * NODE_TLS_REJECT_UNAUTHORIZED=0 would switch it off.
 */
function driverSettings(parameters: Parameters): ClientConfig {
  try {
    const query = new URLSearchParams(parameters);
    const config = toClientConfig(parse(`postgres:///?${query.toString()}`, { useLibpqCompat: true }));
    return typeof config.ssl === 'object' ? { ...config, ssl: { rejectUnauthorized: true, ...config.ssl } } : config;
  } catch (error) {
    const message = `expected parameters that lead to a server, found: ${messageOf(error)}`;
    throw new AppError('database-unreadable', message, 'correct the parameter, or the file that it names', error);
  }
}

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const message = `expected connect_timeout to be a number of seconds, found ${JSON.stringify(text)}`;
  throw new AppError('database-unreadable', message, 'leave it out for ten seconds; 0 waits without limit');
}

/**
 * The password from ~/.pgpass or PGPASSFILE. The driver asks for it only when the server does.
 * @throws AppError database-unreadable
 */
async function filedPassword({ host, port, database, user }: ClientConfig, address: string): Promise<string> {
  // The file lists sockets under localhost.
  const at = { host: host?.startsWith('/') === true ? 'localhost' : host, port, database, user };
  const password = await new Promise<string | undefined>((resolve) => pgpass(at, resolve));
  if (password !== undefined) return password;
  const message = `expected a password for user ${user} at ${displayAddress(address)}, found none`;
  const line = [at.host, port, database, user].map((field) => String(field).replaceAll(/[:\\]/g, String.raw`\$&`));
  const hint = `set PGPASSWORD, or add a line to ~/.pgpass (chmod 600): ${line.join(':')}:PASSWORD`;
  throw new AppError('database-unreadable', message, hint);
}

function processUser(): string {
  try {
    return userInfo().username;
  } catch (error) {
    const message = 'expected a user, found none: this process runs as a number without a name';
    throw new AppError('database-unreadable', message, 'name one: postgres://USER@HOST/database, or PGUSER', error);
  }
}
