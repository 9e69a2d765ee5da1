// The quick way of a build that has nothing to do: taken where nothing has changed, with the words of a full build; left wherever
// anything may have. What was kept is asked in this process, as the command asks it before anything else.

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { demoRows } from '../../scripts/demo-rows.ts';
import { readBuildWords } from '../../src/cli/build-words.ts';
import type { Session } from '../../src/cli/session.ts';
import { cachePathOf, recallBuild, rememberBuild } from '../../src/cli/unchanged.ts';
import { catalogueMark } from '../../src/database/catalogue-mark.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/tables.ts';
import type { RunMark } from '../../src/last-run.ts';
import { CacheFolder } from '../../src/storage/cache-folder.ts';
import { markTree } from '../../src/storage/tree-mark.ts';
import { catalogueAt, filesOf, instant, temporaryFolderOfFile } from '../trees.ts';
import { playbill } from './run.ts';

const NOW = '2026-05-01T09:00:00Z';
const root = temporaryFolderOfFile();
const database = join(root, 'demo.sqlite');
const out = join(root, 'tree');
const cache = join(root, 'cache');
const WORDS = ['build', '--db', database, '--out', out, '--now', NOW, '--cache', cache];
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function sessionOf(words: readonly string[], others: Partial<Session> = {}): Session {
  return {
    terminal: {
      print: () => undefined,
      printExact: () => undefined,
      say: () => undefined,
      progress: () => Promise.reject(new Error()),
      isColoured: false,
    },
    now: () => instant(NOW),
    clock: () => 0,
    environment: () => undefined,
    cores: 1,
    words,
    userId: process.getuid?.() ?? null,
    nodeVersion: process.versions.node,
    processId: '1',
    toolVersion: version,
    onInterrupt: null,
    tzdata: process.versions['tz'] ?? '',
    exitCode: 0,
    ...others,
  };
}

const recalled = (words: readonly string[] = WORDS, others: Partial<Session> = {}): string | null =>
  recallBuild(sessionOf(words, others));

/** Marks the tree and the catalogue as they are now, as a build does at its end. */
function remembered(): void {
  const files = [...filesOf(out).keys()];
  const fronts = readdirSync(join(out, 'public/fronts')).filter((front) => front !== 'stranger');
  const release = readFileSync(join(out, 'releases/current'), 'utf8').trim();
  const tree = markTree(
    out,
    release,
    fronts,
    files.filter((path) => path.startsWith('public/') && !path.endsWith('pointer.json')),
  );
  if (tree === null) throw new Error('no tree to mark');
  const handle = new Database(database, { readonly: true });
  const mark: RunMark = {
    catalogue: catalogueMark(database, (sql) => handle.prepare<unknown[], unknown[]>(sql).raw(true).all()),
    tree,
  };
  handle.close();
  rememberBuild(mark, { text: 'as text', json: 'as JSON' }, sessionOf(WORDS), instant(NOW));
  expect(recalled()).toBe('as text');
}

beforeAll(async () => {
  catalogueAt(database, demoRows(NOW));
  const first = await playbill(WORDS);
  expect(first.status, first.stderr).toBe(0);
});

