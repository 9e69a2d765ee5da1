// How an address and the environment become settings of the driver; and that no password is ever
// shown.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Client, type ClientConfig } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { displayAddress } from '../../src/database/postgres/address.ts';
import { connectionSettings } from '../../src/database/postgres/connection-settings.ts';
import { mayBeOpened } from '../../src/database/open.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

afterEach(() => vi.unstubAllEnvs());

/** Ignores the sockets of servers that this machine may have. */
function settingsOf(address: string, environment: NodeJS.ProcessEnv = {}) {
  return connectionSettings(address, { HOME: '/nowhere', ...environment }, '/nowhere');
}

function errorOf(address: string, environment: NodeJS.ProcessEnv = {}): AppError {
  try {
    settingsOf(address, environment);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`expected an error, found none: ${address}`);
}

async function passwordOf({ password }: ClientConfig): Promise<string> {
  return typeof password === 'function' ? password() : (password ?? '');
}

describe('the first place that names a parameter decides', () => {
  test.each<[string, string, NodeJS.ProcessEnv, ClientConfig]>([
    ['everything in the address', 'postgres://u:p@h:1/d', {}, { user: 'u', host: 'h', port: 1, database: 'd' }],
    ['the other scheme, in any case', 'PostgreSQL://u@h/d', {}, { user: 'u', host: 'h', port: 5432, database: 'd' }],
    ['escapes', 'postgres://u%40x:p@h/d%2Fe', {}, { user: 'u@x', database: 'd/e' }],
    ['an IPv6 address', 'postgres://u@[::1]:5433/d', {}, { host: '::1', port: 5433 }],
    ['a socket as the host', 'postgres://u@%2Frun%2Fpg/d', {}, { host: '/run/pg', ssl: false }],
    ['a user and no host', 'postgres://u:p@/d', {}, { host: 'localhost', user: 'u', database: 'd' }],
    ['a user and a socket', 'postgres://u@/d?host=/run/pg', {}, { host: '/run/pg', user: 'u', ssl: false }],
    ['a socket as a parameter', 'postgres:///d?host=/run/pg&user=u', {}, { host: '/run/pg', user: 'u', ssl: false }],
    [
      'parameters before the rest',
      'postgres://u@h:1/d?host=i&port=2&dbname=e&user=v',
      {},
      { host: 'i', port: 2, database: 'e', user: 'v' },
    ],
    ['the user as the default database', 'postgres://u@h', {}, { database: 'u' }],
    ['localhost as the default host', 'postgres:///d?user=u', {}, { host: 'localhost', port: 5432 }],
    [
      'options',
      'postgres://u@h/d?options=-csearch_path%3Dshop%20-c%20x%3Dy',
      {},
      { options: '-csearch_path=shop -c x=y' },
    ],
    ['defaults', 'postgres://u@h/d', {}, { application_name: 'playbill', connectionTimeoutMillis: 10_000 }],
    [
      'a name and a time limit',
      'postgres://u@h/d?application_name=x&connect_timeout=3',
      {},
      { application_name: 'x', connectionTimeoutMillis: 3000 },
    ],
    ['no time limit', 'postgres://u@h/d?connect_timeout=0', {}, { connectionTimeoutMillis: 0 }],
    [
      'the environment where the address is silent',
      'postgres://',
      {
        PGHOST: 'h',
        PGPORT: '6',
        PGUSER: 'u',
        PGDATABASE: 'd',
        PGOPTIONS: '-cx=y',
        PGAPPNAME: 'n',
        PGCONNECT_TIMEOUT: '7',
      },
      {
        host: 'h',
        port: 6,
        user: 'u',
        database: 'd',
        options: '-cx=y',
        application_name: 'n',
        connectionTimeoutMillis: 7000,
      },
    ],
    [
      'the address before the environment',
      'postgres://u@h:1/d',
      { PGHOST: 'i', PGPORT: '2', PGUSER: 'v', PGDATABASE: 'e' },
      { host: 'h', port: 1, user: 'u', database: 'd' },
    ],
  ])('%s', (_, address, environment, expected) => {
    expect(settingsOf(address, environment).config).toMatchObject(expected);
  });

  test('the local socket before localhost, unless a mode of TLS is named, which a socket cannot have', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.s.PGSQL.5433'), '');
    const hostAt = (address: string) => connectionSettings(address, {}, folder).config.host;
    expect(hostAt('postgres:///d?port=5433')).toBe(folder);
    expect(hostAt('postgres:///d')).toBe('localhost');
    expect(hostAt('postgres://u@h:5433/d')).toBe('h');
    expect(hostAt('postgres:///d?port=5433&sslmode=verify-full')).toBe('localhost');
  });

  test('the driver does not fall back to the environment of this process', () => {
    for (const name of ['HOST', 'PORT', 'USER', 'DATABASE', 'PASSWORD', 'SSLMODE', 'APPNAME', 'SSLNEGOTIATION'])
      vi.stubEnv(`PG${name}`, 'other');
    const client = new Client(settingsOf('postgres://u@h/d?sslmode=disable').config);
    expect(client).toMatchObject({ host: 'h', port: 5432, user: 'u', database: 'd', ssl: false });
    expect(client.connection).toMatchObject({ sslNegotiation: 'postgres' });
    expect(client).toMatchObject({ password: expect.any(Function) as unknown });
  });
});

