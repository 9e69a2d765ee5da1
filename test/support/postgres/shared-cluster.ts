// One cluster for all test files of a run of `npm run test:all`: started when the first of them
// asks, ended after the last test. A test file asks the process that runs vitest, which holds the
// cluster.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Cluster } from './cluster.ts';

const ADDRESS = 'PLAYBILL_TEST_POSTGRES';

/**
 * Every build asks for the names of zones, and the server reads a thousand files each time: this one
 * keeps what it has read.
 */
const KEPT_ZONES = `CREATE TABLE pg_catalog.kept_zones AS SELECT * FROM pg_catalog.pg_timezone_names;
  GRANT SELECT ON pg_catalog.kept_zones TO PUBLIC;
  CREATE OR REPLACE VIEW pg_catalog.pg_timezone_names AS SELECT * FROM pg_catalog.kept_zones`;

async function start(): Promise<Cluster> {
  const cluster = await Cluster.start({ settings: { max_connections: '60', allow_system_table_mods: 'on' } });
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(KEPT_ZONES);
  await client.end();
  return cluster;
}

/**
 * vitest calls this before the first test, and what it returns after the last one, also where tests
 * failed.
 */
export async function setup(): Promise<() => Promise<void>> {
  let starting: Promise<Cluster> | undefined;
  const server = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    server.close();
    server.closeAllConnections();
    // Where it never came up there is nothing to stop: the test that asked has failed with the
    // reason.
    const cluster = await starting?.catch(() => null);
    await cluster?.stop();
  };
}

/**
 * The address of the run's cluster, for the user postgres; starts it where no test has asked
 * before. Null under `npm test`.
 */
export async function sharedClusterUrl(): Promise<string | null> {
  const address = process.env[ADDRESS];
  if (address === undefined) return null;
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
