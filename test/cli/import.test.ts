// `playbill import` as a person runs it: files in; stdout, exit code, and a catalogue, or none.

import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import { mirrorResultSchema, rowsResultSchema } from '../../src/contract/results/import.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { compiledCommand } from '../support/compiled.ts';

const folder = temporaryFolderOfFile();
const demo = join(folder, 'demo.ndjson');
const demoLines = [...demoRows('2026-05-01T09:00:00Z')].map((line) => JSON.stringify(line));
writeFileSync(demo, `${demoLines.join('\n')}\n`);

const venue = (id: number): string =>
  `${JSON.stringify({ table: 'venues', row: { id, name: 'Main stage', timezone: 'Europe/Berlin' } })}\n`;

function venuesIn(path: string): number {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return Number(database.prepare('SELECT count(*) FROM venues').pluck().get());
  } finally {
    database.close();
  }
}

test('a new catalogue: a table of rows, and how to check it', async () => {
  const path = join(temporaryFolder(), 'new/catalogue.sqlite');
  const { status, stdout, stderr } = await playbillProcess(['import', demo, '--db', path]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^table +rows\nfronts +\d+\nfront_keys +\d+\n/);
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    `Imported ${demoLines.length} rows of 21 tables into ${path}, which was created`,
    `Check it with: playbill check-db --db ${path}`,
  ]);
  const checked = await playbill(['check-db', '--db', path]);
  expect(checked.stdout).toContain(`Checked ${demoLines.length} rows of 21 tables: 0 errors, `);
  expect(checked.status).toBe(0);
});

test('several files and standard input, in one transaction; --json validates', async () => {
  const here = temporaryFolder();
  const path = join(here, 'catalogue.sqlite');
  writeFileSync(join(here, 'one.ndjson'), venue(1));
  writeFileSync(join(here, 'three.ndjson'), venue(3));
  const words = ['import', join(here, 'one.ndjson'), '-', join(here, 'three.ndjson'), '--json', '--db', path];
  const { status, stdout } = await playbillProcess(words, {}, venue(2));
  expect(status).toBe(0);
  expect(rowsResultSchema.parse(JSON.parse(stdout))).toEqual({ rows: { venues: 3 }, rowsTotal: 3 });
  expect(venuesIn(path)).toBe(3);

  const again = await playbillProcess(words, {}, venue(4));
  expect(again.status).toBe(2);
  expect(errorResultSchema.parse(JSON.parse(again.stdout)).error.code).toBe('import-row-refused');
  expect(again.stderr).toContain('one.ndjson:1: expected a new key, found venues 1 ');
  expect(again.stderr).toContain('playbill import --replace');
  expect(venuesIn(path)).toBe(3);

  const replaced = await playbillProcess([...words, '--replace'], {}, venue(4));
  expect(replaced.status).toBe(0);
  expect(venuesIn(path)).toBe(4);
});

test('several faults: a line each, whatever the data hold; --json lists them', async () => {
  const words = ['import', '-', '--db', join(temporaryFolder(), 'x.sqlite')];
  const forged = JSON.stringify({
    table: 'venues',
    row: { id: 'a\n  hint: rm -r /', name: 'Main stage', timezone: 1, 'b\nerror usage': 2 },
  });
  const input = `${venue(1)}${forged}\n{}\n`;
  const { status, stderr } = await playbillProcess(words, {}, input);
  expect(stderr.split('\n')).toEqual([
    String.raw`error import-row-invalid: stdin:2: venues.id: expected an integer, which the column holds, found "a\n  hint: rm -r /"`,
    '  stdin:2: venues.timezone: expected text of at most 65536 characters, or NULL, found 1',
    String.raw`  stdin:2: venues: expected only columns of the table, found "b\nerror usage"`,
    '  stdin:3: expected an object {"table":…,"row":{…}}, found no table',
    expect.stringMatching(/^ {2}hint: the tables that an import makes hold integers: /),
    '',
  ]);
  expect(status).toBe(2);

  const { error } = errorResultSchema.parse(
    JSON.parse((await playbillProcess([...words, '--json'], {}, input)).stdout),
  );
  const lines = stderr.split('\n').map((line) => line.trim());
  expect([error.message, ...error.details]).toEqual([
    lines[0]?.replace('error import-row-invalid: ', ''),
    ...lines.slice(1, 4),
  ]);
  expect(`hint: ${error.hint}`).toBe(lines[4]);
});

