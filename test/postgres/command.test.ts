// The commands on a catalogue in PostgreSQL as a person runs them: import, its mirror and keys as
// on SQLite; and no password in what any command prints.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { playbill, playbillProcess, type Run } from '../support/cli/run.ts';
import { GOOD_ROWS } from '../support/database-rows.ts';
import { newSchema, type OwnSchema } from '../support/postgres/own-schema.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
const file = join(folder, 'rows.ndjson');
const lines = TABLE_NAMES.map((table) => `${JSON.stringify({ table, row: GOOD_ROWS[table] })}\n`);
writeFileSync(file, lines.join(''));

const SECRET = 'hunter2';

let schema: OwnSchema;
/** The same address with a password, which nobody asks for. */
let url = '';
const runs: Run[] = [];
beforeAll(async () => {
  schema = await newSchema();
  url = schema.url.replace('postgres@', `postgres:${SECRET}@`);
  return () => schema.drop();
});

async function run(words: readonly string[], how = playbill): Promise<Run> {
  const result = await how(words);
  runs.push(result);
  expect(result.stdout + result.stderr, words.join(' ')).not.toContain(SECRET);
  return result;
}

test('import, again, --replace and --mirror', async () => {
  const made = await run(['import', file, '--db', url], playbillProcess);
  expect(made, made.stderr).toMatchObject({ status: 0, stderr: '' });
  expect(made.stdout.trimEnd().split('\n').slice(-2)).toEqual([
    `Imported ${lines.length} rows of 21 tables into ${schema.url}, which was created`,
    `Check it with: playbill check-db --db '${schema.url}'`,
  ]);
  const again = await run(['import', file, '--db', url], playbillProcess);
  expect(again.status).toBe(2);
  expect(again.stderr).toContain(`playbill import --replace --db '${schema.url}' FILE.ndjson`);
  expect((await run(['import', file, '--replace', '--db', url], playbillProcess)).status).toBe(0);
  const mirror = await run(['import', file, '--mirror', '--db', url], playbillProcess);
  expect(mirror.stdout).toContain(
    `Mirrored ${lines.length} rows into ${schema.url}: 0 inserted, 0 updated, 0 deleted, `,
  );
  const shrunken = await run(['import', '/dev/null', '--mirror', '--db', url], playbillProcess);
  expect(shrunken.status).toBe(4);
});

describe('keys', () => {
  const out = ['--out', join(folder, 'no-tree')];

  test('are issued, listed and revoked', async () => {
    const to = join(temporaryFolder(), 'key.json');
    const issued = await run(['keys', 'issue', '--front', 'moscow', '--to', to, '--db', url, ...out]);
    expect(issued, issued.stderr).toMatchObject({ status: 0 });
    const { keyid } = JSON.parse(readFileSync(to, 'utf8')) as { keyid: string };
    const stateOf = async (): Promise<unknown> => {
      const { stdout } = await run(['keys', 'list', '--json', '--db', url]);
      const { keys } = JSON.parse(stdout) as { keys: readonly { keyid: string; state: string }[] };
      return keys.find((key) => key.keyid === keyid)?.state;
    };
    expect(await stateOf()).toBe('valid');
    const revoked = await run(['keys', 'revoke', keyid, '--db', url, ...out]);
    expect(revoked).toMatchObject({ status: 0 });
    expect(await stateOf()).toBe('revoked');
    // A key that is revoked stays so from the earlier instant on.
    expect((await run(['keys', 'revoke', keyid, '--at', '2099-01-01T00:00:00Z', '--db', url, ...out])).stdout).toBe(
      revoked.stdout,
    );
  });

  test.each([
    ['key-unknown', ['revoke', 'nobody']],
    ['front-unknown', ['issue', '--front', 'nobody']],
    ['key-exists', ['issue', '--front', 'moscow', '--keyid', 'moscow-1']],
  ])('%s', async (code, words) => {
    const { status, stderr } = await run(['keys', ...words, '--db', url, ...out]);
    expect(stderr).toContain(`error ${code}: `);
    expect(status).toBe(2);
  });

  test('stay in the tree while their table shows no row', async () => {
    const tree = ['--db', url, '--out', join(temporaryFolder(), 'out')];
    const build = (hour: string): Promise<Run> => run(['build', ...tree, '--now', `2026-05-01T${hour}:00:00Z`]);
    expect((await build('09')).status).toBe(0);
    await schema.client.query('CREATE TABLE their_keys AS SELECT * FROM front_keys; DELETE FROM front_keys');
    expect(await build('10')).toMatchObject({ status: 4, stdout: expect.stringContaining('keys-vanished') });
    expect(readFileSync(join(tree[3] ?? '', 'edge/keyring.json'), 'utf8')).toContain('"moscow-1"');
    await schema.client.query('INSERT INTO front_keys SELECT * FROM their_keys; DROP TABLE their_keys');
    expect((await build('11')).status).toBe(0);
  });

  test('make no tables, and change no view', async () => {
    await using empty = await newSchema();
    const issue = ['keys', 'issue', '--front', 'moscow', ...out];
    expect((await run([...issue, '--db', empty.url])).stderr).toContain('error contract-table-missing: ');
    await schema.client.query(
      'ALTER TABLE front_keys RENAME TO own_keys; CREATE VIEW front_keys AS SELECT * FROM own_keys',
    );
    const { stderr } = await run([...issue, '--db', url]);
    await schema.client.query('DROP VIEW front_keys; ALTER TABLE own_keys RENAME TO front_keys');
    expect(stderr).toContain(
      `error database-not-writable: front_keys of ${schema.url} does not accept the change: cannot modify`,
    );
    expect(stderr).toContain('hint: where front_keys is a view over your own tables, change those');
  });
});

