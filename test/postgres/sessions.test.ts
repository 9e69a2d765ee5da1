// What takes several sessions of a server, or one that ends while the server works: keys that two
// change at once, locks that an interrupted command leaves, an answer that does not come.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { revokeKey } from '../../src/database/write/front-keys.ts';
import { importRows } from '../../src/database/write/import-rows.ts';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { issueKey } from '../../src/operations/keys.ts';
import { compiledCommand } from '../support/compiled.ts';
import { GOOD_ROWS } from '../support/database-rows.ts';
import { createShape } from '../support/postgres/copy.ts';
import { builtInMemory, MemoryTree } from '../support/postgres/memory-tree.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { inputOf } from '../support/random-mirrors.ts';
import { instant, temporaryFolder } from '../support/trees.ts';

const line = (table: string, row: object): string => `${JSON.stringify({ table, row })}\n`;
const FEED = TABLE_NAMES.map((table) => line(table, GOOD_ROWS[table])).join('');
const VENUE = line('venues', { id: 50, name: 'V', timezone: 'UTC' });
const NOW = instant('2026-05-01T09:00:00Z');

interface WatchedSchema extends OwnSchema {
  /** The processes of the sessions of `url`, those in some state alone. */
  readonly sessions: (state?: string) => Promise<number[]>;
  readonly endSessions: () => Promise<void>;
}

/** A catalogue with the good rows; `url` names its sessions. */
async function goodSchema(): Promise<WatchedSchema> {
  const schema = await newSchema();
  onTestFinished(() => schema.drop());
  await createShape(schema, 'contract');
  await importRows(inputOf(FEED), { databasePath: schema.url, isReplacing: false });
  const query = `SELECT pid FROM pg_stat_activity WHERE application_name = 'of_${schema.name}'`;
  const sessions = async (state = 'true'): Promise<number[]> =>
    (await schema.client.query(`${query} AND ${state}`)).map(({ pid }) => Number(pid));
  const endSessions = async (): Promise<void> => {
    await schema.client.query(query.replace('SELECT pid', 'SELECT pg_terminate_backend(pid)'));
  };
  return { ...schema, url: `${schema.url}&application_name=of_${schema.name}`, sessions, endSessions };
}

const IS_WAITING = "wait_event_type = 'Lock'";

/** Lets a statement hold what another session waits for until that does wait; then commits. */
async function meeting<T>({ client, sessions }: WatchedSchema, held: string, work: () => Promise<T>): Promise<T> {
  const [result] = await client.session(async (holder) => {
    await holder.query(`BEGIN; ${held}`);
    const working = work();
    working.catch(() => undefined);
    while ((await sessions(IS_WAITING)).length === 0) await sleep(10);
    await holder.query('COMMIT');
    return [working];
  });
  return result;
}

const KEY = {
  front: 'moscow',
  keyid: null,
  alg: 'hmac-sha256',
  secretRef: 'S',
  notBefore: null,
  notAfter: null,
} as const;

describe('two who change keys at once:', () => {
  test('the later one takes another keyid', async () => {
    const schema = await goodSchema();
    const insert = `INSERT INTO front_keys (keyid, front_id, alg, secret_ref) VALUES ('moscow-2026-05', 11, 'hmac-sha256', 'S')`;
    const issued = await meeting(schema, insert, () => issueKey(schema.url, { ...KEY, to: null }, NOW));
    expect(issued.keyid).toBe('moscow-2026-05-2');
  });

  test('a revocation is not put off by a later one', async () => {
    const schema = await goodSchema();
    const update = `UPDATE front_keys SET revoked_at = '2026-05-01T00:00:00Z'`;
    const revoked = await meeting(schema, update, () => revokeKey(schema.url, 'moscow-1', '2026-06-01T00:00:00Z'));
    expect(revoked).toBe('2026-05-01T00:00:00Z');
  });
});

const IS_ASLEEP = "wait_event = 'PgSleep'";

/** A trigger that does not end by itself. */
const slow = (trigger: string): string => `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_sleep(600); RETURN new; END $$; CREATE ${trigger} FOR EACH ROW EXECUTE FUNCTION slow()`;

test('an import that is broken off ends on the server too, and its locks with it', async () => {
  const schema = await goodSchema();
  await schema.client.query(slow('TRIGGER slow BEFORE INSERT ON venues'));
  const controller = new AbortController();
  const options = { databasePath: schema.url, isReplacing: false, signal: controller.signal };
  const importing = importRows(inputOf(VENUE), options).catch((error: unknown) => error);
  while ((await schema.sessions(IS_ASLEEP)).length === 0) await sleep(10);
  controller.abort();
  expect(await importing).toMatchObject({ code: 'database-unreachable' });
  try {
    await expect.poll(() => schema.sessions(), { interval: 100, timeout: 20_000 }).toEqual([]);
  } finally {
    await schema.endSessions();
  }
});

