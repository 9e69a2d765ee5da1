// PGlite behind a port is a PostgreSQL as far as one client at a time can tell: the driver
// connects, and no client finds anything of the one before.

import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PgliteServer } from '../support/postgres/pglite-server.ts';
import { settingsIn, wholeMessagesIn } from '../support/postgres/wire.ts';

let server: PgliteServer;
beforeAll(async () => {
  server = await PgliteServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

async function connected(config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url, ...config });
  client.on('error', () => undefined);
  // A test that fails must not keep the next ones waiting.
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

const SETTINGS = "SELECT current_setting('search_path') AS path, current_setting('application_name') AS name";

test('it is PostgreSQL, and says which', async () => {
  const client = await connected();
  const { rows } = await client.query('SELECT version()');
  expect(rows).toEqual([{ version: expect.stringMatching(/^PostgreSQL \d+\.\d+ \(PGlite/) as string }]);
  await client.end();
});

test('a client starts with the settings that it names', async () => {
  const options = String.raw`-csearch_path=a,\ b -c statement_timeout=5s`;
  const client = await connected({ options, application_name: 'playbill' });
  expect((await client.query(SETTINGS)).rows).toEqual([{ path: 'a, b', name: 'playbill' }]);
  expect((await client.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '5s' }]);
  await client.end();
});

test('a setting that there is not ends the connection with its code, and the next one is served', async () => {
  await expect(connected({ options: '-c no_such=1' })).rejects.toMatchObject({ code: '42704' });
  await expect(connected({ options: '-c statement_timeout=soon' })).rejects.toMatchObject({ code: '22023' });
  await (await connected()).end();
});

test('an error leaves the connection usable, in simple and in prepared queries', async () => {
  const client = await connected();
  await expect(client.query('SELEC 1')).rejects.toMatchObject({ code: '42601' });
  await expect(client.query('SELECT $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
  expect((await client.query('SELECT $1::int AS one', ['1'])).rows).toEqual([{ one: 1 }]);
  await client.end();
});

test('a message of several packets arrives whole', async () => {
  const client = await connected();
  const long = 'x'.repeat(3_000_000);
  expect((await client.query('SELECT length($1::text), $1::text AS long', [long])).rows).toEqual([
    { length: 3_000_000, long },
  ]);
  await client.end();
});

describe('a client finds nothing of the one before', () => {
  const endings: [string, (client: pg.Client) => Promise<unknown>][] = [
    ['says goodbye', (client) => client.end()],
    ['says goodbye in a failed transaction', (client) => client.query('BEGIN; SELECT 1/0').catch(() => client.end())],
    ['vanishes', async (client) => client.connection.stream.destroy()],
  ];

  test.each(endings)('that %s', async (_, end) => {
    const first = await connected({ application_name: 'first' });
    await first.query('DROP TABLE IF EXISTS kept; CREATE TABLE kept (x int)');
    await first.query(
      'BEGIN; SET search_path = public, other; CREATE TEMPORARY TABLE of_session (x int); INSERT INTO kept VALUES (1)',
    );
    await first.query({ name: 'prepared', text: 'SELECT 1' });
    const waiting = connected();
    await end(first);
    const second = await waiting;
    expect((await second.query(SETTINGS)).rows).toEqual([{ path: 'public', name: '' }]);
    const left =
      "SELECT (SELECT count(*)::int FROM kept) AS rows, (SELECT count(*)::int FROM pg_prepared_statements) AS statements, to_regclass('of_session') AS own";
    expect((await second.query(left)).rows).toEqual([{ rows: 0, statements: 0, own: null }]);
    await second.end();
  });
});

test('the next client waits until the one before has ended', async () => {
  const first = await connected();
  let isServed = false;
  const waiting = connected().then((client) => {
    isServed = true;
    return client;
  });
  for (let i = 0; i < 20; i++) await first.query('SELECT 1');
  expect(isServed).toBe(false);
  await first.end();
  await (await waiting).end();
});

test('who connects and says nothing keeps nobody waiting', async () => {
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  await (await connected()).end();
  silent.destroy();
});

test('a COPY that PGlite cannot do ends the connection, and nothing else', async () => {
  const client = await connected();
  await client.query('CREATE TEMPORARY TABLE rows (x int)');
  await expect(client.query('COPY rows FROM STDIN')).rejects.toThrow('cannot COPY FROM STDIN');
  await (await connected()).end();
});

test('encryption is refused, so that who insists on it goes', async () => {
  await expect(connected({ ssl: true })).rejects.toThrow('The server does not support SSL connections');
});

describe('the messages of the protocol', () => {
  const query = Buffer.from('Q\0\0\0\x06x\0', 'latin1');
  const goodbye = Buffer.from('X\0\0\0\x04', 'latin1');

  test.each<[string, Buffer, ReturnType<typeof wholeMessagesIn>]>([
    ['nothing', Buffer.alloc(0), { length: 0, isLast: false }],
    ['half a head', query.subarray(0, 3), { length: 0, isLast: false }],
    ['one and a half', Buffer.concat([query, query.subarray(0, 6)]), { length: 7, isLast: false }],
    ['two', Buffer.concat([query, query]), { length: 14, isLast: false }],
    ['one and a goodbye', Buffer.concat([query, goodbye, query]), { length: 7, isLast: true }],
  ])('%s', (_, bytes, expected) => {
    expect(wholeMessagesIn(bytes)).toEqual(expected);
  });

  test.each([
    ['-csearch_path=shop', [['search_path', 'shop']]],
    [
      '-c search_path=a,b  --lock-timeout=5',
      [
        ['search_path', 'a,b'],
        ['lock_timeout', '5'],
      ],
    ],
    [String.raw`-c a=b\ c\\d=e`, [['a', String.raw`b c\d=e`]]],
    ['', []],
  ])('the options %j', (options, expected) => {
    expect(settingsIn(options)).toEqual(expected);
  });

  test('options that are none are refused', () => {
    expect(() => settingsIn('-x 1')).toThrow('expected -c name=value in the options, found -x');
  });
});