describe('nothing has changed', () => {
  test('the second run prints what a full build prints, in either form, and touches nothing', async () => {
    const times = (): string[] =>
      readdirSync(out, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((path) => `${path} ${statSync(join(out, path)).mtimeMs} ${statSync(join(out, path)).ctimeMs}`);
    const before = times();
    for (const form of [[], ['--json']]) {
      const quick = await playbill([...WORDS, ...form]);
      expect(quick.stdout).toBe(`${recalled([...WORDS, ...form])}\n`);
      expect(quick.status).toBe(0);
      expect(quick.stderr).toBe('');
      expect(times()).toEqual(before);
      const full = await playbill([...WORDS.slice(0, -2), '--no-cache', ...form]);
      expect(quick).toEqual(full);
    }
  });

  test('it does not depend on the order or the form of the words', () => {
    expect(recalled(['build', `--now=${NOW}`, '--cache', cache, `--out=${out}`, `--db=${database}`])).not.toBeNull();
  });
});

describe('what was asked for is another thing', () => {
  test.each([
    ['another now', [...WORDS.slice(0, 6), '2026-05-01T09:00:01Z', ...WORDS.slice(7)]],
    ['the current time', [...WORDS.slice(0, 5), ...WORDS.slice(7)]],
    ['another horizon', [...WORDS, '--horizon', '1h']],
    ['some fronts', [...WORDS, '--front', 'moscow']],
    ['another share', [...WORDS, '--max-shrink', '40%']],
    ['guards overridden', [...WORDS, '--allow-shrink']],
    ['force', [...WORDS, '--force']],
    ['a dry run', [...WORDS, '--dry-run']],
    ['help', [...WORDS, '--help']],
    ['a flag that nobody knows', [...WORDS, '--hurry']],
    ['a flag twice', [...WORDS, '--now', NOW]],
    ['a word too many', [...WORDS, 'more']],
    ['no cache', [...WORDS.slice(0, -2), '--no-cache']],
    ['another command', ['verify', ...WORDS.slice(1)]],
    ['another tree', ['build', '--db', database, '--out', root, '--now', NOW, '--cache', cache]],
  ])('%s', (_, words) => {
    expect(recalled()).not.toBeNull();
    expect(recalled(words)).toBeNull();
  });

  test.each<[string, Partial<Session>]>([
    ['another tool', { toolVersion: '9.9.9' }],
    ['other time-zone rules', { tzdata: '1999a' }],
    ['another Node.js', { nodeVersion: '99.0.0' }],
    ['another user', { userId: 12_345 }],
  ])('%s', (_, others) => {
    expect(recalled(WORDS, others)).toBeNull();
  });
});

describe('the catalogue is another one', () => {
  test.each(TABLE_NAMES)('a row of %s is changed, goes and comes', (table) => {
    const handle = new Database(database);
    handle.pragma('foreign_keys = OFF');
    handle.pragma('ignore_check_constraints = ON');
    const row = handle.prepare<unknown[], Record<string, unknown>>(`SELECT * FROM ${table} LIMIT 1`).get();
    const columns = Object.keys(TABLES[table]);
    const last = columns.at(-1) ?? '';
    const isText = typeof row?.[last] === 'string';
    const at = columns.slice(0, 2).map((column) => `${column} = @${column}`);
    const changes =
      row === undefined
        ? []
        : [
            `UPDATE ${table} SET ${last} = ${isText ? "'other'" : '77'} WHERE ${at.join(' AND ')}`,
            `DELETE FROM ${table} WHERE ${at[0]}`,
          ];
    for (const sql of changes) {
      remembered();
      expect(handle.prepare(sql).run(row).changes, sql).toBeGreaterThan(0);
      expect(recalled(), sql).toBeNull();
    }
    const values = row ?? Object.fromEntries(columns.map((column, i) => [column, TABLES[table] && i + 1]));
    remembered();
    const names = Object.keys(values);
    if (row !== undefined) {
      handle
        .prepare(`INSERT OR REPLACE INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`)
        .run(values);
      expect(recalled()).toBeNull();
    }
    handle.close();
  });

  test('another file in its place, though it says the same', () => {
    remembered();
    cpSync(database, join(root, 'copy.sqlite'));
    renameSync(join(root, 'copy.sqlite'), database);
    expect(recalled()).toBeNull();
  });

  test('a table has changed', () => {
    remembered();
    const handle = new Database(database);
    handle.exec('ALTER TABLE venues ADD COLUMN nick TEXT');
    handle.close();
    expect(recalled()).toBeNull();
  });

  test('it is gone', () => {
    remembered();
    renameSync(database, `${database}.away`);
    expect(recalled()).toBeNull();
    renameSync(`${database}.away`, database);
  });
});

describe('the tree is another one', () => {
  const edition = (): string => [...filesOf(out).keys()].find((path) => path.includes('/products.')) ?? '';
  test.each<[string, () => void]>([
    ['an edition is cut short', () => truncateSync(join(out, edition()), 10)],
    [
      'an edition is written over, as long as before',
      () => writeFileSync(join(out, edition()), readFileSync(join(out, edition()))),
    ],
    ['a pointer is written over', () => writeFileSync(join(out, 'public/fronts/moscow/pointer.json'), '{}')],
    ['the key ring is written over', () => writeFileSync(join(out, 'edge/keyring.json'), '{}')],
    ['a front that nobody knows', () => mkdirSync(join(out, 'public/fronts/stranger'))],
    ['that front gets a pointer', () => writeFileSync(join(out, 'public/fronts/stranger/pointer.json'), '{}')],
    ['an edition is gone', () => rmSync(join(out, edition()))],
    [
      'a manifest is gone',
      () => rmSync(join(out, `releases/${readFileSync(join(out, 'releases/current'), 'utf8').trim()}.json`)),
    ],
  ])('%s', (_, spoil) => {
    remembered();
    spoil();
    expect(recalled()).toBeNull();
  });
});

test('a spoiled tree is mended and a changed catalogue built as without a cache', async () => {
  rmSync(out, { recursive: true });
  catalogueAt(join(root, 'again.sqlite'), demoRows(NOW));
  const words = ['build', '--db', join(root, 'again.sqlite'), '--out', out, '--now', NOW, '--cache', cache];
  expect((await playbill(words)).status).toBe(0);
  expect(recalled(words)).not.toBeNull();
  rmSync(join(out, 'public/fronts/moscow/pointer.json'));
  const handle = new Database(join(root, 'again.sqlite'));
  handle.exec("UPDATE products SET name = name || '!'");
  handle.close();
  const mended = await playbill(words);
  expect(mended.status, mended.stderr).toBe(0);
  const empty = join(root, 'empty');
  expect(
    (await playbill(['build', '--db', join(root, 'again.sqlite'), '--out', empty, '--now', NOW, '--no-cache'])).status,
  ).toBe(0);
  const now = filesOf(empty);
  const tree = filesOf(out);
  for (const [path, text] of now) expect(tree.get(path), path).toBe(text);
  expect(tree.get('releases/current')).toBe(now.get('releases/current'));
  // And the run that mended has left what the next one finds.
  expect(recalled(words)).toContain('Files: 0 put (0 B)');
});

describe('a cache that cannot be believed is none', () => {
  const folder = (): CacheFolder => new CacheFolder(join(root, 'other-cache'), process.getuid?.() ?? null);
  const path = join(root, 'other-cache', 'file');

  test('what is written is read', () => {
    expect(folder().read('file')).toBeNull();
    expect(folder().write('file', [Buffer.from('con'), Buffer.from('tent')])).toBe(true);
    expect(Buffer.from(folder().read('file') ?? []).toString()).toBe('content');
    expect(readdirSync(join(root, 'other-cache'))).toEqual(['file']);
  });

  test.each<[string, (text: Buffer) => Buffer]>([
    ['cut short', (bytes) => bytes.subarray(0, -1)],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
    ['one letter is another', (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('T')])],
    ['of another format', (bytes) => Buffer.from(bytes.toString().replace('cache-1', 'cache-0'))],
    ['empty', () => Buffer.alloc(0)],
  ])('%s', (_, spoil) => {
    folder().write('file', [Buffer.from('con'), Buffer.from('tent')]);
    writeFileSync(path, spoil(readFileSync(path)));
    expect(folder().read('file')).toBeNull();
  });

  test('a place that cannot be written is no error', () => {
    writeFileSync(join(root, 'a-file'), '');
    expect(new CacheFolder(join(root, 'a-file/below'), null).write('file', [Buffer.from('x')])).toBe(false);
    expect(new CacheFolder(join(root, 'a-file/below'), null).read('file')).toBeNull();
  });

  test.each([
    [{ XDG_CACHE_HOME: '/x', HOME: '/home/a' }, /^\/x\/playbill\/[0-9a-f]{16}$/],
    [{ XDG_CACHE_HOME: 'x', HOME: '/home/a' }, /^\/home\/a\/\.cache\/playbill\/[0-9a-f]{16}$/],
    [{ HOME: '/home/a' }, /^\/home\/a\/\.cache\/playbill\/[0-9a-f]{16}$/],
    [{}, /^null$/],
  ])('by default it lies where the system wants caches: %j', (variables, expected) => {
    const environment = (name: string): string | undefined => (variables as Record<string, string>)[name];
    expect(String(cachePathOf(undefined, '/tree', { environment }))).toMatch(expected);
  });
});

