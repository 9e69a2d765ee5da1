// The cluster of other tests is Debian's PostgreSQL 15, as they ask for it, and none outlives the
// run that started it.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { Cluster } from '../support/postgres/cluster.ts';

async function rowsOf(config: pg.ClientConfig, query: string): Promise<unknown[]> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('it is PostgreSQL 15, whose names sort as in a language, and which keeps nothing', async () => {
  const cluster = await Cluster.start();
  const query = `SELECT current_setting('server_version_num')::int / 10000 AS version, 'a' < 'B' AS language,
    'a' < 'B' COLLATE "C" AS code, current_setting('fsync') AS fsync`;
  expect(await rowsOf({ connectionString: cluster.url }, query)).toEqual([
    { version: 15, language: true, code: false, fsync: 'off' },
  ]);
  await cluster.stop();
  expect(existsSync(cluster.socketFolder)).toBe(false);
  expect(await isListening(cluster.port)).toBe(false);
});

test('with a password, a certificate, lines of pg_hba.conf and settings', async () => {
  const password = "it's one";
  await using cluster = await Cluster.start({
    auth: 'scram-sha-256',
    password,
    hasTls: true,
    hba: ['hostnossl all all all reject'],
    settings: { max_connections: '7' },
  });
  const { port, socketFolder } = cluster;
  const known = { user: 'postgres', database: 'postgres', port, password };
  const ssl = { ca: readFileSync(cluster.authorityPath, 'utf8') };
  const query = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  expect(await rowsOf({ ...known, host: 'localhost', ssl }, query)).toEqual([{ ssl: true }]);
  expect(await rowsOf({ ...known, host: socketFolder }, 'SHOW max_connections')).toEqual([{ max_connections: '7' }]);
  await expect(rowsOf({ ...known, host: '127.0.0.1' }, query)).rejects.toMatchObject({ code: '28000' });
  await expect(rowsOf({ ...known, host: socketFolder, password: 'x' }, query)).rejects.toMatchObject({ code: '28P01' });
  await expect(rowsOf({ ...known, host: '127.0.0.1', ssl: true }, query)).rejects.toMatchObject({
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
});

test('data/schema-postgres.sql runs in psql', async () => {
  await using cluster = await Cluster.start();
  const path = fileURLToPath(new URL('../../data/schema-postgres.sql', import.meta.url));
  const { status, stderr } = spawnSync('psql', [cluster.url, '-1', '-q', '-v', 'ON_ERROR_STOP=1', '-f', path], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('its server can be stopped under a connection, and comes back on the same port', async () => {
  await using cluster = await Cluster.start();
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  const lost = new Promise<Error>((resolve) => client.once('error', resolve));
  await cluster.stopServer();
  expect((await lost).message).toMatch(/terminat/);
  await expect(rowsOf({ connectionString: cluster.url }, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await cluster.startServer();
  expect(await rowsOf({ connectionString: cluster.url }, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a run that is killed leaves no server behind', async () => {
  const path = fileURLToPath(new URL('../support/postgres/cluster.ts', import.meta.url));
  const program = `const { Cluster } = await import(${JSON.stringify(path)});
    const { port, socketFolder } = await Cluster.start();
    console.log(JSON.stringify({ port, socketFolder }));
    setInterval(() => undefined, 1000);`;
  const run = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    run.stdout.once('data', (text: Buffer) => resolve(String(text)));
    run.once('exit', (code) => reject(new Error(`ended with ${code}`)));
  });
  const { port, socketFolder } = JSON.parse(line) as { port: number; socketFolder: string };
  onTestFinished(() => rmSync(socketFolder, { recursive: true, force: true }));
  expect(await isListening(port)).toBe(true);
  run.kill('SIGKILL');
  await expect.poll(() => isListening(port)).toBe(false);
});

test('a server that does not start is named with what it logged', async () => {
  await expect(Cluster.start({ settings: { no_such_setting: 'x' } })).rejects.toThrow(/no_such_setting/);
});