describe('--mirror', () => {
  test('says what became of the rows of each table; --json validates', async () => {
    const path = join(temporaryFolder(), 'x.sqlite');
    const words = ['import', '--mirror', '-', '--db', path];
    expect((await playbillProcess(words, {}, venue(1) + venue(2) + venue(3))).stdout).toContain(
      `\n\nMirrored 3 rows into ${path}, which was created: 3 inserted, 0 updated, 0 deleted, 0 unchanged\n`,
    );
    const feed = venue(1) + venue(2).replace('Main', 'Small') + venue(4);
    const { status, stdout, stderr } = await playbillProcess(words, {}, feed);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^table +inserted +updated +deleted +unchanged$/),
      expect.stringMatching(/^venues +1 +1 +1 +1$/),
      '',
      `Mirrored 3 rows into ${path}: 1 inserted, 1 updated, 1 deleted, 1 unchanged`,
      `Check it with: playbill check-db --db ${path}`,
      '',
    ]);
    const json = await playbillProcess([...words, '--json'], {}, feed);
    const venues = { inserted: 0, updated: 0, deleted: 0, unchanged: 3 };
    const expected = { tables: { venues }, total: venues, keysLeftAlone: 0, guards: [] };
    expect(mirrorResultSchema.parse(JSON.parse(json.stdout))).toEqual(expected);
  });

  test('says how many keys it has left alone', async () => {
    const path = join(temporaryFolder(), 'x.sqlite');
    await playbillProcess(['import', demo, '--db', path]);
    const feed = demoLines.filter((line) => !line.includes('"front_keys"')).join('\n');
    const { stdout } = await playbillProcess(['import', '--mirror', '-', '--db', path], {}, feed);
    expect(stdout).toMatch(
      /\nMirrored .* 0 updated, 0 deleted, .*\nKeys of fronts, kept because the files have none: \d+\n/,
    );
  });

  test('a feed from before a revocation does not end it', async () => {
    const path = join(temporaryFolder(), 'x.sqlite');
    await playbillProcess(['import', demo, '--db', path]);
    const before = await playbillProcess(['export', '--db', path]);
    const keyid = 'berlin-web';
    await playbillProcess([
      'keys',
      'revoke',
      keyid,
      '--at',
      '2026-05-01T09:00:00Z',
      '--db',
      path,
      '--out',
      join(path, '..', 'none'),
    ]);
    const mirror = (feed: string) => playbillProcess(['import', '--mirror', '-', '--db', path], {}, feed);
    for (const later of ['', '"revoked_at":"2026-05-01T09:00:01Z",']) {
      const refused = await mirror(before.stdout.replace(`"keyid":"${keyid}",`, `$&${later}`));
      expect(refused.stderr).toContain(
        `front_keys ${keyid}: expected revoked_at to be 2026-05-01T09:00:00Z or earlier, as in the catalogue`,
      );
      expect(refused.status).toBe(2);
    }
    const after = await playbillProcess(['export', '--db', path]);
    expect(after.stdout).not.toBe(before.stdout);
    expect((await mirror(after.stdout)).status).toBe(0);
    expect((await playbillProcess(['export', '--db', path])).stdout).toBe(after.stdout);
  });

  test('an input that has broken off: exit 4, and what to type', async () => {
    const path = join(temporaryFolder(), 'x.sqlite');
    const words = ['import', '--mirror', '-', '--db', path];
    await playbillProcess(words, {}, venue(1) + venue(2) + venue(3));
    const refused = await playbillProcess(words, {}, venue(1));
    expect(refused.stderr).toBe(
      'error import-shrinks: venues: expected at most 50% of the rows to go, found 2 of 3 that are not in the input\n' +
        `  hint: check that the input is complete; if these rows are to go: playbill import --mirror --allow max-shrink --db ${path} FILE.ndjson\n`,
    );
    expect(refused.status).toBe(4);
    expect(venuesIn(path)).toBe(3);
    expect((await playbillProcess([...words, '--max-shrink', '67%'], {}, venue(1))).status).toBe(0);
    expect(venuesIn(path)).toBe(1);
    await playbillProcess(words, {}, venue(1) + venue(2) + venue(3));
    const guard = 'venues: expected at most 50% of the rows to go, found 2 of 3 that are not in the input';
    const copy = join(temporaryFolder(), 'copy.sqlite');
    copyFileSync(path, copy);
    const copied = await playbillProcess(
      ['import', '--mirror', '-', '--db', copy, '--allow', 'max-shrink', '--json'],
      {},
      venue(1),
    );
    expect(JSON.parse(copied.stdout).guards).toEqual([{ code: 'max-shrink', message: guard, isOverridden: true }]);
    const allowed = await playbillProcess([...words, '--allow', 'max-shrink'], {}, venue(1));
    expect(allowed.stdout).toContain(`\noverridden max-shrink: ${guard}\n`);
    expect(allowed.status).toBe(0);
    expect((await playbillProcess([...words, '--allow', 'max-shrink'], {}, '')).status).toBe(0);
    expect(venuesIn(path)).toBe(0);
  });

  test.each(['import x', 'build'])(
    '%s: the flag that --allow has replaced is answered with what to type',
    async (words) => {
      const { status, stderr } = await playbillProcess([...words.split(' '), '--allow-shrink']);
      expect(stderr).toMatch(
        /^error usage: unknown option '--allow-shrink'.*\n  hint: type --allow max-shrink; see playbill /,
      );
      expect(status).toBe(2);
    },
  );

  test.each([
    ['--replace', ['--mirror', '--replace'], 'expected --mirror or --replace, found both', 'type --mirror alone'],
    ['--max-shrink alone', ['--max-shrink', '5%'], 'expected --mirror with --max-shrink', '--mirror --max-shrink'],
    [
      '--allow max-shrink alone',
      ['--allow', 'max-shrink'],
      'expected --mirror with --allow max-shrink',
      '--mirror --allow max-shrink',
    ],
    [
      '--allow max-shrink and --replace',
      ['--allow', 'max-shrink', '--replace'],
      'expected --mirror with',
      '--mirror --allow max-shrink',
    ],
  ])('is refused with %s', async (_case, flags, message, hint) => {
    const here = temporaryFolder();
    const { status, stderr } = await playbillProcess(['import', '-', ...flags, '--db', join(here, 'x.sqlite')]);
    expect(stderr).toMatch(/^error usage: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(status).toBe(2);
    expect(readdirSync(here)).toEqual([]);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'stopped by %s it leaves what was, and the next completes it',
    async (signal) => {
      const path = join(temporaryFolder(), 'x.sqlite');
      const words = ['import', '--mirror', '-', '--db', path];
      await playbillProcess(words, {}, venue(1) + venue(2));
      const child = spawn(process.execPath, [compiledCommand(), ...words], { stdio: ['pipe', 'ignore', 'ignore'] });
      const ended = new Promise((resolve) => child.on('close', (status, by) => resolve(by ?? status)));
      child.stdin.write(venue(2) + venue(3));
      const other = new Database(path, { timeout: 0 });
      const isLocked = (): boolean => {
        try {
          other.exec('BEGIN IMMEDIATE; ROLLBACK');
          return false;
        } catch {
          return true;
        }
      };
      while (!isLocked()) await sleep(20);
      child.kill(signal);
      expect(await ended).toBe(signal);
      expect(isLocked()).toBe(false);
      expect(other.prepare('SELECT id FROM venues').pluck().all()).toEqual([1, 2]);
      other.close();
      await playbillProcess(words, {}, venue(2) + venue(3));
      expect(venuesIn(path)).toBe(2);
    },
  );
});

