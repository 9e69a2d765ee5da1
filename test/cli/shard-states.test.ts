// All shards of a run read one state of an SQLite file, or are refused: what is written between
// their starts is never half in a release.

import fs, { appendFileSync, copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { CatalogueFiles } from '../../src/database/sqlite/state.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { releasedFilesOf } from '../support/shards.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const FRONTS = ['alpha', 'bravo', 'charlie', 'delta'];
const folder = temporaryFolderOfFile();
let single: ReadonlyMap<string, string>;

function catalogue(): string {
  const small = { fronts: FRONTS, productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' };
  return catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), smallCatalogue(small));
}

beforeAll(async () => {
  const small = { fronts: FRONTS, productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' };
  const database = catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue(small));
  await well(['build', '--db', database, '--out', join(folder, 'single'), '--now', NOW]);
  single = releasedFilesOf(join(folder, 'single'));
});

async function well(words: readonly string[]): Promise<string> {
  const run = await playbill(words);
  expect(run.status, run.stdout + run.stderr).toBe(0);
  return run.stdout;
}

async function refusal(words: readonly string[]) {
  const { status, stdout } = await playbill([...words, '--json']);
  return { status, ...errorResultSchema.parse(JSON.parse(stdout)).error };
}

const shardWords = (db: string, out: string, shard: string): string[] =>
  `build --db ${db} --out ${out} --now ${NOW} --run r --shard ${shard}`.split(' ');
const finishWords = (out: string): string[] => ['finish', '--out', out, '--run', 'r', '--shards', '2'];

/** Both shards, with something done in between; what finish says. */
async function shardsAround(db: string, meanwhile: () => void): Promise<{ out: string; code: string }> {
  const out = join(temporaryFolder(), 'out');
  await well(shardWords(db, out, '0/2'));
  meanwhile();
  await well(shardWords(db, out, '1/2'));
  const { status, stdout } = await playbill([...finishWords(out), '--json']);
  return { out, code: status === 0 ? 'published' : errorResultSchema.parse(JSON.parse(stdout)).error.code };
}

/** Another process's connection, which keeps what it commits in the log. */
function writerOf(db: string): Database.Database {
  const writer = new Database(db);
  onTestFinished(() => void writer.close());
  writer.pragma('wal_autocheckpoint = 0');
  return writer;
}

const reprice = (writer: Database.Database): void =>
  void writer.exec('update price_tiers set amount_minor = amount_minor + 100');

describe('a copy', () => {
  test('is of one state, in a file that has no log, and gives the release of the catalogue', async () => {
    const db = catalogue();
    const writer = writerOf(db);
    writer.exec("update products set name = name || ''");
    fs.chmodSync(db, 0o640);
    const copy = join(temporaryFolder(), 'copy.sqlite');
    expect(await well(['snapshot', '--to', copy, '--db', db])).toBe(`${copy}\n`);
    expect(statSync(copy).mode & 0o777).toBe(0o640);
    const copied = new Database(copy, { readonly: true });
    onTestFinished(() => void copied.close());
    expect(copied.pragma('journal_mode', { simple: true })).toBe('delete');
    const { out, code } = await shardsAround(copy, () => reprice(writer));
    expect(code).toBe('published');
    expect(releasedFilesOf(out)).toEqual(single);
    const nowhere = await refusal(['snapshot', '--to', join(copy, 'in-a-file.sqlite'), '--db', db]);
    expect(nowhere).toMatchObject({ status: 2, code: 'database-not-writable' });
    const again = await refusal(['snapshot', '--to', copy, '--db', db]);
    expect(again).toMatchObject({ status: 2, code: 'database-exists' });
  });

  test('each in a name of its own: shards of two that differ are refused', async () => {
    const db = catalogue();
    const [one, other] = [join(temporaryFolder(), 'one.sqlite'), join(temporaryFolder(), 'other.sqlite')];
    await well(['snapshot', '--to', one, '--db', db]);
    reprice(writerOf(db));
    await well(['snapshot', '--to', other, '--db', db]);
    const out = join(temporaryFolder(), 'out');
    for (const [which, copy] of [['0/2', one] as const, ['1/2', other] as const])
      await well(shardWords(copy, out, which));
    expect(await refusal(finishWords(out))).toMatchObject({ status: 2, code: 'run-state-differs' });
  });

  test.each([[[]], [['--to', 'x.sqlite', '--hold']]])('%j is no wish', async (flags) => {
    expect(await refusal(['snapshot', ...flags, '--db', catalogue()])).toMatchObject({ status: 2, code: 'usage' });
  });

  test('of a catalogue on a server there is none', async () => {
    const found = await refusal(['snapshot', '--to', 'x.sqlite', '--db', 'postgres://localhost/box']);
    expect(found).toMatchObject({ status: 2, code: 'usage', hint: expect.stringContaining('--hold') });
  });

  test('of no catalogue leaves nothing', async () => {
    const target = temporaryFolder();
    const words = ['snapshot', '--to', join(target, 'copy.sqlite'), '--db', join(target, 'none.sqlite')];
    expect(await refusal(words)).toMatchObject({ status: 2, code: 'database-missing' });
    expect([...filesOf(target).keys()]).toEqual([]);
  });
});

