// `playbill export` as a person runs it: rows to stdout, as fast as they are read, and back into
// another catalogue.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CatalogueRow } from '../support/catalogue.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { compiledCommand } from '../support/compiled.ts';

const folder = temporaryFolderOfFile();
const demo = join(folder, 'demo.sqlite');
const large = join(folder, 'large.sqlite');
const VENUES = 200_000;

beforeAll(() => {
  demoCatalogueAt(demo, '2026-05-01T09:00:00Z');
  const rows = Array.from({ length: VENUES }, (_, i) => ({
    table: 'venues',
    row: { id: i + 1, name: 'Main stage', timezone: 'Europe/Berlin' },
  }));
  catalogueAt(large, rows);
});

test('what comes out goes into another catalogue, and comes out of it the same', async () => {
  const path = join(temporaryFolder(), 'copy.sqlite');
  const first = await playbill(['export', '--db', demo]);
  expect(first.status).toBe(0);
  const lines = first.stdout.trimEnd().split('\n');
  expect(first.stderr).toBe(`Exported ${lines.length} rows of 21 tables from ${demo}\n`);
  expect(lines[0]).toMatch(/^\{"table":"fronts","row":\{"id":1,"code":"[^"]+",/);
  const back = await playbillProcess(['import', '-', '--db', path], {}, first.stdout);
  expect(back.status).toBe(0);
  const second = await playbill(['export', '--json', '--db', path]);
  expect(second.stdout).toBe(first.stdout);
});

test('--table takes some tables, in their own order', async () => {
  const { status, stdout } = await playbill(['export', '--db', demo, '--table', 'tags', 'fronts', 'tags']);
  expect(status).toBe(0);
  const tables = stdout
    .trimEnd()
    .split('\n')
    .map((line) => String(JSON.parse(line).table));
  expect([...new Set(tables)]).toEqual(['fronts', 'tags']);
  const database = new Database(demo, { readonly: true });
  const total = database.prepare('SELECT (SELECT count(*) FROM fronts) + (SELECT count(*) FROM tags)').pluck().get();
  database.close();
  expect(tables.length).toBe(total);
});

describe('--front', () => {
  const NOW = '2026-05-01T09:00:00Z';
  const publicFiles = (out: string): [string, string][] =>
    [...filesOf(out)].filter(([path]) => path.startsWith('public/'));
  const exported = async (...codes: readonly string[]) => {
    const { status, stdout } = await playbill(['export', '--db', demo, '--front', ...codes]);
    expect(status).toBe(0);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)) as CatalogueRow[];
  };

  test('gives a catalogue with the same documents and keys, and nothing of another front', async () => {
    const out = join(folder, 'all');
    await buildTree(demo, out, instant(NOW));
    const wholeRing = JSON.parse(filesOf(out).get('edge/keyring.json') ?? '') as KeyRing;
    const counts = new Set<number>();
    for (const code of ['berlin', 'fonar', 'kassa', 'kuwait', 'montreal', 'moscow', 'mumbai', 'riyadh', 'tokyo']) {
      const rows = await exported(code);
      counts.add(rows.length);
      const [database, tree] = [join(folder, `${code}.sqlite`), join(folder, code)];
      await buildTree(catalogueAt(database, rows), tree, instant(NOW));
      const whole = publicFiles(out).filter(([path]) => path.startsWith(`public/fronts/${code}/`));
      expect(whole.length).toBeGreaterThan(2);
      expect(publicFiles(tree)).toEqual(whole);
      const ring = JSON.parse(filesOf(tree).get('edge/keyring.json') ?? '') as KeyRing;
      expect(ring.keys).toEqual(
        Object.fromEntries(Object.entries(wholeRing.keys).filter(([, key]) => key.front === code)),
      );
      expect(rows.flatMap(({ table, row }) => (table === 'fronts' ? [row['code']] : []))).toEqual([code]);
    }
    expect(counts.size).toBeGreaterThan(5);
  });

  test('takes several, and tables as well', async () => {
    const both = await exported('moscow', 'kuwait');
    const [moscow, kuwait] = [await exported('moscow'), await exported('kuwait')];
    const texts = (rows: readonly CatalogueRow[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(texts(both)).toEqual([...new Set([...texts(moscow), ...texts(kuwait)])].sort());
    expect(await exported('kuwait', '--table', 'venues')).toEqual(kuwait.filter(({ table }) => table === 'venues'));
  });

  test('has no row that nothing of the front refers to', async () => {
    const rows = await exported('kuwait');
    const ids = (table: string, column: string): Set<unknown> =>
      new Set(rows.flatMap((one) => (one.table === table ? [one.row[column]] : [])));
    expect(ids('products', 'id')).toEqual(ids('front_products', 'product_id'));
    expect(ids('venues', 'id')).toEqual(ids('sessions', 'venue_id'));
    expect(ids('tags', 'id')).toEqual(ids('product_tags', 'tag_id'));
    expect(ids('badges', 'id')).toEqual(ids('product_badges', 'badge_id'));
  });

  test('that there is not: front-unknown with those that there are, exit 2', async () => {
    const { status, stdout, stderr } = await playbill(['export', '--db', demo, '--front', 'moscow', 'paris']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'error front-unknown: expected the code of a front, found "paris"\n' +
        '  hint: fronts are: berlin, fonar, kassa, kuwait, minuit-passe, montreal, moscow, mumbai, neva, quais, …\n',
    );
  });
});

/** `playbill export` of the large catalogue, in a process whose stdout the test reads itself. */
function exportLarge() {
  const child = spawn(process.execPath, [compiledCommand(), 'export', '--db', large]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise((resolve) => child.on('close', (status, by) => resolve({ status, by, stderr })));
  return { child, ended };
}

describe('into a pipe', () => {
  test('a slow reader gets everything', async () => {
    const { child, ended } = exportLarge();
    let lines = 0;
    child.stdout.on('data', (bytes: Buffer) => {
      for (const byte of bytes) if (byte === 0x0a) lines += 1;
      child.stdout.pause();
      setTimeout(() => child.stdout.resume(), 1);
    });
    expect(await ended).toEqual({
      status: 0,
      by: null,
      stderr: `Exported ${VENUES} rows of 21 tables from ${large}\n`,
    });
    expect(lines).toBe(VENUES);
  });

  test('a reader that has seen enough is no error', async () => {
    const { child, ended } = exportLarge();
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    expect(await ended).toEqual({ status: 0, by: null, stderr: '' });
  });

  test('no more is read from the catalogue than the reader takes', async () => {
    const { child, ended } = exportLarge();
    child.stdout.pause();
    // Long enough for all of it, were it not held up: then the process would have ended.
    await sleep(2000);
    expect(child.exitCode).toBe(null);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ by: 'SIGTERM' });
  });
});

describe('exit 2', () => {
  test.each([
    [
      'there is no such table',
      ['--table', 'halls'],
      "error usage: option '--table <name...>' argument 'halls' is invalid.",
    ],
    ['there is no such database', ['--db', join(folder, 'gone.sqlite')], 'error database-missing: '],
    ['it is no catalogue', ['--db', 'package.json'], 'error database-unreadable: '],
  ])('where %s', async (_case, words, message) => {
    const { status, stdout, stderr } = await playbill(['export', ...words]);
    expect(stderr).toContain(message);
    expect(stderr).toContain('\n  hint: ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});

test('stopped by a signal, a command that only reads says nothing', async () => {
  // More than a pipe holds, and nothing reads it.
  const child = spawn(process.execPath, [compiledCommand(), 'export', '--db', large], { stdio: 'pipe' });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  await once(child.stdout, 'readable');
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect(await exited).toEqual([null, 'SIGINT']);
  child.stdout.resume();
  await once(child, 'close');
  expect(said).toBe('');
});
