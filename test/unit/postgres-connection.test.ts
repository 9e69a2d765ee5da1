// How an address and the environment become settings of the driver, as in PostgreSQL's own tools; and that no password is ever shown.

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { Client, type ClientConfig } from 'pg';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { displayAddress } from '../../src/database/postgres/address-parts.ts';
import { connectionSettings } from '../../src/database/postgres/connection-settings.ts';
import { mayBeOpened } from '../../src/operations/database-text.ts';
import { temporaryFolder } from '../support/trees.ts';

/** Without sockets of servers that this machine may have. */
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
  return typeof password === 'function' ? password() : 'not a function';
}

describe('what is found first counts', () => {
  test.each<[string, string, NodeJS.ProcessEnv, ClientConfig]>([
    ['all in the address', 'postgres://u:p@h:1/d', {}, { user: 'u', host: 'h', port: 1, database: 'd' }],
    ['the other scheme, in any case', 'PostgreSQL://u@h/d', {}, { user: 'u', host: 'h', port: 5432, database: 'd' }],
    ['escapes', 'postgres://u%40x:p@h/d%2Fe', {}, { user: 'u@x', database: 'd/e' }],
    ['an address of IPv6', 'postgres://u@[::1]:5433/d', {}, { host: '::1', port: 5433 }],
    ['a socket in the place of the host', 'postgres://u@%2Frun%2Fpg/d', {}, { host: '/run/pg', ssl: false }],
    ['a socket as a parameter', 'postgres:///d?host=/run/pg&user=u', {}, { host: '/run/pg', user: 'u' }],
    [
      'parameters over the rest',
      'postgres://u@h:1/d?host=i&port=2&dbname=e&user=v',
      {},
      { host: 'i', port: 2, database: 'e', user: 'v' },
    ],
    ['the user’s name for the database', 'postgres://u@h', {}, { database: 'u' }],
    ['localhost where nothing is said', 'postgres://u@', {}, { host: 'localhost', port: 5432 }],
    [
      'options as they are',
      'postgres://u@h/d?options=-csearch_path%3Dshop%20-c%20x%3Dy',
      {},
      { options: '-csearch_path=shop -c x=y' },
    ],
    ['playbill for a name', 'postgres://u@h/d', {}, { application_name: 'playbill', connectionTimeoutMillis: 10_000 }],
    [
      'or another',
      'postgres://u@h/d?application_name=x&connect_timeout=3',
      {},
      { application_name: 'x', connectionTimeoutMillis: 3000 },
    ],
    ['no end of waiting', 'postgres://u@h/d?connect_timeout=0', {}, { connectionTimeoutMillis: 0 }],
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
    [
      'parameters that change nothing',
      'postgres://u@h/d?target_session_attrs=any&keepalives=1&gssencmode=disable',
      {},
      { host: 'h' },
    ],
    ['channel binding', 'postgres://u@h/d?channel_binding=require', {}, { enableChannelBinding: true }],
    ['none', 'postgres://u@h/d', { PGCHANNELBINDING: 'disable' }, { enableChannelBinding: false }],
    [
      'signs of life',
      'postgres://u@h/d?keepalives_idle=30',
      {},
      { keepAlive: true, keepAliveInitialDelayMillis: 30_000 },
    ],
    ['no signs of life', 'postgres://u@h/d?keepalives=0', {}, { keepAlive: false }],
    [
      'what the driver does anyway',
      'postgres://u@h/d?sslnegotiation=postgres&ssl_min_protocol_version=TLSv1.2',
      { PGSSLMAXPROTOCOLVERSION: 'TLSv1.3' },
      { host: 'h', sslnegotiation: 'postgres' },
    ],
  ])('%s', (_, address, environment, expected) => {
    expect(settingsOf(address, environment).config).toMatchObject(expected);
  });

  test('a socket in its usual place before localhost', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.s.PGSQL.5433'), '');
    const hostAt = (address: string) => connectionSettings(address, {}, folder).config.host;
    expect(hostAt('postgres://u@:5433/d')).toBe(folder);
    expect(hostAt('postgres://u@/d')).toBe('localhost');
    expect(hostAt('postgres://u@h:5433/d')).toBe('h');
  });

  test('a socket that nobody named is not taken where the server has to show a certificate, which it cannot', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.s.PGSQL.5432'), '');
    const at = (address: string, environment = {}) => connectionSettings(address, environment, folder);
    const refusal = (address: string, environment = {}) =>
      expect(() => at(address, environment), address).toThrow(
        expect.objectContaining({
          code: 'database-unreadable',
          message: `expected a host whose certificate can be verified, found none, and a socket in ${folder}: ${address}`,
          hint: `name the server: postgres://USER@HOST/…; for the socket, which has no TLS: host=${folder}`,
        }),
      );
    refusal('postgres://u@/d?sslmode=verify-full');
    refusal('postgres:///d', { PGSSLMODE: 'verify-ca' });
    refusal('postgres:///d?sslrootcert=system');
    const named = `postgres://u@/d?host=${folder}&sslmode=verify-full`;
    expect(at(named).config).toMatchObject({ host: folder, ssl: false });
    expect(at('postgres://u@/d?sslmode=require').config.host).toBe(folder);
    expect(at('postgres://u@:5433/d?sslmode=verify-full').config.host).toBe('localhost');
  });

  test('nothing is left to the driver, which would ask the environment of the process', () => {
    const variables = [
      'PGHOST',
      'PGPORT',
      'PGUSER',
      'PGDATABASE',
      'PGPASSWORD',
      'PGSSLMODE',
      'PGAPPNAME',
      'PGSSLNEGOTIATION',
    ];
    const before = variables.map((name) => process.env[name]);
    for (const name of variables) process.env[name] = 'other';
    try {
      const client = new Client(settingsOf('postgres://u@h/d?sslmode=disable').config);
      expect(client).toMatchObject({ host: 'h', port: 5432, user: 'u', database: 'd', ssl: false });
      expect(client.connection).toMatchObject({ sslNegotiation: 'postgres' });
      expect(client).toMatchObject({ password: expect.any(Function) as unknown });
    } finally {
      for (const [i, name] of variables.entries()) {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      }
    }
  });
});

