// A query of a view in PostgreSQL that never ends: a signal ends the command, --read-timeout the
// build, and soon the server ends the query.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockFile } from '../../src/file-lock.ts';
import { Command, errorCodeOf, type RunOptions } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { copyCatalogue } from '../support/postgres/copy.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const base = join(folder, 'base');
let schema: OwnSchema;

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
  const path = catalogueAt(join(folder, 'catalogue.sqlite'), rows);
  await buildTree(path, base, instant(NOW));
  schema = await newSchema();
  await copyCatalogue(path, schema, 'contract');
  await schema.client.query(`ALTER TABLE tags RENAME TO own_tags;
    CREATE VIEW tags AS SELECT own_tags.* FROM own_tags, (
      WITH RECURSIVE numbers(n) AS (SELECT 1::bigint UNION ALL SELECT n + 1 FROM numbers) SELECT count(*) FROM numbers
    ) AS endless`);
});
afterAll(() => schema.drop());

/** How many queries the server runs for a command. */
async function queriesOf(name: string): Promise<number> {
  const text = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND state = 'active'`;
  const [row] = await schema.client.query(text, [name]);
  return Number(row?.['n']);
}

const named = (name: string): RunOptions => ({ environment: { PGAPPNAME: `${schema.name}-${name}` } });

/** Longer than a command works in one query before the endless one. */
async function expectEndless(name: string): Promise<void> {
  for (let seen = 0; seen < 20; seen += 1) await expect.poll(() => queriesOf(`${schema.name}-${name}`)).toBe(1);
}

async function expectEnded(name: string): Promise<void> {
  await expect.poll(() => queriesOf(`${schema.name}-${name}`)).toBe(0);
}

test.each([
  ['build', 'SIGINT', []],
  ['build', 'SIGTERM', []],
  ['build', 'SIGTERM', ['--read-timeout', '1d']],
  ['check-db', 'SIGINT', []],
  ['export', 'SIGTERM', []],
] as const)('%s is ended by %s %j', async (name, signal, flags) => {
  const tree = copyTree(base, join(temporaryFolder(), 'out'));
  const stamps = stampsOf(tree);
  const out = name === 'build' ? ['--out', tree] : [];
  const running = command.start([name, '--db', schema.url, ...out, ...flags], named(`${name}-${signal}`));
  await expectEndless(`${name}-${signal}`);
  running.child.kill(signal);
  expect(await running.ended).toMatchObject({ code: null, signal, stderr: '' });
  await expectEnded(`${name}-${signal}`);
  const lock = lockFile(join(tree, '.lock'));
  expect(lock).toMatchObject({ kind: 'taken' });
  if (lock.kind === 'taken') lock.release();
  expect(stampsOf(tree)).toEqual(stamps);
});

test('--read-timeout ends a build that does not finish reading', async () => {
  const tree = copyTree(base, join(temporaryFolder(), 'out'));
  const stamps = stampsOf(tree);
  const words = ['build', '--db', schema.url, '--out', tree, '--now', NOW, '--json', '--read-timeout', '2s'];
  const run = await command.run(words, named('limited'));
  expect(run, run.stderr).toMatchObject({ code: 75 });
  expect(errorCodeOf(run)).toBe('database-timeout');
  await expectEnded('limited');
  expect(stampsOf(tree)).toEqual(stamps);
});