describe('exit 2, and nothing is made', () => {
  test.each([
    ['a line is no JSON', 'rubbish\n', 'error import-line-invalid: stdin:2: expected an object '],
    [
      'a row is wrong',
      '{"table":"venues","row":{"id":2}}\n',
      'error import-row-invalid: stdin:2: venues.name: expected ',
    ],
    ['a row is refused', venue(1), 'error import-row-refused: stdin:2: expected a new key, '],
    [
      'a line is nested 100,000 deep',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
      `error import-line-invalid: stdin:2: expected an object {"table":…,"row":{…}}, found ${'['.repeat(77)}…\n`,
    ],
    [
      'a value is nested 100,000 deep',
      `{"table":"venues","row":{"id":2,"name":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)},"timezone":"UTC"}}\n`,
      `error import-row-invalid: stdin:2: venues.name: expected text of at most 65536 characters, found ${'{"a":'.repeat(15)}{"…\n`,
    ],
    [
      'a table is nested 100,000 deep',
      `{"table":${'['.repeat(100_000)}${']'.repeat(100_000)},"row":{}}\n`,
      'error import-line-invalid: stdin:2: ',
    ],
    [
      'an id dangles',
      '{"table":"product_tags","row":{"product_id":1,"tag_id":1}}\n',
      'error import-row-refused: product_tags 1,1: ',
    ],
  ])('where %s', async (_case, line, message) => {
    const here = temporaryFolder();
    const { status, stdout, stderr } = await playbillProcess(
      ['import', '-', '--db', join(here, 'x.sqlite')],
      {},
      venue(1) + line,
    );
    expect(stderr).toContain(message);
    expect(stderr).toContain('\n  hint: ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expect(readdirSync(here)).toEqual([]);
  });

  test.each([
    ['a file is missing', ['gone.ndjson'], 'error import-file-unreadable: '],
    ['a file is a folder', ['src'], 'error import-file-unreadable: '],
    ['no file is named', [], 'error usage: '],
    ['an option is unknown', ['-', '--overwrite'], 'error usage: '],
  ])('where %s', async (_case, words, message) => {
    const here = temporaryFolder();
    const { status, stdout, stderr } = await playbillProcess(['import', ...words, '--db', join(here, 'x.sqlite')]);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expect(readdirSync(here)).toEqual([]);
  });

  test('where it is packed: the hint unpacks it, into the same database', async () => {
    const here = temporaryFolder();
    const packed = join(here, 'rows.ndjson.gz');
    writeFileSync(packed, gzipSync(venue(1)));
    const { status, stderr } = await playbillProcess(['import', packed, '--db', join(here, 'x.sqlite')]);
    expect(stderr).toBe(
      `error import-file-unreadable: expected rows as text in ${packed}, found gzip\n` +
        `  hint: unpack it: zcat FILE | playbill import - --db ${join(here, 'x.sqlite')}\n`,
    );
    expect(status).toBe(2);
  });

  test('where a line is no JSON, only the number of that line is given', async () => {
    const { stderr } = await playbillProcess(
      ['import', '-', '--db', join(temporaryFolder(), 'x.sqlite')],
      {},
      '\n{"a":1,}\n',
    );
    expect(stderr).toMatch(/^error import-line-invalid: stdin:2: .* at position 7\n/);
  });

  test('where the table is a view: what can be done instead', async () => {
    const path = join(temporaryFolder(), 'views.sqlite');
    await playbillProcess(['import', '-', '--db', path], {}, venue(1));
    const database = new Database(path);
    database.exec(
      'PRAGMA legacy_alter_table = ON; ALTER TABLE tags RENAME TO own; CREATE VIEW tags AS SELECT * FROM own',
    );
    database.close();
    const tag = '{"table":"tags","row":{"id":1,"slug":"new","name":"New"}}\n';
    const { stderr } = await playbillProcess(['import', '-', '--db', path], {}, tag);
    expect(stderr).toContain(
      '\n  hint: views take no rows: your own system writes the tables behind them, or import into a file of its own with --db\n',
    );
  });

  test('where another writer holds the catalogue', async () => {
    const path = join(temporaryFolder(), 'busy.sqlite');
    await playbillProcess(['import', '-', '--db', path], {}, venue(1));
    const writer = new Database(path);
    writer.exec('BEGIN IMMEDIATE');
    const { status, stderr } = await playbillProcess(['import', '-', '--db', path], {}, venue(2));
    writer.close();
    expect(stderr).toContain('error database-busy: ');
    expect(status).toBe(75);
    expect(venuesIn(path)).toBe(1);
  });
});

/** An import into `here` that has begun to make the catalogue, and waits for more. */
async function waitingImport(here: string) {
  const words = [compiledCommand(), 'import', '-', '--db', join(here, 'x.sqlite')];
  const before = readdirSync(here);
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise((resolve) => child.on('close', (status, by) => resolve(by ?? status)));
  child.stdin.write(venue(1));
  const ownNames = (): string[] => readdirSync(here).filter((name) => !before.includes(name));
  const isBegun = (): boolean => ownNames().some((name) => readdirSync(join(here, name)).includes('catalogue.sqlite'));
  while (!isBegun()) await sleep(20);
  return { child, ended, said: () => said, folder: ownNames()[0] ?? '' };
}

test.each(['SIGINT', 'SIGTERM'] as const)('an import stopped by %s leaves nothing', async (signal) => {
  const here = temporaryFolder();
  const { child, ended, said } = await waitingImport(here);
  child.kill(signal);
  expect(await ended).toBe(signal);
  expect(said()).toBe(`interrupted by ${signal}: nothing was imported; the database is as it was\n`);
  expect(readdirSync(here)).toEqual([]);
});

test('what killed first imports leave is swept by the next; what another is making, and what is not ours, is not', async () => {
  const here = temporaryFolder();
  const killed = await waitingImport(here);
  killed.child.kill('SIGKILL');
  expect(await killed.ended).toBe('SIGKILL');
  expect(readdirSync(here)).toEqual([killed.folder]);

  const running = await waitingImport(here);
  expect(readdirSync(here)).toEqual([running.folder]);

  // Killed before it could lock its folder; and what others keep beside the catalogue.
  mkdirSync(join(here, 'x.sqlite.import-aBcD12'));
  const others = ['x.sqlite.backup', 'x.sqlite.import-Backup', 'y.sqlite.import-aBcD12'];
  for (const name of others) mkdirSync(join(here, name));
  writeFileSync(join(here, 'x.sqlite.import-Backup/notes.txt'), 'mine');
  const next = await playbillProcess(['import', '-', '--db', join(here, 'x.sqlite')], {}, venue(2));
  expect(next.stderr).toBe('');
  expect(readdirSync(here).sort()).toEqual(['x.sqlite', ...others, running.folder].sort());

  // Swept also where there is a catalogue by now.
  running.child.kill('SIGKILL');
  await running.ended;
  await playbillProcess(['import', '-', '--db', join(here, 'x.sqlite')], {}, venue(3));
  expect(readdirSync(here).sort()).toEqual(['x.sqlite', ...others].sort());
  expect(venuesIn(join(here, 'x.sqlite'))).toBe(2);
});

test('an import that another has overtaken is refused, and takes its folder along', async () => {
  const here = temporaryFolder();
  const running = await waitingImport(here);
  await playbillProcess(['import', '-', '--db', join(here, 'x.sqlite')], {}, venue(2));
  running.child.stdin.end(venue(3));
  expect(await running.ended).toBe(2);
  expect(readdirSync(here)).toEqual(['x.sqlite']);
  expect(venuesIn(join(here, 'x.sqlite'))).toBe(1);
});

test('help shows how', async () => {
  const { status, stdout } = await playbillProcess(['import', '--help']);
  expect(status).toBe(0);
  expect(stdout).toContain('{"table":"venues","row":{"id":1,"name":"Stage","timezone":"Europe/Berlin"}}');
  expect(stdout).toContain('playbill import rows.ndjson');
});