describe('what cannot be an address is an error that says what to write', () => {
  test.each<[string, string, NodeJS.ProcessEnv, RegExp]>([
    [
      'no slashes',
      'postgres:db',
      {},
      /expected postgres:\/\/user@host:port\/database\?parameters, or a path, found other text: postgres:…$/,
    ],
    ['of another tool', 'postgresql+psycopg2://u:p@h/d', {}, /found other text: postgresql\+psycopg2:\/\/…$/],
    ['a port that is a word', 'postgres://u@h:secret/d', {}, /found other text: postgres:\/\/…$/],
    ['a mode that is empty', 'postgres://u@h/d?sslmode=', { PGSSLMODE: 'verify-full' }, /to be one of .*, found ""/],
    [
      'the same in the environment',
      'postgres://u@h/d',
      { PGSSLMODE: '' },
      /expected sslmode to be one of .*, found ""/,
    ],
    [
      'no mode of PostgreSQL',
      'postgres://u@h/d?sslmode=no-verify',
      {},
      /expected sslmode to be one of .*verify-full, found/,
    ],
    [
      'a binding that there is not',
      'postgres://u@h/d?channel_binding=yes',
      {},
      /expected channel_binding to be disable, prefer or require, found "yes"/,
    ],
    ['one that is empty', 'postgres://u@h/d?channel_binding=', {}, /expected channel_binding to be .*, found ""/],
    ['several servers', 'postgres://a,b/d', {}, /expected one server, found several/],
    ['several with ports', 'postgres://u:p@a:1,b:2/d', {}, /expected one server, found several/],
    ['several servers in the environment', 'postgres:///d', { PGHOST: 'a,b' }, /expected one server, found several/],
    ['a name with a bare @', 'postgres://h/d?user=me@server', {}, /found other text: postgres:\/\/…$/],
    ['half an escape', 'postgres://u@h/d%2', {}, /found other text/],
    ['a parameter without a value', 'postgres://u@h/d?sslmode', {}, /found other text/],
    ['a port that is none', 'postgres://u@h:99999/d', {}, /expected port to be 1 to 65535/],
    [
      'a parameter that there is not',
      'postgres://u@h/d?sslmod=require',
      {},
      /expected parameters of PostgreSQL in the address, found "sslmod"/,
    ],
    [
      'a mode that there is not',
      'postgres://u@h/d?sslmode=on',
      {},
      /expected sslmode to be one of disable, .*, found "on"/,
    ],
    ['the same in the environment', 'postgres://u@h/d', { PGSSLMODE: 'on' }, /expected sslmode to be one of/],
    [
      'a time that is none',
      'postgres://u@h/d?connect_timeout=soon',
      {},
      /expected connect_timeout to be a number of seconds/,
    ],
    [
      'a time of silence that is none',
      'postgres://u@h/d?keepalives_idle=soon',
      {},
      /expected keepalives_idle to be a number of seconds/,
    ],
    [
      'what the driver cannot do',
      'postgres://u@h/d?sslcrldir=x',
      {},
      /expected no sslcrldir \(PGSSLCRLDIR\), found another/,
    ],
    ['the same in the environment', 'postgres://u@h/d', { PGREQUIREAUTH: 'scram-sha-256' }, /expected no require_auth/],
    ['direct TLS', 'postgres://u@h/d?sslnegotiation=direct', {}, /expected no sslnegotiation but postgres \(PGSSLNEG/],
    [
      'a list that is not there',
      'postgres://u@h/d?sslmode=verify-full',
      { PGSSLCRL: '/no' },
      /expected sslcrl to be a file in PEM, found: \/no/,
    ],
    [
      'an authority that is not there',
      'postgres://u@h/d?sslmode=verify-full&sslrootcert=/no',
      {},
      /expected sslrootcert to be a file in PEM, found: \/no/,
    ],
    [
      'no authority to ask',
      'postgres://u@h/d?sslmode=verify-ca',
      {},
      /expected a file of authorities for sslmode=verify-ca, found none/,
    ],
    [
      'everybody’s authorities and less than all of TLS',
      'postgres://u@h/d?sslmode=require&sslrootcert=system',
      {},
      /expected sslmode=verify-full with sslrootcert=system/,
    ],
    [
      'a version of TLS',
      'postgres://u@h/d?ssl_min_protocol_version=TLSv1.3',
      {},
      /expected no ssl_min_protocol_version but TLSv1, TLSv1.1, TLSv1.2 \(PGSSLMIN/,
    ],
  ])('%s', (_, address, environment, message) => {
    const error = errorOf(address, environment);
    expect(error.code).toBe('database-unreadable');
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe('');
  });

  test('a mistyped parameter is told the one that is meant', () => {
    expect(errorOf('postgres://u@h/d?sslmod=require').hint).toBe('did you mean sslmode?');
  });
});

describe('a service', () => {
  const TEXT = `# for all
[other]
host=wrong

  [shop]
host=of-service
port=7
password=of the service
# sslmode=disable
dbname=shop
host=second
options=-c search_path=a=b
[next]
user=wrong
`;

  function withService(text: string): NodeJS.ProcessEnv {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.pg_service.conf'), text);
    return { HOME: folder };
  }

  test('stands below the address and above the environment', async () => {
    const environment = {
      ...withService(TEXT),
      PGHOST: 'of-environment',
      PGUSER: 'of-environment',
      PGPASSWORD: 'other',
    };
    const { config } = settingsOf('postgres://:8?service=shop', environment);
    expect(config).toMatchObject({
      host: 'of-service',
      port: 8,
      user: 'of-environment',
      database: 'shop',
      options: '-c search_path=a=b',
    });
    expect(await passwordOf(config)).toBe('of the service');
  });

  test('is named by the environment too, and its file', () => {
    const { HOME = '' } = withService(TEXT);
    const environment = { PGSERVICE: 'shop', PGSERVICEFILE: join(HOME, '.pg_service.conf') };
    expect(settingsOf('postgres://u@', environment).config).toMatchObject({ host: 'of-service', port: 7 });
    writeFileSync(join(HOME, 'pg_service.conf'), '[shop]\nhost=of-system\n');
    const system = { PGSERVICE: 'shop', PGSYSCONFDIR: HOME };
    expect(settingsOf('postgres://u@', system).config).toMatchObject({ host: 'of-system' });
    // The user's file first, the system's where it has no such section.
    expect(settingsOf('postgres://u@', { ...system, HOME }).config).toMatchObject({ host: 'of-service' });
    writeFileSync(join(HOME, '.pg_service.conf'), '[others]\n');
    expect(settingsOf('postgres://u@', { ...system, HOME }).config).toMatchObject({ host: 'of-system' });
  });

  test.each<[string, string, RegExp]>([
    ['that there is not', '[other]\n', /expected a service "shop", found no such section in .*\.pg_service\.conf/],
    ['with a line that says nothing', '[shop]\nhost\n', /expected name=value in .*, found another text in line 2/],
    ['with a blank before the equals sign', '[shop]\nhost = x\n', /found another text in line 2/],
    ['within a service', '[shop]\nservice=other\n', /found another text in line 2/],
    [
      'with a parameter that there is not',
      '[shop]\nhots=x\n',
      /expected parameters of PostgreSQL in service shop, found "hots"/,
    ],
  ])('%s is an error', (_, text, message) => {
    expect(errorOf('postgres://u@?service=shop', { PGSYSCONFDIR: '/nowhere', ...withService(text) }).message).toMatch(
      message,
    );
  });

  test('without any file, and in one that is not there', () => {
    const nowhere = { PGSYSCONFDIR: '/nowhere' };
    expect(errorOf('postgres://?service=shop', nowhere).message).toBe(
      'expected a service "shop", found no service file',
    );
    const named = { ...nowhere, PGSERVICEFILE: '/nowhere/conf' };
    expect(errorOf('postgres://?service=shop', named).message).toContain('expected a service file at /nowhere/conf');
  });
});

describe('the password', () => {
  test.each<[string, string, NodeJS.ProcessEnv, string]>([
    ['in the address', 'postgres://u:p%40w@h/d', { PGPASSWORD: 'other' }, 'p@w'],
    ['in the address, with a colon', 'postgres://u:p:w@h/d', {}, 'p:w'],
    ['as a parameter', 'postgres://u@h/d?password=p', {}, 'p'],
    ['in the environment', 'postgres://u@h/d', { PGPASSWORD: 'p' }, 'p'],
  ])('%s', async (_, address, environment, expected) => {
    expect(await passwordOf(settingsOf(address, environment).config)).toBe(expected);
  });

  const FILE = String.raw`# h:5432:d:u:commented
h:5432:d:other:no
h:5433:*:u:by port
h\:x:*:*:u\\v:esc\:aped\\ col\\on\:colon: a note
localhost:*:*:u:of the socket
*:*:d:u:any host

nonsense
`;

  function withFile(mode: number): NodeJS.ProcessEnv {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.pgpass'), FILE);
    chmodSync(join(folder, '.pgpass'), mode);
    return { HOME: folder };
  }

  test.each<[string, string, string]>([
    ['of the first line that fits', 'postgres://u@h/d', 'any host'],
    ['by its port', 'postgres://u@h:5433/e', 'by port'],
    ['with escapes', String.raw`postgres://u\v@/d?host=h%3Ax`, String.raw`esc:aped\ col\on:colon`],
    ['of localhost', 'postgres://u@localhost/x', 'of the socket'],
  ])('in the file, %s', async (_, address, expected) => {
    expect(await passwordOf(settingsOf(address, withFile(0o600)).config)).toBe(expected);
  });

  test('in the file, under localhost for a socket in its usual place', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.s.PGSQL.5432'), '');
    const { config } = connectionSettings('postgres://u@/x', withFile(0o600), folder);
    expect(config.host).toBe(folder);
    expect(await passwordOf(config)).toBe('of the socket');
  });

  test('in the file that is named', async () => {
    const { HOME = '' } = withFile(0o600);
    const path = join(HOME, '.pgpass');
    expect(await passwordOf(settingsOf('postgres://u@h/d', { PGPASSFILE: path }).config)).toBe('any host');
    expect(await passwordOf(settingsOf(`postgres://u@h/d?passfile=${path}`).config)).toBe('any host');
  });

  test('in no place: the error says which line would do', async () => {
    const missing = passwordOf(settingsOf('postgres://u@h:1/x?host=h:y', withFile(0o600)).config);
    await expect(missing).rejects.toMatchObject({
      code: 'database-unreadable',
      message: expect.stringMatching(
        /^expected a password for user u at postgres:\/\/u@h:1\/x\?host=h:y, found none, and no line of .* that fits$/,
      ) as string,
      hint: String.raw`set PGPASSWORD, or add a line to ~/.pgpass: h\:y:1:x:u:PASSWORD`,
    });
    await expect(passwordOf(settingsOf('postgres://u@h/d').config)).rejects.toMatchObject({
      message: 'expected a password for user u at postgres://u@h/d, found none',
    });
  });

  test('in a file that others may read: it is not read, and the error says so', async () => {
    await expect(passwordOf(settingsOf('postgres://u@h/d', withFile(0o640)).config)).rejects.toMatchObject({
      message: expect.stringContaining('is not read, because others may read it (chmod 600)') as string,
    });
  });

  test('in what is not a file', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.pgpass'));
    await expect(passwordOf(settingsOf('postgres://u@h/d', { HOME: folder }).config)).rejects.toMatchObject({
      message: expect.stringContaining('is not a file') as string,
    });
  });
});

