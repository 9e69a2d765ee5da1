// A streaming replica, made as an operator makes one: a build from it is that of the primary, and
// one whose query it cancels because of what it applies ends with database-busy.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { readerWith } from '../support/fault/watched-reader.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { builtInMemory } from '../support/postgres/memory-tree.ts';
import { newSchema, SchemaClient, type OwnSchema } from '../support/postgres/own-schema.ts';
import { catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
const path = join(folder, 'catalogue.sqlite');
let primary: Cluster;
let replica: Cluster;
let schema: OwnSchema;
let onReplica = '';

beforeAll(async () => {
  primary = await Cluster.start({
    hba: ['host replication all all trust'],
    settings: { wal_level: 'replica', autovacuum: 'off' },
  });
  schema = await newSchema(primary.url);
  const rows = smallCatalogue({
    fronts: ['alpha', 'bravo'],
    productsPerFront: 200,
    sessionsPerProduct: 1,
    edition: 'x',
  });
  await copyCatalogue(catalogueAt(path, rows), schema, 'native');
  // Waits for nobody: what it applies goes before what it is asked.
  replica = await Cluster.replicaOf(primary, { max_standby_streaming_delay: '0', wal_receiver_status_interval: '1' });
  onReplica = schema.url.replace(`:${primary.port}/`, `:${replica.port}/`);
});
afterAll(async () => {
  await replica.stop();
  await primary.stop();
});

/** Resolves when the replica has applied all that the primary has written. */
async function caughtUp(): Promise<void> {
  const [{ at } = { at: '' }] = await new SchemaClient(primary.url).query('SELECT pg_current_wal_lsn()::text AS at');
  const isThere = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes';
  for (;;) {
    const [row] = await new SchemaClient(replica.url).query(isThere, [at]);
    if (row?.['yes'] === true) return;
    await sleep(20);
  }
}

test('builds, checks and explains as the primary does', async () => {
  await caughtUp();
  const [{ standby } = { standby: null }] = await new SchemaClient(replica.url).query(
    'SELECT pg_is_in_recovery() AS standby',
  );
  expect(standby).toBe(true);
  const trees = [];
  for (const address of [path, schema.url, onReplica]) {
    await using reader = await openCatalogue(address);
    trees.push(await builtInMemory(reader, instant(NOW), { horizonSeconds: 3600 }));
  }
  const [fromSqlite, ...others] = trees;
  expect(others).toEqual([fromSqlite, fromSqlite]);
  expect(await playbill(['check-db', '--db', onReplica])).toMatchObject({ status: 0 });
});

test('takes no rows and no keys', async () => {
  const refused = /database-not-writable: .*nothing is changed\n.*name the primary with --db, not a standby/s;
  const feed = join(folder, 'feed.ndjson');
  const row = { id: 1_000_000, name: 'Main stage', timezone: 'Europe/Berlin' };
  writeFileSync(feed, JSON.stringify({ table: 'venues', row }));
  for (const flags of [[], ['--replace'], ['--mirror', '--allow', 'max-shrink']])
    expect(await playbillProcess(['import', feed, '--db', onReplica, ...flags]), flags.join()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(refused) as string,
    });
  const issued = await playbill(['keys', 'issue', '--front', 'alpha', '--db', onReplica, '--out', join(folder, 'out')]);
  expect(issued).toMatchObject({ stderr: expect.stringMatching(refused) as string });
});

test('a build whose rows are vacuumed away under it ends with database-busy, and the next one is good', async () => {
  const writer = new pg.Client({ connectionString: schema.url });
  await writer.connect();
  await using reader = await openCatalogue(onReplica);
  const watched = readerWith(reader, async (read) => {
    if (read !== 10) return;
    await writer.query("UPDATE price_tiers SET amount_minor = amount_minor + 1; UPDATE products SET name = 'changed'");
    await writer.query('DELETE FROM front_keys');
    await writer.query('VACUUM');
    await caughtUp();
  });
  const refused: unknown = await builtInMemory(watched, instant(NOW)).catch((error: unknown) => error);
  await writer.end();
  expect(refused).toMatchObject({
    code: 'database-busy',
    message: expect.stringMatching(/conflict with recovery/) as string,
    hint: expect.stringMatching(/the next run tries again.*max_standby_streaming_delay/) as string,
  });
  await using again = await openCatalogue(onReplica);
  const { files } = await builtInMemory(again, instant(NOW));
  expect([...files.values()].join()).toContain('"name":"changed"');
});