test('explain says the same in whatever order the links of a product are stored', async () => {
  const explained = (): Promise<Run> =>
    run(['explain', '--front', 'moscow', '--product', 'hamlet', '--at', '2026-05-01T10:00:00Z', '--db', url]);
  await schema.client.query(`INSERT INTO tags (id, slug, name) VALUES (98, 'new', 'New'), (99, 'old', 'Old');
    INSERT INTO categories (id, slug, name_singular, name_plural) VALUES (98, 'new', 'New', 'New');
    INSERT INTO product_tags VALUES (14, 98), (14, 99); INSERT INTO product_categories VALUES (14, 98)`);
  const { stdout } = await explained();
  expect(stdout).toContain('new');
  for (const table of ['product_tags', 'product_categories'])
    await schema.client.query(`CREATE TEMPORARY TABLE old AS SELECT * FROM ${table}; DELETE FROM ${table};
      INSERT INTO ${table} SELECT * FROM old ORDER BY 2 DESC`);
  expect((await explained()).stdout).toBe(stdout);
});

describe('no password is printed', () => {
  test('by commands that read', async () => {
    const tree = join(temporaryFolder(), 'out');
    const built = await run(['build', '--db', url, '--out', tree, '--now', '2026-05-01T09:00:00Z']);
    expect(built, built.stderr).toMatchObject({ status: 0 });
    expect((await run(['export', '--table', 'venues', '--db', url])).stderr).toContain(`from ${schema.url}\n`);
    expect((await run(['check-db', '--db', url])).status).toBe(0);
    await schema.client.query("UPDATE products SET name = repeat('x', 70000)");
    const held = await run(['build', '--db', url, '--out', tree, '--now', '2026-05-01T10:00:00Z']);
    expect(held.stdout).toContain(`playbill check-db --db '${schema.url}'`);
    const slugs = await schema.client.query('SELECT slug FROM products ORDER BY id LIMIT 1');
    const explained = await run(['explain', '--front', 'moscow', '--product', String(slugs[0]?.['slug']), '--db', url]);
    expect(explained.stdout).toContain(`playbill check-db --db '${schema.url}'`);
    for (const report of ['sarif', 'junit']) await run(['check-db', '--report', report, '--db', url]);
    await run(['check-db', '--all', '--db', url]);
  });

  test('by errors and help', async () => {
    await run(['export', '--db', url.replace(schema.name, 'no_such_schema')]);
    await run(['export', '--db', url.replace(/:\d+\//, ':1/')]);
    await run(['import', join(folder, 'none.ndjson'), '--db', url], playbillProcess);
    const environment = { PLAYBILL_DB: url };
    for (const command of ['build', 'import', 'keys'])
      await run([command, '--help'], (words) => playbillProcess(words, environment));
    await run(['keys', 'revoke', 'nobody'], (words) => playbill(words, environment));
    expect(runs.length).toBeGreaterThan(20);
  });
});