describe('what cannot be an address is an error that says what to write', () => {
  test.each<[string, string, NodeJS.ProcessEnv, RegExp]>([
    [
      'no slashes',
      'postgres:db',
      {},
      /expected postgres:\/\/user@host:port\/database\?parameters, or a path, found something else: postgres:…$/,
    ],
    ['of another tool', 'postgresql+psycopg2://u:p@h/d', {}, /found something else: postgresql\+psycopg2:\/\/…$/],
    ['a port that is a word', 'postgres://u@h:secret/d', {}, /found something else: postgres:\/\/…$/],
    ['a port that is too large', 'postgres://u@h:99999/d', {}, /found something else/],
    ['several servers', 'postgres://u:p@a:1,b:2/d', {}, /found something else/],
    ['a bare @', 'postgres://h/d?user=me@server', {}, /found something else: postgres:\/\/…$/],
    ['several servers without ports', 'postgres://a,b/d', {}, /found something else/],
    [
      'an unknown mode',
      'postgres://u@h/d?sslmode=no-verify',
      {},
      /expected sslmode to be one of disable, .*, found "no-verify"/,
    ],
    ['an unknown mode in the environment', 'postgres://u@h/d', { PGSSLMODE: 'on' }, /expected sslmode to be one of/],
    [
      'an unknown parameter',
      'postgres://u@h/d?sslmod=require',
      {},
      /expected only parameters that Playbill knows in the address, found "sslmod"/,
    ],
    ['a parameter of psql alone', 'postgres://u@h/d?channel_binding=require', {}, /found "channel_binding"/],
    [
      'a time limit in words',
      'postgres://u@h/d?connect_timeout=soon',
      {},
      /expected connect_timeout to be a number of seconds/,
    ],
    [
      'an authority that does not exist',
      'postgres://u@h/d?sslmode=verify-full&sslrootcert=/no',
      {},
      /found: no such file or directory '\/no'/,
    ],
    [
      'verify-ca without an authority',
      'postgres://u@h/d?sslmode=verify-ca',
      {},
      /expected sslrootcert with sslmode=verify-ca, found none/,
    ],
  ])('%s', (_, address, environment, message) => {
    const error = errorOf(address, environment);
    expect(error.code).toBe('database-unreadable');
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe('');
  });

  test('the hint names the parameter that is probably meant', () => {
    expect(errorOf('postgres://u@h/d?sslmod=require').hint).toBe('did you mean sslmode?');
  });

  test('behind a password, an unknown parameter is not repeated: it may be the rest of the password', () => {
    expect(errorOf('postgres://h/d?user=u&password=a&b').message).toMatch(/found another$/);
  });
});

describe('a service', () => {
  const TEXT = `# for all
[other]
host=wrong

  [shop]
host=of-service
port = 7
password=of the #service
# sslmode=disable
dbname=shop
options=-c search_path=a=b
[next]
user=wrong
`;

  function withService(text: string): NodeJS.ProcessEnv {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.pg_service.conf'), text);
    return { HOME: folder, PGSYSCONFDIR: '/nowhere' };
  }

  test('comes after the address and before the environment', async () => {
    const environment = { ...withService(TEXT), PGHOST: 'other', PGUSER: 'of-environment', PGPASSWORD: 'other' };
    const { config } = settingsOf('postgres:///?service=shop&port=8', environment);
    expect(config).toMatchObject({
      host: 'of-service',
      port: 8,
      user: 'of-environment',
      database: 'shop',
      options: '-c search_path=a=b',
    });
    expect(await passwordOf(config)).toBe('of the #service');
  });

  test('may be named by the environment, like its file; a section that the user’s file lacks may be in the system’s', () => {
    const { HOME = '' } = withService(TEXT);
    const environment = { PGSERVICE: 'shop', PGSERVICEFILE: join(HOME, '.pg_service.conf') };
    expect(settingsOf('postgres://', environment).config).toMatchObject({ host: 'of-service', port: 7 });
    writeFileSync(join(HOME, 'pg_service.conf'), '[shop]\nhost=of-system\n');
    writeFileSync(join(HOME, '.pg_service.conf'), '[others]\n');
    expect(settingsOf('postgres://', { PGSERVICE: 'shop', PGSYSCONFDIR: HOME, HOME }).config.host).toBe('of-system');
  });

  test.each<[string, NodeJS.ProcessEnv | string, RegExp]>([
    ['that no file has', '[other]\n', /expected a service "shop", found no such section in .*\.pg_service\.conf/],
    ['with an unknown parameter', '[shop]\nhots=x\n', /in service shop, found "hots"/],
    ['with a line that may be a password', '[shop]\npassword secret\n', /in service shop, found "a line without ="$/],
    ['without any file', { PGSYSCONFDIR: '/nowhere' }, /expected a service "shop", found no service file/],
    ['in a file that does not exist', { PGSERVICEFILE: '/nowhere/conf' }, /expected a service file at \/nowhere\/conf/],
  ])('%s is an error', (_, given, message) => {
    const environment = typeof given === 'string' ? withService(given) : given;
    expect(errorOf('postgres:///?service=shop', environment).message).toMatch(message);
  });
});

