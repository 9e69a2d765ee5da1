// Addresses as a person writes them, to servers that ask for a password, have a certificate or refuse one: who gets in, how, and what the
// others are told. Real servers and the real command.

import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../src/database/postgres/connect.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { createShape } from '../support/postgres/copy.ts';
import { newSchema } from '../support/postgres/own-schema.ts';
import { writeRevocations } from '../support/postgres/server-user.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const PASSWORD = 'p@ss:w/o?rd';
const home = temporaryFolderOfFile();
/** Nobody's files and settings but those of a test. */
const NOTHING = { HOME: home, PGSYSCONFDIR: home };

let open: Cluster;
let guarded: Cluster;
beforeAll(async () => {
  [open, guarded] = await Promise.all([
    Cluster.start({ auth: 'scram-sha-256', password: PASSWORD }),
    Cluster.start({
      auth: 'scram-sha-256',
      password: PASSWORD,
      hasTls: true,
      hba: [
        'hostnossl all all all reject',
        'hostssl all plain all password',
        'hostssl all hashed all md5',
        'hostssl all trusted all trust',
      ],
    }),
  ]);
});
afterAll(() => Promise.all([open.stop(), guarded.stop()]));

const QUERY = `SELECT current_user AS user, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl,
  current_setting('application_name') AS name, current_setting('search_path') AS path`;

async function found(address: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const client = await connect(address, { ...NOTHING, ...environment });
  const { rows } = await client.query<Record<string, unknown>>(QUERY);
  await client.end();
  return rows[0];
}

const at = ({ port }: Cluster, rest = '') => `postgres://postgres@127.0.0.1:${port}/postgres${rest}`;
const usual = { user: 'postgres', name: 'playbill', path: '"$user", public' };

describe('a password', () => {
  test.each<[string, (cluster: Cluster) => [string, NodeJS.ProcessEnv]]>([
    [
      'in the address',
      ({ port }) => [`postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`, {}],
    ],
    ['in the environment', (cluster) => [at(cluster), { PGPASSWORD: PASSWORD }]],
    [
      'in the password file',
      (cluster) => {
        const path = join(temporaryFolder(), 'passwords');
        writeFileSync(path, `*:${cluster.port}:*:postgres:${PASSWORD.replace(':', String.raw`\:`)}\n`);
        chmodSync(path, 0o600);
        return [at(cluster), { PGPASSFILE: path }];
      },
    ],
    [
      'in a service, as everything else',
      ({ port }) => {
        const path = join(temporaryFolder(), 'services');
        writeFileSync(path, `[shop]\nhost=127.0.0.1\nport=${port}\nuser=postgres\npassword=${PASSWORD}\n`);
        return ['postgres://?service=shop', { PGSERVICEFILE: path }];
      },
    ],
    [
      'through the socket',
      ({ port, socketFolder }) => [
        `postgres://postgres@/postgres?host=${socketFolder}&port=${port}`,
        { PGPASSWORD: PASSWORD },
      ],
    ],
  ])('%s', async (_, how) => {
    expect(await found(...how(open))).toEqual({ ...usual, ssl: false });
  });

  test('that is wrong, and none', async () => {
    await expect(found(at(open), { PGPASSWORD: 'wrong' })).rejects.toMatchObject({ code: '28P01' });
    await expect(found(at(open))).rejects.toMatchObject({
      code: 'database-unreadable',
      message: `expected a password for user postgres at ${at(open)}, found none`,
    });
  });
});

test('a password does not go to a socket that anybody can make', async () => {
  const path = `/tmp/.s.PGSQL.${open.port}`;
  let connections = 0;
  const other = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(path);
  await once(other, 'listening');
  try {
    const address = `postgres://postgres@:${open.port}/postgres`;
    expect(await found(address, { PGPASSWORD: PASSWORD })).toEqual({ ...usual, ssl: false });
  } finally {
    other.close();
    rmSync(path, { force: true });
  }
  expect(connections).toBe(0);
});

test('settings go along', async () => {
  const address = at(open, '?options=-csearch_path%3Dshop&application_name=nightly');
  expect(await found(address, { PGPASSWORD: PASSWORD })).toEqual({
    ...usual,
    ssl: false,
    name: 'nightly',
    path: 'shop',
  });
});

