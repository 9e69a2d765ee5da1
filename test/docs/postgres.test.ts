// data/postgres.md, typed from top to bottom: its tables are made and filled with the demo, its
// views and role created as they stand there, and its blocks for the shell run in order, against a
// server that asks for passwords. Put in are hosts and ports; and the pooler's recipe.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { findingsResultSchema } from '../../src/contract/results/check.ts';
import { fillBoxOffice } from '../support/docs/box-office.ts';
import { fillPostgresBoxOffice } from '../support/docs/postgres-box-office.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { freePort } from '../support/edge/runtimes/runtime.ts';
import { Command } from '../support/fault/command.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { Pooler } from '../support/postgres/pooler.ts';
import { run } from '../support/recipe.ts';
import { filesOf, temporaryFolderOfFile } from '../support/trees.ts';

const guideAt = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../data/${name}`, import.meta.url)), 'utf8');
const guide = guideAt('postgres.md');
/** The server answers by the clock. */
const NOW = new Date().toISOString().replace(/\.\d+/, '');
const PASSWORD = 'correct horse';
const work = temporaryFolderOfFile();
const command = new Command();
const bare = { PATH: `${command.folderForPath}:${process.env['PATH'] ?? ''}`, HOME: work };

const issuedSchema = z.looseObject({ keyid: z.string() });

let cluster: Cluster;
let port: number;
let terminal: ChildProcess;
/** What the first terminal has printed. */
let printed = '';

function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);
}

/**
 * The blocks for the shell as somebody with this server would type them; the last is for another
 * terminal.
 */
function typed(): readonly string[] {
  return blocks(guide, 'sh').map((block) =>
    block.replaceAll('db.example:5432', `127.0.0.1:${cluster.port}`).replaceAll('8080', String(port)),
  );
}

/** For the operator of the server, who may make roles. */
const ADMIN = 'its superuser';
const adminUrl = (database: string): string =>
  `postgres://postgres:${encodeURIComponent(ADMIN)}@127.0.0.1:${cluster.port}/${database}`;

/** A block of SQL, as the operator types it. */
async function typedToServer(block: string): Promise<void> {
  const words = ['psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--command=${block}`, adminUrl('shop')];
  expect(await run(words, bare)).toMatchObject({ status: 0, stderr: '' });
}

/** A block of the guide with the SQL of box-office.sql or own-schema.md in the place of the comment that names it. */
function withShared(block: string): string {
  const text = `${guideAt('box-office.sql')}\n${guideAt('own-schema.md')}`;
  return block.replace(/^-- Here, as in (?:box-office\.sql|own-schema\.md): ([^.]*)\.$/m, (_, names: string) =>
    names
      .split(/[,\s-]+/)
      .map((name) => new RegExp(`^CREATE (?:TABLE|VIEW) ${name} [^;]*;$`, 'm').exec(text)?.[0] ?? `missing: ${name}`)
      .join('\n'),
  );
}

/** The box office of own-schema.md with the demo, in SQLite. */
function boxOfficeInSqlite(ours: Database.Database): Database.Database {
  const theirs = new Database(':memory:');
  const tables = guideAt('box-office.sql');
  theirs.exec(tables);
  fillBoxOffice(ours, theirs);
  return theirs;
}

beforeAll(async () => {
  cluster = await Cluster.start({ auth: 'scram-sha-256', password: ADMIN });
  port = await freePort();
  const [tables = '', views = ''] = blocks(guide, 'sql');
  const admin = new pg.Client({ connectionString: adminUrl('postgres') });
  await admin.connect();
  await admin.query('CREATE DATABASE shop');
  await admin.end();
  await typedToServer(withShared(tables));
  const ours = new Database(demoCatalogueAt(`${work}/ours.sqlite`, NOW), { readonly: true });
  const client = new pg.Client({ connectionString: adminUrl('shop') });
  await client.connect();
  await fillPostgresBoxOffice(ours, boxOfficeInSqlite(ours), client);
  await typedToServer(withShared(views));
  const keys = JSON.stringify(ours.prepare('SELECT * FROM front_keys').all());
  await client.query(
    'INSERT INTO storefront.front_keys SELECT * FROM json_populate_recordset(NULL::storefront.front_keys, $1)',
    [keys],
  );
  await client.end();
  ours.close();

  const script = typed().slice(0, -1).join('');
  // A group of its own, to be ended with what it runs.
  terminal = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: work, env: bare, detached: true });
  for (const stream of [terminal.stdout, terminal.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const answered = vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 300_000 });
  const ended = once(terminal, 'exit').then(() => Promise.reject(new Error(`the session has ended:\n${printed}`)));
  await Promise.race([answered, ended]);
  ended.catch(() => undefined);
});

afterAll(async () => {
  if (terminal.pid !== undefined && terminal.exitCode === null) {
    const ended = once(terminal, 'exit');
    process.kill(-terminal.pid);
    await ended;
  }
  await cluster.stop();
});

test('from the guide alone: a check without a finding, a build, a key, a signed request answered', async () => {
  expect(printed).toMatch(/^Checked \d+ rows of 21 tables: 0 errors, 3 warnings$/m);
  expect(printed).toMatch(/^Published 13 of 13 fronts /m);
  const { status, stdout, stderr } = await run(['bash', '-e', '-o', 'pipefail', '-c', typed().at(-1) ?? ''], bare, {
    cwd: work,
  });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
  expect(printed + stdout + stderr).not.toContain(PASSWORD);
});

const environment = { PGPASSWORD: PASSWORD };
const direct = (): string => `postgres://playbill@127.0.0.1:${cluster.port}/shop?options=-csearch_path%3Dstorefront`;

test('every table but front_keys is a view, and no more is found in them than in the demo', async () => {
  const { stdout } = await command.run(['check-db', '--db', direct(), '--json'], { environment });
  const { checked, findings } = findingsResultSchema.parse(JSON.parse(stdout));
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['currency-untiered']));
  expect(Object.keys(checked)).toHaveLength(21);
  const [, views = ''] = blocks(guide, 'sql');
  expect(withShared(views).match(/^CREATE VIEW \w+ AS$/gm)).toHaveLength(20);
});

test('the tree is that of the same catalogue in SQLite, byte for byte: also through a pooler, by the recipe', async () => {
  const [, , alterRole = '', ...rest] = blocks(guide, 'sql');
  expect(rest).toEqual([]);
  await typedToServer(alterRole);
  await using pooler = await Pooler.start({ port: cluster.port, database: 'shop', users: { playbill: PASSWORD } });
  // The key that was issued is in PostgreSQL alone.
  const { keyid } = issuedSchema.parse(JSON.parse(readFileSync(`${work}/moscow.key.json`, 'utf8')));
  await typedToServer(`DELETE FROM storefront.front_keys WHERE keyid = '${keyid}'`);
  const trees = [];
  for (const [i, db] of [
    `${work}/ours.sqlite`,
    direct(),
    `postgres://playbill@127.0.0.1:${pooler.port}/shop`,
  ].entries()) {
    const { code, stderr } = await command.run(['build', '--db', db, '--out', `${work}/tree-${i}`, '--now', NOW], {
      environment,
    });
    expect(code, stderr).toBe(0);
    trees.push(filesOf(`${work}/tree-${i}`));
  }
  const [fromSqlite, ...others] = trees;
  expect(fromSqlite?.size).toBeGreaterThan(50);
  expect(others).toEqual([fromSqlite, fromSqlite]);
});