describe('the password', () => {
  test.each<[string, string, NodeJS.ProcessEnv, string]>([
    ['in the address', 'postgres://u:p%40w@h/d', { PGPASSWORD: 'other' }, 'p@w'],
    ['in the address, with a colon', 'postgres://u:p:w@h/d', {}, 'p:w'],
    ['in the address, with what looks like an escape', 'postgres://u:100%@h/d', {}, '100%'],
    ['as a parameter', 'postgres://u@h/d?password=p', {}, 'p'],
    ['in the environment', 'postgres://u@h/d', { PGPASSWORD: 'p w%20+' }, 'p w%20+'],
  ])('%s', async (_, address, environment, expected) => {
    expect(await passwordOf(settingsOf(address, environment).config)).toBe(expected);
  });

  function stubPasswordFile(mode: number): void {
    const path = join(temporaryFolder(), 'pgpass');
    writeFileSync(
      path,
      String.raw`h:5433:*:u:by port
localhost:*:*:u:of the socket
*:*:d:u:any host
`,
    );
    chmodSync(path, mode);
    vi.stubEnv('PGPASSFILE', path);
    vi.stubEnv('PGPASSWORD', undefined);
  }

  test.each([
    ['of the first line that fits', 'postgres://u@h/d', 'any host'],
    ['by its port', 'postgres://u@h:5433/e', 'by port'],
    ['of a socket, under localhost', 'postgres:///x?host=/run&user=u', 'of the socket'],
  ])('in the file, %s', async (_, address, expected) => {
    stubPasswordFile(0o600);
    expect(await passwordOf(settingsOf(address).config)).toBe(expected);
  });

  test('nowhere: the error says which line to add', async () => {
    stubPasswordFile(0o600);
    await expect(passwordOf(settingsOf('postgres://u@h:1/x').config)).rejects.toMatchObject({
      code: 'database-unreadable',
      message: 'expected a password for user u at postgres://u@h:1/x, found none',
      hint: 'set PGPASSWORD, or add a line to ~/.pgpass (chmod 600): h:1:x:u:PASSWORD',
    });
  });

  test('in a file that others may read: the file is not read', async () => {
    stubPasswordFile(0o640);
    await expect(passwordOf(settingsOf('postgres://u@h/d').config)).rejects.toThrow('found none');
  });
});

describe('TLS', () => {
  const authority = join(temporaryFolderOfFile(), 'root.crt');
  writeFileSync(authority, 'an authority');
  const anyone = { rejectUnauthorized: false };
  const byAuthority = {
    rejectUnauthorized: true,
    ca: 'an authority',
    checkServerIdentity: expect.any(Function) as unknown,
  };

  test.each<[string, unknown, unknown]>([
    ['disable', false, false],
    ['require', anyone, byAuthority],
    ['verify-ca', null, byAuthority],
    ['verify-full', { rejectUnauthorized: true }, { rejectUnauthorized: true, ca: 'an authority' }],
  ])('sslmode=%s, without an authority and with one', (mode, without, withAuthority) => {
    const address = `postgres://u@h/d?sslmode=${mode}`;
    if (without !== null) expect(settingsOf(address)).toMatchObject({ config: { ssl: without }, withoutTls: null });
    expect(settingsOf(address, { PGSSLROOTCERT: authority }).config.ssl).toEqual(withAuthority);
    expect(settingsOf(`postgres://u@h/d?sslrootcert=${authority}`, { PGSSLMODE: mode }).config.ssl).toEqual(
      withAuthority,
    );
  });

  test.each(['', 'sslmode=allow', 'sslmode=prefer'])('%s: TLS if the server has it, trusting anyone', (parameters) => {
    const { config, withoutTls } = settingsOf(`postgres://u@h/d?${parameters}`);
    expect(config.ssl).toEqual(anyone);
    expect(withoutTls).toEqual({ ...config, ssl: false });
  });

  test('a client certificate', () => {
    const address = `postgres://u@h/d?sslmode=verify-full&sslcert=${authority}&sslkey=${authority}`;
    expect(settingsOf(address).config.ssl).toMatchObject({ cert: 'an authority', key: 'an authority' });
  });
});