describe('TLS', () => {
  const modes = (cluster: Cluster, ...modes: string[]) =>
    Promise.all(
      modes.map((mode) =>
        found(at(cluster, `?${mode}`), { PGPASSWORD: PASSWORD }).then(
          (row) => (row as { ssl: boolean }).ssl,
          (error: unknown) => (error instanceof Error ? error.message : error),
        ),
      ),
    );

  test('where the server has it', async () => {
    const authority = `sslrootcert=${guarded.authorityPath}`;
    const trusting = ['', 'sslmode=allow', 'sslmode=prefer', 'sslmode=require'];
    const verifying = [
      `sslmode=verify-full&${authority}`,
      `sslmode=verify-ca&${authority}`,
      `sslmode=require&${authority}`,
    ];
    expect(await modes(guarded, ...trusting, ...verifying)).toEqual(Array.from({ length: 7 }, () => true));
    expect(await modes(guarded, 'sslmode=disable')).toEqual([expect.stringMatching(/rejects connection/)]);
  });

  test('where nobody that is trusted has signed for it', async () => {
    const refusal = expect.stringMatching(/^unable to verify the first certificate/) as string;
    expect(await modes(guarded, 'sslmode=verify-full', 'sslrootcert=system')).toEqual([refusal, refusal]);
  });

  test('where the certificate has another name', async () => {
    // The same interface, and no name that is in the certificate.
    const address = at(guarded, `?sslrootcert=${guarded.authorityPath}`).replace('127.0.0.1', '127.1');
    const full = found(`${address}&sslmode=verify-full`, { PGPASSWORD: PASSWORD });
    await expect(full).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(await found(`${address}&sslmode=verify-ca`, { PGPASSWORD: PASSWORD })).toMatchObject({ ssl: true });
  });

  test('where the certificate is revoked', async () => {
    const [fine, revoked] = [join(temporaryFolder(), 'fine.crl'), join(temporaryFolder(), 'revoked.crl')];
    writeRevocations(dirname(guarded.authorityPath), fine, false);
    writeRevocations(dirname(guarded.authorityPath), revoked, true);
    const address = at(guarded, `?sslmode=verify-full&sslrootcert=${guarded.authorityPath}`);
    const withPassword = { PGPASSWORD: PASSWORD };
    expect(await found(address, { ...withPassword, PGSSLCRL: fine })).toMatchObject({ ssl: true });
    const refusal = { code: 'CERT_REVOKED' };
    await expect(found(address, { ...withPassword, PGSSLCRL: revoked })).rejects.toMatchObject(refusal);
    const HOME = temporaryFolder();
    mkdirSync(join(HOME, '.postgresql'));
    copyFileSync(revoked, join(HOME, '.postgresql/root.crl'));
    await expect(found(address, { ...withPassword, HOME })).rejects.toMatchObject(refusal);
  });

  test('where Node.js is told to trust everybody', async () => {
    const trusting = { ...NOTHING, PGPASSWORD: PASSWORD, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const run = await playbillProcess(['check-db', '--db', at(guarded, '?sslmode=verify-full')], trusting);
    expect(run.stderr).toMatch(/error database-unreachable: expected a certificate to trust at /);
  });

  test('as PostgreSQL’s own tools have it: the last word counts, and PGREQUIRESSL', async () => {
    expect(await modes(guarded, 'sslmode=disable&ssl=true')).toEqual([true]);
    const none = 'The server does not support SSL connections';
    await expect(found(at(open), { PGPASSWORD: PASSWORD, PGREQUIRESSL: '1' })).rejects.toThrow(none);
  });

  test('where the server has none', async () => {
    const none = 'The server does not support SSL connections';
    expect(await modes(open, '', 'sslmode=allow', 'sslmode=prefer', 'sslmode=disable')).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(await modes(open, 'sslmode=require', 'sslmode=verify-full')).toEqual([none, none]);
  });

  test('where the server lets in nobody who uses it', async () => {
    await using cluster = await Cluster.start({ hasTls: true, hba: ['hostssl all all all reject'] });
    expect(await modes(cluster, '', 'sslmode=disable')).toEqual([false, false]);
    expect(await modes(cluster, 'sslmode=require')).toEqual([expect.stringMatching(/rejects connection/)]);
  });
});

describe('channel binding', () => {
  const bound = 'sslmode=require&channel_binding=require';
  const as = (user: string, password: string, query = bound) =>
    found(at(guarded, `?${query}`).replace('postgres@', `${user}@`), { PGPASSWORD: password });

  beforeAll(async () => {
    const client = await connect(at(guarded), { ...NOTHING, PGPASSWORD: PASSWORD });
    await client.query(`CREATE ROLE plain LOGIN PASSWORD 'right'; CREATE ROLE trusted LOGIN;
      SET password_encryption = 'md5'; CREATE ROLE hashed LOGIN PASSWORD 'right'`);
    await client.end();
  });

  test('that is required, and that the server offers', async () => {
    expect(await as('postgres', PASSWORD)).toEqual({ ...usual, ssl: true });
    await expect(as('postgres', 'wrong')).rejects.toMatchObject({ code: '28P01' });
  });

  test.each([
    ['plain', 'asks for the password in clear text'],
    ['hashed', 'asks for the password by md5'],
    ['trusted', 'asks for no password'],
  ])('that is required, of %s, of whom the server %s', async (user, asks) => {
    expect(await as(user, 'right', 'sslmode=require')).toMatchObject({ user, ssl: true });
    expect(await as(user, 'right', 'channel_binding=prefer')).toMatchObject({ user, ssl: true });
    await expect(as(user, 'right')).rejects.toMatchObject({
      code: 'database-unreadable',
      message: `expected channel binding at ${at(guarded, `?${bound}`).replace('postgres@', `${user}@`)}, found a server that ${asks}`,
      hint: 'it takes TLS and scram-sha-256 in pg_hba.conf; without it: leave out channel_binding',
    });
  });

  test('that is required: no password is sent before', async () => {
    await expect(as('plain', 'first')).rejects.toMatchObject({ code: 'database-unreadable' });
    await expect(as('plain', 'second', 'sslmode=require')).rejects.toMatchObject({ code: '28P01' });
    // Of the second alone.
    expect(guarded.log.match(/password authentication failed for user "plain"/g)).toHaveLength(1);
  });

  test('that is required: somebody between who offers it, and then asks in clear text, gets no password', async () => {
    const [key, cert] = ['server.key', 'server.crt'].map((name) =>
      readFileSync(join(dirname(guarded.authorityPath), name)),
    );
    const authentication = (code: number, rest = '') => {
      const message = Buffer.from(`R........${rest}`, 'latin1');
      message.writeInt32BE(message.length - 1, 1);
      message.writeInt32BE(code, 5);
      return message;
    };
    // What comes after TLS: the start, the first message of SCRAM, and whatever else.
    const received: string[] = [];
    const between = createServer((socket) => {
      socket.once('data', () => {
        socket.write('S');
        const secured = new TLSSocket(socket, { isServer: true, key, cert });
        secured.on('error', () => undefined);
        secured.on('data', (data) => {
          received.push(data.toString());
          secured.write(received.length === 1 ? authentication(10, 'SCRAM-SHA-256-PLUS\0\0') : authentication(3));
        });
      });
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port } = between.address() as AddressInfo;
    const address = `postgres://postgres@127.0.0.1:${port}/postgres?${bound}`;
    const ended = found(address, { PGPASSWORD: PASSWORD });
    await expect(ended).rejects.toThrow('found a server that asks for the password in clear text');
    between.close();
    await once(between, 'close');
    expect(received).toEqual([expect.stringContaining('postgres'), expect.stringContaining('SCRAM-SHA-256-PLUS')]);
  });

  test('that is required, of a server without TLS', async () => {
    const refusal = found(at(open, '?channel_binding=require'), { PGPASSWORD: PASSWORD });
    await expect(refusal).rejects.toThrow('found a server that does not offer it');
  });
});

test('the command prints what it finds, and nothing of the driver’s own', async () => {
  const secret = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${open.port}/postgres`;
  await using schema = await newSchema(secret);
  await createShape(schema, 'contract');
  const path = join(temporaryFolder(), 'passwords');
  writeFileSync(path, `*:*:*:*:${PASSWORD.replace(':', String.raw`\:`)}\n`);
  chmodSync(path, 0o600);
  const address = at(open, `?options=-csearch_path%3D${schema.name}`);
  const run = await playbillProcess(['check-db', '--db', address], {
    ...NOTHING,
    PGPASSFILE: path,
    PGSSLMODE: 'prefer',
  });
  expect(run.status).toBe(0);
  expect(run.stderr).not.toMatch(/warning|deprecat/i);
  const wrong = await playbillProcess(['check-db', '--db', secret.replace('@127', 'x@127')], NOTHING);
  expect(wrong.status).toBe(2);
  expect(wrong.stdout + wrong.stderr).toContain(`postgres://postgres@127.0.0.1:${open.port}/postgres`);
  expect(wrong.stdout + wrong.stderr).not.toContain(encodeURIComponent(PASSWORD));
});