describe('a file that another process has open', () => {
  test.each([
    ['it has committed before both', reprice, () => undefined],
    ['it has committed nothing', () => undefined, () => undefined],
  ])('%s: one release', async (_, before, meanwhile) => {
    const db = catalogue();
    const writer = writerOf(db);
    before(writer);
    const { out, code } = await shardsAround(db, meanwhile);
    expect(code).toBe('published');
    const other = join(temporaryFolder(), 'other');
    await well(['build', '--db', db, '--out', other, '--now', NOW]);
    expect(releasedFilesOf(out)).toEqual(releasedFilesOf(other));
  });

  test.each([
    ['its first commit', false, reprice],
    ['another commit', true, reprice],
    ['a commit that is written back at once', true, (writer: Database.Database) => writer.pragma('wal_checkpoint')],
    ['a new log', true, (writer: Database.Database) => writer.pragma('wal_checkpoint(TRUNCATE)')],
  ])('%s between the shards: refused', async (_, hasLog, then) => {
    const db = catalogue();
    const writer = writerOf(db);
    if (hasLog) reprice(writer);
    const { out, code } = await shardsAround(db, () => {
      reprice(writer);
      then(writer);
    });
    expect(code).toBe('run-state-differs');
    expect([...filesOf(out).keys()].filter((path) => /pointer|releases/.test(path))).toEqual([]);
  });

  test('a commit while a shard reads is none of its state', async () => {
    const db = catalogue();
    const writer = writerOf(db);
    await using one = await openCatalogue(db);
    const before = await one.restartIdentified();
    reprice(writer);
    await one.confirmOneState();
    await using other = await openCatalogue(db);
    expect(await other.restartIdentified()).not.toBe(before);
    expect(await one.restartIdentified()).toBe(await other.restartIdentified());
  });
});

test.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0x00c36400, 'CephFS'],
  [0x65735546, 'FUSE'],
])(
  'a file in WAL mode on a file system of several hosts (%i): refused before anything is written',
  async (type, name) => {
    const db = catalogue();
    const copy = join(temporaryFolder(), 'copy.sqlite');
    await well(['snapshot', '--to', copy, '--db', db]);
    vi.spyOn(fs, 'statfsSync').mockReturnValue(Object.assign(fs.statfsSync(db), { type }));
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const out = join(temporaryFolder(), 'out');
    expect(await refusal(shardWords(db, out, '0/2'))).toMatchObject({
      status: 2,
      code: 'database-not-a-copy',
      message: expect.stringContaining(name),
      hint: expect.stringContaining('playbill snapshot --to'),
    });
    expect(existsSync(out)).toBe(false);
    const { code } = await shardsAround(copy, () => undefined);
    expect(code).toBe('published');
  },
);

describe('a file without a log', () => {
  test.each([
    ['is written over in place', (path: string) => appendFileSync(path, 'x')],
    ['is removed', (path: string) => rmSync(path)],
    [
      'is replaced',
      (path: string) => {
        copyFileSync(path, `${path}.new`);
        renameSync(`${path}.new`, path);
      },
    ],
  ])('that %s while it is read, in spite of its lock', async (_, change) => {
    const copy = join(temporaryFolder(), 'copy.sqlite');
    await well(['snapshot', '--to', copy, '--db', catalogue()]);
    using files = new CatalogueFiles(copy);
    await files.digest();
    files.confirmDigest();
    change(copy);
    expect(() => files.confirmDigest()).toThrow(expect.objectContaining({ code: 'database-busy' }));
  });
});
