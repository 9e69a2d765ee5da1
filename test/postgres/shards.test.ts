// Builds in shards from PostgreSQL: processes of their own, each with a connection of its own; on a
// catalogue that is written to between them, and on a snapshot that is held.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Command, errorCodeOf, summaryOf, type Running } from '../support/fault/command.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { copyCatalogue, SHAPES, type Shape } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { releasedFilesOf } from '../support/shards.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const folder = temporaryFolderOfFile();
const command = new Command();
const schemas = new Map<Shape, OwnSchema>();
/** What a build from SQLite makes of the same catalogue. */
let expected: ReadonlyMap<string, string>;

beforeAll(async () => {
  const path = demoCatalogueAt(join(folder, 'demo.sqlite'), NOW);
  for (const shape of SHAPES) {
    const schema = await newSchema();
    schemas.set(shape, schema);
    await copyCatalogue(path, schema, shape);
  }
  const out = join(folder, 'single');
  const run = await command.run(['build', '--db', path, '--out', out, '--now', NOW, '--json']);
  expect(run.code, run.stderr).toBe(0);
  expected = releasedFilesOf(out);
}, 120_000);
afterAll(async () => {
  for (const schema of schemas.values()) await schema.drop();
});

function schemaOf(shape: Shape): OwnSchema {
  const schema = schemas.get(shape);
  if (schema === undefined) throw new Error(`no schema of shape ${shape}`);
  return schema;
}

function shard(db: string, out: string, which: string, more: readonly string[] = []): Running {
  return command.start([
    'build',
    '--db',
    db,
    '--out',
    out,
    '--shard',
    which,
    '--run',
    'r',
    '--now',
    NOW,
    ...more,
    '--json',
  ]);
}

async function finish(out: string, shards: number) {
  return await command.run(['finish', '--out', out, '--run', 'r', '--shards', String(shards), '--json']);
}

/** What the command that holds a snapshot prints first. */
async function snapshotOf({ child }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text.trim());
    });
    child.once('close', () => reject(new Error('it ended')));
  });
}

test.each(SHAPES)('%s: four at once give the release that a build from SQLite gives', async (shape) => {
  const out = join(temporaryFolder(), 'out');
  const runs = [0, 1, 2, 3].map((index) => shard(schemaOf(shape).url, out, `${index}/4`).ended);
  for (const run of await Promise.all(runs)) expect(run.code, run.stderr).toBe(0);
  const finished = await finish(out, 4);
  expect(finished.code, finished.stderr).toBe(0);
  expect(releasedFilesOf(out)).toEqual(expected);
});

test('a catalogue that is written to between two shards: refused without a snapshot, of one state with it', async () => {
  const { url, client } = schemaOf('contract');
  const held = command.start(['snapshot', '--hold', '--for', '1h', '--db', url]);
  const id = await snapshotOf(held);
  const [plain, snapped] = [join(temporaryFolder(), 'plain'), join(temporaryFolder(), 'snapped')];
  const before = await client.query('select id, amount_minor from price_tiers');
  const first = await shard(url, plain, '0/2').ended;
  expect(first.code, first.stderr).toBe(0);
  await client.query('update price_tiers set amount_minor = amount_minor + 100');
  expect((await shard(url, plain, '1/2').ended).code).toBe(0);
  const refused = await finish(plain, 2);
  expect([refused.code, errorCodeOf(refused)]).toEqual([2, 'run-state-differs']);

  for (const which of ['0/2', '1/2']) {
    const run = await shard(url, snapped, which, ['--snapshot', id]).ended;
    expect(run.code, run.stderr).toBe(0);
  }
  const finished = await finish(snapped, 2);
  expect(summaryOf(finished).fronts.every((front) => front.held === null)).toBe(true);
  expect(releasedFilesOf(snapped)).toEqual(expected);

  held.child.kill('SIGTERM');
  expect((await held.ended).signal).toBe('SIGTERM');
  // The server notices that its client has gone.
  let late = await shard(url, join(temporaryFolder(), 'late'), '0/2', ['--snapshot', id]).ended;
  while (late.code === 0) late = await shard(url, join(temporaryFolder(), 'late'), '0/2', ['--snapshot', id]).ended;
  expect([late.code, errorCodeOf(late)]).toEqual([2, 'snapshot-unknown']);
  for (const { id: tier, amount_minor: amount } of before)
    await client.query('update price_tiers set amount_minor = $2 where id = $1', [tier, amount]);
});