describe('TLS', () => {
  const PEM = '-----BEGIN CERTIFICATE-----';
  const CA = `${PEM} of an authority`;

  function withAuthority(): { readonly HOME: string; readonly path: string } {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.postgresql'));
    const path = join(folder, '.postgresql/root.crt');
    writeFileSync(path, CA);
    return { HOME: folder, path };
  }

  const anybody = { rejectUnauthorized: false };
  const byAuthority = { rejectUnauthorized: true, ca: CA, checkServerIdentity: expect.any(Function) as unknown };

  test.each<[string, unknown, unknown, boolean]>([
    ['allow', anybody, anybody, true],
    ['prefer', anybody, anybody, true],
    ['disable', false, false, false],
    ['require', anybody, byAuthority, false],
    ['verify-ca', null, byAuthority, false],
    ['verify-full', { rejectUnauthorized: true }, { rejectUnauthorized: true, ca: CA }, false],
  ])('sslmode=%s, without a file of authorities and with one', (mode, without, withFile, isOptional) => {
    const address = `postgres://u@h/d?sslmode=${mode}`;
    const { HOME, path } = withAuthority();
    if (without !== null) expect(settingsOf(address).config.ssl).toEqual(without);
    const found = settingsOf(address, { HOME });
    expect(found.config.ssl).toEqual(withFile);
    expect(settingsOf(`postgres://u@h/d?sslrootcert=${path}`, { PGSSLMODE: mode }).config.ssl).toEqual(withFile);
    expect(found.withoutTls).toEqual(isOptional ? { ...found.config, ssl: false } : null);
  });

  test('the authorities of Node.js for all that is public, with the name', () => {
    const { HOME } = withAuthority();
    expect(settingsOf('postgres://u@h/d?sslrootcert=system', { HOME }).config.ssl).toEqual({
      rejectUnauthorized: true,
    });
  });

  test('what other drivers write for require', () => {
    const required = { config: { ssl: anybody }, withoutTls: null };
    expect(settingsOf('postgres://u@h/d?ssl=true')).toMatchObject(required);
    expect(settingsOf('postgres://u@h/d', { PGREQUIRESSL: '1' })).toMatchObject(required);
    expect(settingsOf('postgres://u@h/d', { PGREQUIRESSL: '0' })).toMatchObject({ withoutTls: { ssl: false } });
    expect(settingsOf('postgres://u@h/d', { PGREQUIRESSL: '1', PGSSLMODE: 'disable' }).config.ssl).toBe(false);
  });

  test('of what is said twice the last counts', () => {
    expect(settingsOf('postgres://u@h/d?sslmode=disable&ssl=true').config.ssl).toEqual(anybody);
    expect(settingsOf('postgres://u@h/d?ssl=true&sslmode=disable').config.ssl).toBe(false);
    expect(settingsOf('postgres://u@h/d?sslmode=disable&sslmode=require').config.ssl).toEqual(anybody);
  });

  test('none is asked for where nothing is said, and taken where there is one', () => {
    const { config, withoutTls } = settingsOf('postgres://u@h/d');
    expect(config.ssl).toEqual(anybody);
    expect(withoutTls).toEqual({ ...config, ssl: false });
  });

  test('a certificate of one’s own, with its key, and certificates that are revoked', () => {
    const { HOME } = withAuthority();
    for (const name of ['postgresql.crt', 'postgresql.key', 'root.crl'])
      writeFileSync(join(HOME, '.postgresql', name), PEM + name);
    const own = { ca: CA, cert: `${PEM}postgresql.crt`, key: `${PEM}postgresql.key`, passphrase: 'p' };
    const sslOf = (environment: NodeJS.ProcessEnv) =>
      settingsOf('postgres://u@h/d?sslmode=verify-full&sslpassword=p', { HOME, ...environment }).config.ssl;
    expect(sslOf({})).toMatchObject({ ...own, crl: `${PEM}root.crl` });
    writeFileSync(join(HOME, 'other.crl'), PEM);
    expect(sslOf({ PGSSLCRL: join(HOME, 'other.crl') })).toMatchObject({ ...own, crl: PEM });
  });

  test('a file of another format', () => {
    const path = join(temporaryFolder(), 'binary.crl');
    writeFileSync(path, Buffer.from([0x30, 0x82]));
    const { message } = errorOf(`postgres://u@h/d?sslmode=verify-full&sslcrl=${path}`);
    expect(message).toBe(`expected sslcrl to be a file in PEM, found: ${path}: no line in it begins with -----BEGIN`);
    // Nobody is verified.
    expect(settingsOf(`postgres://u@h/d?sslmode=require&sslcrl=${path}`).config.ssl).toEqual(anybody);
  });

  test('none on a socket', () => {
    expect(settingsOf('postgres://u@/d?host=/run&sslmode=verify-full')).toMatchObject({
      config: { ssl: false },
      withoutTls: null,
    });
  });
});