test('an import that is interrupted as it commits does not say that nothing was imported', async () => {
  const schema = await goodSchema();
  const file = join(temporaryFolder(), 'rows.ndjson');
  writeFileSync(file, VENUE);
  await schema.client.query(slow('CONSTRAINT TRIGGER slow AFTER INSERT ON venues DEFERRABLE INITIALLY DEFERRED'));
  const child = spawn(process.execPath, [compiledCommand(), 'import', file, '--db', schema.url]);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  while ((await schema.sessions(IS_ASLEEP)).length === 0) await sleep(10);
  child.kill('SIGINT');
  await ended;
  await schema.endSessions();
  expect(said).toContain('interrupted by SIGINT: either everything was imported or nothing; to find out which');
});

test('a key whose COMMIT has no answer keeps its file', async () => {
  const schema = await goodSchema();
  const real = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
  onTestFinished(() => void Reflect.set(pg.Client.prototype, 'query', real));
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const answer = Reflect.apply(real, this, args);
    if (args[0] === 'commit') this.connection.stream.destroy();
    return answer;
  });
  const to = join(temporaryFolder(), 'key.json');
  const request = { ...KEY, alg: 'ecdsa-p256-sha256', secretRef: null, to } as const;
  await expect(issueKey(schema.url, request, NOW)).rejects.toMatchObject({
    code: 'database-unreachable',
    message: expect.stringContaining('either everything is changed or nothing') as string,
    hint: expect.stringContaining(`${to} is kept; see whether its key was stored: playbill keys list`) as string,
  });
  expect(JSON.parse(readFileSync(to, 'utf8'))).toMatchObject({ keyid: 'moscow-2026-05' });
  // One that was refused is no key.
  Reflect.set(pg.Client.prototype, 'query', real);
  const other = join(temporaryFolder(), 'key.json');
  await expect(issueKey(schema.url, { ...request, keyid: 'moscow-1', to: other }, NOW)).rejects.toThrow('in use');
  expect(existsSync(other)).toBe(false);
});

test('a reader whose batches are left early goes on', async () => {
  const schema = await goodSchema();
  await importRows(inputOf(VENUE), { databasePath: schema.url, isReplacing: false });
  await using reader = await openCatalogue(schema.url);
  for await (const [row] of reader.batches(sql`select id from venues order by id`, 1)) {
    expect(row).toEqual([12]);
    break;
  }
  expect(await reader.rows(sql`select count(*) from venues`)).toEqual([[2]]);
});

test('a server that does not answer is not waited for at the end', async () => {
  const schema = await goodSchema();
  const reader = await openCatalogue(schema.url);
  const [pid = 0] = await schema.sessions();
  process.kill(pid, 'SIGSTOP');
  try {
    const ended = reader[Symbol.asyncDispose]().then(() => 'ended');
    expect(await Promise.race([ended, sleep(20_000, 'is waited for', { ref: false })])).toBe('ended');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

test('while a build publishes, it has no session', async () => {
  const schema = await goodSchema();
  const seen: number[] = [];
  class WatchedTree extends MemoryTree {
    override async create(...args: Parameters<MemoryTree['create']>): Promise<void> {
      seen.push((await schema.sessions()).length);
      await super.create(...args);
    }
  }
  await using reader = await openCatalogue(schema.url);
  expect(await schema.sessions()).toHaveLength(1);
  await builtInMemory(reader, NOW, { store: new WatchedTree() });
  expect(new Set(seen)).toEqual(new Set([0]));
});

test('an import whose input does not come ends where the server has a limit for that', async () => {
  const schema = await goodSchema();
  const input = async function* () {
    yield Buffer.from(VENUE);
    for (let i = 0; i < 1000 && (await schema.sessions()).length > 0; i++) await sleep(10);
  };
  const databasePath = schema.url.replace('options=', 'options=-c%20idle_in_transaction_session_timeout%3D200%20');
  await expect(importRows([{ name: 'slow', open: input }], { databasePath, isReplacing: false })).rejects.toMatchObject(
    {
      code: 'database-busy',
      hint: expect.stringContaining('idle_in_transaction_session_timeout') as string,
    },
  );
});
