// A build that the server breaks off reads once more by itself, and only once. Between the command
// and the server stands a proxy that ends connections as an administrator would.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { playbill } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { fatalError } from '../support/postgres/wire.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
let schema: OwnSchema;
let expected: ReadonlyMap<string, string>;
beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 3, sessionsPerProduct: 1, edition: 'x' });
  schema = await newSchema();
  await copyCatalogue(catalogueAt(join(folder, 'small.sqlite'), rows), schema, 'contract');
  const out = join(folder, 'out');
  await playbill(['build', '--db', schema.url, '--out', out, '--now', NOW]);
  expected = filesOf(out);
});
afterAll(() => schema.drop());

const ENDED = fatalError('57P01', 'terminating connection due to administrator command');

interface Proxy {
  readonly db: string;
  connections: number;
}

/** Ends the first connections, each as soon as the client has sent a text. */
async function breaking(times: number, at: string): Promise<Proxy> {
  const server = createServer((socket) => {
    proxy.connections += 1;
    const isBroken = proxy.connections <= times;
    const upstream = connect(Number(real.port), real.hostname);
    upstream.on('error', () => socket.destroy()).pipe(socket);
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    socket.on('data', (bytes) => {
      if (!isBroken || !bytes.includes(at)) return void upstream.write(bytes);
      upstream.destroy();
      socket.end(ENDED);
    });
  });
  const real = new URL(schema.url);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = schema.url.replace(real.host, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  // One connection for each read: none that asks for TLS first.
  const db = url.replace('?', '?sslmode=disable&');
  const proxy: Proxy = { db, connections: 0 };
  return proxy;
}

const built = (db: string, out: string, ...more: string[]) =>
  playbill(['build', '--db', db, '--out', out, '--now', NOW, ...more]);

describe.each([
  ['as it asks for a session', 'user'],
  ['as it describes the tables', 'unnest'],
  ['in the middle of the load', 'from "products"'],
])('a connection that is ended %s', (_when, at) => {
  test('once: the build succeeds, and says that it has read again', async () => {
    const proxy = await breaking(1, at);
    const out = join(temporaryFolder(), 'out');
    const run = await built(proxy.db, out);
    expect(run.stderr).toMatch(/^note: reading once more: .*terminating connection due to administrator command.*\n$/);
    expect(run.status).toBe(0);
    expect(filesOf(out)).toEqual(expected);
    expect(proxy.connections).toBe(2);
  });

  test('each time: the build ends, and publishes nothing', async () => {
    const proxy = await breaking(9, at);
    const out = join(temporaryFolder(), 'out');
    const run = await built(proxy.db, out);
    expect(run.stderr).toContain('error database-busy: ');
    expect(existsSync(join(out, 'public'))).toBe(false);
    expect(proxy.connections).toBe(2);
  });
});

test('a shard reads again as well', async () => {
  const proxy = await breaking(1, 'from "products"');
  const out = join(temporaryFolder(), 'out');
  expect(await built(proxy.db, out, '--shard', '0/1', '--run', 'r')).toMatchObject({ status: 0 });
  expect(await playbill(['finish', '--out', out, '--run', 'r', '--shards', '1'])).toMatchObject({ status: 0 });
  expect(filesOf(join(out, 'public'))).toEqual(filesOf(join(folder, 'out', 'public')));
  // The third is for the keys, which are read apart.
  expect(proxy.connections).toBe(3);
});

test('a snapshot is read once: nobody but its holder can take another', async () => {
  const proxy = await breaking(9, 'user');
  const words = ['--shard', '0/1', '--run', 'r', '--snapshot', '00000003-0000001B-1'];
  const { stderr } = await built(proxy.db, join(temporaryFolder(), 'out'), ...words);
  expect(stderr).toContain('error database-busy: ');
  expect(proxy.connections).toBe(1);
});

test('what would be the same the next time is not tried again', async () => {
  const proxy = await breaking(0, '');
  const { stderr } = await built(`${proxy.db}_no_such`, join(temporaryFolder(), 'out'));
  expect(stderr).toContain('error contract-table-missing: ');
  expect(proxy.connections).toBe(1);
});