describe('an address is shown without what is secret', () => {
  test.each([
    ['postgres://u:secret@h:1/d', 'postgres://u@h:1/d'],
    ['postgres://u:secret:secret@h/d', 'postgres://u@h/d'],
    ['postgres://:secret@h/d', 'postgres://@h/d'],
    [
      'postgres://u@h/d?options=-csearch_path%3Dshop&password=secret&sslmode=require',
      'postgres://u@h/d?options=-csearch_path%3Dshop&sslmode=require',
    ],
    ['postgres://u@h/d?password=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?sslpassword=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?%70assword=secret', 'postgres://u@h/d?…'],
    ['postgres://u@h/d?pasword=secret', 'postgres://u@h/d?…'],
    ['postgres://u@h/d?options=-cmy.token%3Dsecret', 'postgres://u@h/d?options=…'],
    ['postgres://u:secret@secret@h/d', 'postgres://…'],
    ['postgres://u:sec/ret@h/d', 'postgres://…'],
    ['postgres://u:sec?ret@h/d', 'postgres://…'],
    ['postgres://u:5?ret=5@h/d', 'postgres://…'],
    ['postgres://u:secret', 'postgres://…'],
    ['postgres://h/d?password=sec@ret', 'postgres://…'],
    ['postgres:u:secret@h/d', 'postgres:…'],
    ['postgres://u:secret,h2/d', 'postgres://…'],
    ['postgres://h1,u:secret/d', 'postgres://…'],
    ['postgres://u@h:secret/d', 'postgres://…'],
    ['postgres://u@h/d?options=-capp%2Etoken%3Dsecret', 'postgres://u@h/d?options=…'],
    ['postgres://u@h/d?pass%77ord=secret', 'postgres://u@h/d?…'],
    ['postgres://u@h/d?options=-cx%3D1?2', 'postgres://u@h/d?options=-cx%3D1?2'],
    ['postgresql+psycopg2://u:secret@h/d', 'postgresql+psycopg2://…'],
    ['jdbc:postgresql://h/d?user=u&password=secret', '…'],
    [' postgres://u:secret@h/d', ' postgres://…'],
    ['"postgres://u:secret@h/d"', '"postgres://…'],
    ['host=h password=secret', '…'],
    ['host=h password = secret', '…'],
    ['data/catalogue@home:1.sqlite', 'data/catalogue@home:1.sqlite'],
    ['postgres://u:secret@a:1,b:2/d', 'postgres://u@a:1,b:2/d'],
    ['postgresql:///?service=shop', 'postgresql:///?service=shop'],
  ])('%s', (address, shown) => {
    expect(displayAddress(address)).toBe(shown);
  });

  test('of text that is almost an address nobody says that there is no such file', () => {
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
      fc.nat(6),
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
      ];
      return scheme + placed[place];
    });

  test('whatever the password and whatever is wrong with the address, nothing of ours says it', async () => {
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