test('a key that is revoked meanwhile is not brought back by a snapshot from before', async () => {
  const { url, client } = schemaOf('contract');
  const held = command.start(['snapshot', '--hold', '--for', '1h', '--db', url]);
  const id = await snapshotOf(held);
  const out = join(temporaryFolder(), 'out');
  const [key] = await client.query('select keyid from front_keys where revoked_at is null order by keyid limit 1');
  const keyid = String(key?.['keyid']);
  const revokedAt = '2026-05-01T08:59:00Z';
  await client.query('update front_keys set revoked_at = $1 where keyid = $2', [revokedAt, keyid]);
  for (const which of ['0/2', '1/2']) {
    const run = await shard(url, out, which, ['--snapshot', id]).ended;
    expect(run.code, run.stderr).toBe(0);
    const ring = JSON.parse(readFileSync(join(out, 'edge/keyring.json'), 'utf8')) as {
      readonly keys: Readonly<Record<string, { readonly revokedAt: string | null }>>;
    };
    expect(ring.keys[keyid]?.revokedAt, which).toBe(revokedAt);
  }
  await client.query('update front_keys set revoked_at = null where keyid = $1', [keyid]);
  held.child.kill('SIGTERM');
  await held.ended;
});

test('a server that was started again may give another state the same id: refused', async () => {
  await using cluster = await Cluster.start();
  const schema = await newSchema(cluster.url);
  await copyCatalogue(join(folder, 'demo.sqlite'), schema, 'contract');
  const out = join(temporaryFolder(), 'out');
  const restarted = async (): Promise<{ held: ReturnType<typeof command.start>; id: string }> => {
    // It ends as in a crash, and nothing is written at once.
    await schema.client.query('checkpoint');
    await cluster.stopServer();
    await cluster.startServer();
    // Ids are made of the number of transactions since.
    await schema.client.query('update price_tiers set amount_minor = amount_minor + 100');
    const held = command.start(['snapshot', '--hold', '--for', '1h', '--db', schema.url]);
    return { held, id: await snapshotOf(held) };
  };
  let first: string | null = null;
  for (const which of ['0/2', '1/2']) {
    let { held, id } = await restarted();
    first ??= id;
    // The server's own transactions count as well, so the same id may take a few attempts.
    for (let attempts = 0; id !== first && attempts < 8; attempts++) {
      held.child.kill('SIGTERM');
      await held.ended;
      ({ held, id } = await restarted());
    }
    const run = await shard(schema.url, out, which, ['--snapshot', id]).ended;
    expect(run.code, run.stderr).toBe(0);
    held.child.kill('SIGTERM');
    await held.ended;
  }
  const refused = await finish(out, 2);
  expect([refused.code, errorCodeOf(refused)]).toEqual([2, 'run-state-differs']);
});

test.each(["no snapshot'; select 1 --", '00000003-0000001B-1'])('%s is no snapshot', async (id) => {
  const run = await shard(schemaOf('contract').url, join(temporaryFolder(), 'out'), '0/1', ['--snapshot', id]).ended;
  expect([run.code, errorCodeOf(run)]).toEqual([2, 'snapshot-unknown']);
});

test('a file has no snapshots', async () => {
  const db = join(folder, 'demo.sqlite');
  const run = await shard(db, join(temporaryFolder(), 'out'), '0/1', ['--snapshot', '1-1-1']).ended;
  expect([run.code, errorCodeOf(run)]).toEqual([2, 'usage']);
  const held = await command.run(['snapshot', '--hold', '--db', db, '--json']);
  expect([held.code, errorCodeOf(held)]).toEqual([2, 'usage']);
});

test('the snapshot ends when its time is up', async () => {
  const held = await command.run(['snapshot', '--hold', '--for', '1s', '--db', schemaOf('contract').url, '--json']);
  expect(held, held.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(held.stdout)).toEqual({ snapshot: expect.stringMatching(/^[0-9A-F-]+$/) });
});