describe('an address is shown without its secrets', () => {
  test.each([
    ['postgres://u:secret@h:1/d', 'postgres://u@h:1/d'],
    ['postgres://u:secret:secret@h/d', 'postgres://u@h/d'],
    ['postgres://u:secret@secret@h/d', 'postgres://u@h/d'],
    [
      'postgres://u@h/d?options=-csearch_path%3Dshop&password=secret&sslmode=require',
      'postgres://u@h/d?options=-csearch_path%3Dshop&sslmode=require',
    ],
    ['postgres://u@h/d?password=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?%70assword=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?pasword=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?options=-cmy.token%3Dsecret', 'postgres://u@h/d'],
    ['postgres://u@h/d?options=-capp%2Etoken%3Dsecret', 'postgres://u@h/d'],
    ['postgres://u@secret@h/d', 'postgres://…'],
    ['postgres://u@secret:5432@h/d', 'postgres://…'],
    ['postgres://u:sec/ret@h/d', 'postgres://…'],
    ['postgres://u:sec?ret@h/d', 'postgres://…'],
    ['postgres://u:5?ret=5@h/d', 'postgres://…'],
    ['postgres://u:5#ret@h/d', 'postgres://…'],
    ['postgres://u:secret', 'postgres://…'],
    ['postgres://h/d?password=sec@ret', 'postgres://…'],
    ['postgres:u:secret@h/d', 'postgres:…'],
    ['postgres://u:secret,h2/d', 'postgres://…'],
    ['postgres://u@h:secret/d', 'postgres://…'],
    ['postgresql+psycopg2://u:secret@h/d', 'postgresql+psycopg2://…'],
    ['jdbc:postgresql://h/d?user=u&password=secret', 'jdbc:…'],
    ['"postgres://u:secret@h/d"', '"postgres://…'],
    ['host=h password=secret', '…'],
    ['host=h password = secret', '…'],
    ['data/catalogue@home:1.sqlite', 'data/catalogue@home:1.sqlite'],
    ['postgresql:///?service=shop', 'postgresql:///?service=shop'],
  ])('%s', (address, shown) => {
    expect(displayAddress(address)).toBe(shown);
  });

  test('text that resembles an address is never reported as a missing file', () => {
    for (const text of ['postgres://h/d', ' postgres://u:p@h/d', 'postgresql+psycopg2://u:p@h/d', 'host=h password=p'])
      expect(mayBeOpened(text), text).toBe(true);
    expect(mayBeOpened('data/no-such@home.sqlite')).toBe(false);
  });

  const SECRET = 'sEcReT';
  const piece = fc.oneof(
    fc.constantFrom('@', ':', '/', '?', '&', '=', '%', '%40', '%2', '[', ']', ',', '#', ' ', '\n', 'h', '1', 'é'),
    fc.string({ maxLength: 3 }),
  );
  const noise = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  /** A password with anything in it, in each of the places where somebody may put one. */
  const address = fc
    .tuple(
      fc.constantFrom(
        'postgres://',
        'postgresql://',
        'postgres:',
        'postgres:/',
        ' postgres://',
        'postgis://',
        'jdbc:p://',
      ),
      noise,
      noise,
      noise,
      fc.nat(7),
    )
    .map(([scheme, before, after, rest, place]) => {
      const password = before + SECRET + after;
      const placed = [
        `u:${password}@h/d${rest}`,
        `:${password}@h:5432/d${rest}`,
        `u@h/d?password=${password}${rest}`,
        `u:x${password.replaceAll('@', '')},h/d${rest}`,
        `h:x${password.replaceAll('@', '')}/d${rest}`,
        `u@h/d?sslmode=disable&password=${encodeURIComponent(password)}&${rest}`,
        `u:${encodeURIComponent(password)}@h/${rest}`,
        `u@${password}@h/d${rest}`,
      ];
      return scheme + placed[place];
    });

  test('no output repeats a password, whatever it is and whatever is wrong with the address', async () => {
    await fc.assert(
      fc.asyncProperty(address, async (text) => {
        const said = [displayAddress(text)];
        try {
          const { config } = settingsOf(text);
          said.push(JSON.stringify(config));
          await passwordOf({ ...config, password: settingsOf(text.replaceAll(SECRET, '')).config.password });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          said.push(error.message, error.hint, ...error.details);
        }
        expect(said.filter((one) => one.includes(SECRET))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });
});
