// Locks that cannot be had: on a file system without them, and against users who may only read the
// tree.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { Command, errorCodeOf } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { LOCK_ERRORS, noLocksIn } from '../support/fault/no-locks.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
/** A fresh folder, which tests that run at once can have. */
const newFolder = (): string => mkdtempSync(join(folder, 'own-'));
const without = noLocksIn(folder);
const ERRORS = Object.keys(LOCK_ERRORS) as (keyof typeof LOCK_ERRORS)[];

let database = '';
let base = '';

beforeAll(async () => {
  const size = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1 };
  database = catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue({ ...size, edition: 'x' }));
  base = join(folder, 'base');
  await buildTree(database, base, instant(NOW));
});

// At once: without a lock, SQLite waits for it for some seconds.
describe.concurrent('a file system that cannot lock files is no other run', () => {
  test.each(ERRORS)('under the tree (%s): exit 6, not 5', async (error) => {
    const tree = copyTree(base, join(newFolder(), 'out'));
    const stamps = stampsOf(tree);
    const words = ['build', '--db', database, '--out', tree, '--json'];
    const run = await command.run(words, { environment: without('/.lock', error) });
    expect(run, run.stderr).toMatchObject({ code: 6 });
    expect(errorCodeOf(run)).toBe('tree-not-writable');
    expect(run.stderr).toContain(`expected a file system that can lock files at ${tree}, found one that cannot`);
    expect(stampsOf(tree)).toEqual(stamps);
    tellFault(
      {
        situation: 'the file system of the tree cannot lock files',
        sees: 'the old release',
        heals: 'another file system, and a build',
      },
      run.code,
    );
  });

  test.each(ERRORS)(
    'under its key ring alone (%s): the same, and the revocation says what is left to do',
    async (error) => {
      const tree = copyTree(base, join(newFolder(), 'out'));
      const words = ['keys', 'issue', '--front', 'alpha', '--db', database, '--out', tree, '--to', `${tree}.key.json`];
      const run = await command.run(words, { environment: without('/.lock-keyring', error) });
      expect(run, run.stderr).toMatchObject({ code: 6 });
      expect(run.stderr).toContain('error tree-not-writable: expected a file system that can lock files');
      expect(run.stderr).toContain('once the tree can be written, run: playbill build');
      tellFault(
        {
          situation: 'the file system of the tree cannot lock its key ring',
          sees: 'the old release',
          heals: 'another file system, and a build',
        },
        run.code,
      );
    },
  );

  const heals = 'a local disk, or a copy there';
  test.each(ERRORS.flatMap((error) => (['delete', 'wal'] as const).map((mode) => [error, mode] as const)))(
    'under the catalogue (%s, journal_mode %s): exit 2, and no word of a writer',
    async (error, mode) => {
      const path = catalogueAt(join(newFolder(), 'plain.sqlite'), []);
      const handle = new Database(path);
      handle.pragma(`journal_mode = ${mode}`);
      handle.close();
      const commands = [['check-db'], ['export'], ['import', '--replace', '/dev/null']];
      const runs = await Promise.all(
        commands.map((words) =>
          command.run([...words, '--db', path, '--json'], { environment: without('/plain.sqlite', error) }),
        ),
      );
      for (const run of runs) {
        expect(run, run.stderr).toMatchObject({ code: 2 });
        expect(errorCodeOf(run)).toBe('database-unreadable');
        expect(run.stderr).toContain(`expected a file system that can lock files at ${path}, found one that cannot`);
        expect(run.stderr).not.toMatch(/WAL|integrity/);
        tellFault({ situation: 'the file system of the catalogue cannot lock it', sees: 'the old release', heals }, 2);
      }
      expect(readdirSync(dirname(path)).filter((name) => !/^plain\.sqlite(-wal|-shm)?$/.test(name))).toEqual([]);
    },
  );

  test.each(ERRORS)('under a new catalogue (%s): the import ends, and leaves nothing', async (error) => {
    const place = newFolder();
    const words = ['import', '/dev/null', '--db', join(place, 'new.sqlite'), '--json'];
    const run = await command.run(words, { environment: without('new.sqlite.import-', error) });
    expect(run, run.stderr).toMatchObject({ code: 2 });
    expect(errorCodeOf(run)).toBe('database-unreadable');
    expect(run.stderr).toContain('expected a file system that can lock files');
    expect(readdirSync(place)).toEqual([]);
    tellFault({ situation: 'the file system of a new catalogue cannot lock it', sees: 'the old release', heals }, 2);
  });
});

test('whoever may only read the tree can lock nothing in it', () => {
  const tree = copyTree(base, join(newFolder(), 'out'));
  const locks = ['.lock', '.lock-keyring'].map((name) => join(tree, name));
  // Reading is enough for a lock that excludes writers. Another user reads, where this one is root;
  // the owner himself always may.
  const other = process.getuid?.() === 0 ? ['--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  for (const path of locks) {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { status } = spawnSync('setpriv', [...other, 'test', '-r', path]);
    expect(status === 0).toBe(other.length === 0);
  }
});
