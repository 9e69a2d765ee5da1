// Addresses as a person writes them, to servers that ask for a password, have a certificate or
// refuse one: who gets in, how, and what the others are told. Real servers and the real command.

import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/database/postgres/connect.ts';
import { connectionSettings } from '../../src/database/postgres/connection-settings.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { createShape } from '../support/postgres/copy.ts';
import { newSchema } from '../support/postgres/own-schema.ts';
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
      hba: ['hostnossl all all all reject'],
    }),
  ]);
});
afterAll(() => Promise.all([open.stop(), guarded.stop()]));
afterEach(() => vi.unstubAllEnvs());

const QUERY = `SELECT current_user AS user, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl,
  current_setting('application_name') AS name, current_setting('search_path') AS path`;

async function found(address: string, environment: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const client = await connect(connectionSettings(address, { ...NOTHING, ...environment }));
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
        // pgpass reads the environment of the process itself.
        vi.stubEnv('PGPASSFILE', path);
        return [at(cluster), {}];
      },
    ],
    [
      'in a service, as everything else',
      ({ port }) => {
        const path = join(temporaryFolder(), 'services');
        writeFileSync(path, `[shop]\nhost=127.0.0.1\nport=${port}\nuser=postgres\npassword=${PASSWORD}\n`);
        return ['postgres:///?service=shop', { PGSERVICEFILE: path }];
      },
    ],
    [
      'through the socket',
      ({ port, socketFolder }) => [
        `postgres:///postgres?user=postgres&host=${socketFolder}&port=${port}`,
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
    const address = `postgres:///postgres?user=postgres&port=${open.port}`;
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
    expect(await modes(guarded, 'sslmode=verify-full')).toEqual([refusal]);
  });

  test('where the certificate has another name', async () => {
    // The same interface, and no name that is in the certificate.
    const address = at(guarded, `?sslrootcert=${guarded.authorityPath}`).replace('127.0.0.1', '127.1');
    const full = found(`${address}&sslmode=verify-full`, { PGPASSWORD: PASSWORD });
    await expect(full).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(await found(`${address}&sslmode=verify-ca`, { PGPASSWORD: PASSWORD })).toMatchObject({ ssl: true });
  });

  test('where Node.js is told to trust everybody', async () => {
    const trusting = { ...NOTHING, PGPASSWORD: PASSWORD, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const run = await playbillProcess(['check-db', '--db', at(guarded, '?sslmode=verify-full')], trusting);
    expect(run.stderr).toMatch(/error database-unreachable: expected a certificate to trust at /);
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