test('a catalogue without revisions is read in full, and the build says why', async () => {
  const plain = catalogueAt(join(root, 'plain.sqlite'), demoRows(NOW));
  const words = ['build', '--db', plain, '--out', join(root, 'plain'), '--now', NOW];
  const said = async (...more: string[]): Promise<string> =>
    (await playbill([...words, ...more])).stdout.match(/^Read in full: .*$/m)?.[0] ?? '';
  expect(await said('--cache', cache)).toBe('');
  const handle = new Database(plain);
  handle.exec('DROP TRIGGER revisions_tags_after_delete');
  handle.close();
  const why = 'there is no trigger revisions_tags_after_delete as data/schema.sql has it';
  expect(await said('--cache', cache)).toBe(
    `Read in full: the catalogue keeps no revisions to go by (data/README.md): ${why}`,
  );
  // Nobody asked for the quick way.
  expect(await said('--no-cache')).toBe('');
  const { stdout } = await playbill([...words, '--cache', cache, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ noRevisions: why });
});

test('words that are read alike', () => {
  expect(readBuildWords(['build', '--front', 'a', 'b', '--json'])).toMatchObject({
    db: 'data/catalogue.sqlite',
    out: 'out',
    isJson: true,
  });
  expect(readBuildWords(['build', '--out', '--json'])).toBeNull();
  expect(readBuildWords(['build', '--cache', 'x', '--no-cache'])).toBeNull();
  expect(readBuildWords(['build', '--front=a'])).toBeNull();
});
