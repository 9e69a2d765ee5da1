// Exit code 75: what another attempt may mend. Not what needs a person: a name, a right, a damaged
// file.

import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';

let folder = '';
const out = (): string => join(folder, 'out');
let writer: Database.Database | null = null;

beforeEach(() => {
  folder = temporaryFolder();
  const small = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue(small));
});
afterEach(() => {
  writer?.close();
  writer = null;
});

/** Every command that reads a catalogue. */
const readers = (db: string): readonly (readonly string[])[] => [
  ['build', '--db', db, '--out', out()],
  ['build', '--db', db, '--out', out(), '--shard', '0/1', '--run', 'one'],
  ['check-db', '--db', db],
  ['export', '--db', db],
  ['explain', '--product', 'one', '--front', 'alpha', '--db', db],
  ['keys', 'list', '--db', db],
];

test('a catalogue that a writer has locked', async () => {
  const db = join(folder, 'catalogue.sqlite');
  writer = new Database(db);
  writer.pragma('journal_mode = DELETE');
  writer.exec('BEGIN EXCLUSIVE');
  // At once, in processes of their own: SQLite holds its process up for as long as it waits.
  const runs = await Promise.all(readers(db).map(async (words) => [words[0], await playbillProcess(words)] as const));
  for (const [name, { status, stderr }] of runs)
    expect([name, status, stderr]).toEqual([name, 75, expect.stringContaining('error database-busy: ')]);
});

/** A server that reads what a client sends first, and answers with an error of PostgreSQL. */
async function refusingServer(code: string, message: string): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
      const header = Buffer.from('E\0\0\0\0');
      header.writeUInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([header, fields]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `postgres://reader@127.0.0.1:${port}/shop?sslmode=disable`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test.each([
  ['53300', 'sorry, too many clients already', 'database-busy', 75],
  ['57P03', 'the database system is starting up', 'database-busy', 75],
  ['57014', 'canceling statement due to statement timeout', 'database-busy', 75],
  ['28P01', 'password authentication failed', 'database-unreadable', 2],
  ['3D000', 'database "shop" does not exist', 'database-missing', 2],
])('a server that answers %s, %s', async (sqlState, message, code, exit) => {
  await using server = await refusingServer(sqlState, message);
  for (const words of readers(server.address)) {
    const run = await playbill(words);
    expect([words[0], run.status, run.stderr]).toEqual([words[0], exit, expect.stringContaining(`error ${code}: `)]);
  }
});

test('a server that does not answer', async () => {
  const address = 'postgres://reader@127.0.0.1:9/shop?sslmode=disable';
  for (const words of readers(address)) {
    const run = await playbill(words);
    expect([words[0], run.status, run.stderr]).toEqual([
      words[0],
      75,
      expect.stringContaining('error database-unreachable: '),
    ]);
  }
});
