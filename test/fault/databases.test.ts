// Databases that cannot be read, or change while they are read: exit 2 with a code and nothing
// written; and one transaction (law 6), whatever a writer commits in the meantime.

import Database from 'better-sqlite3';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openCatalogue } from '../../src/database/open.ts';
import { AppError } from '../../src/errors.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { buildWith, HORIZON_SECONDS } from '../support/fault/build-with.ts';
import { AS_ANYONE, Command, errorCodeOf } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { readerWith } from '../support/fault/watched-reader.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const SMALL = { fronts: ['alpha', 'bravo'], productsPerFront: 3, sessionsPerProduct: 2 };

let good = '';
let base = '';

beforeAll(async () => {
  good = catalogueAt(join(folder, 'good.sqlite'), smallCatalogue({ ...SMALL, edition: 'good' }));
  base = join(folder, 'base');
  await buildTree(good, base, instant(NOW));
});

/**
 * A run over a published tree ends with this code, with exit 75 if another attempt may succeed and
 * else 2, and the tree is what it was.
 */
async function expectUnreadable(database: string, code: string, through: readonly string[] = []): Promise<void> {
  const tree = copyTree(base, join(temporaryFolder(), 'out'));
  const stamps = stampsOf(tree);
  const run = await command.run(['build', '--db', database, '--out', tree, '--json'], { through });
  expect(run, run.stderr).toMatchObject({ code: code === 'database-busy' ? 75 : 2 });
  expect(errorCodeOf(run)).toBe(code);
  expect(stampsOf(tree)).toEqual(stamps);
  const situation = `the database is missing, damaged or locked: \`${code}\``;
  tellFault({ situation, sees: 'the old release', heals: 'a readable database, and a build' }, run.code);
}

describe('a database that cannot be read', () => {
  test('is missing', async () => {
    const database = join(folder, 'missing.sqlite');
    await expectUnreadable(database, 'database-missing');
    expect(existsSync(database)).toBe(false);
    const out = join(folder, 'never-made');
    expect(await command.run(['build', '--db', database, '--out', out])).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(out)).toBe(false);
    await expectUnreadable(join(good, 'below-a-file.sqlite'), 'database-missing');
  });

  test('is a folder', async () => {
    await expectUnreadable(folder, 'database-unreadable');
  });

  test('is no database', async () => {
    const database = join(folder, 'text.sqlite');
    writeFileSync(database, 'id,code,name\n'.repeat(1000));
    await expectUnreadable(database, 'database-unreadable');
  });

  test('is empty', async () => {
    const database = join(folder, 'empty.sqlite');
    writeFileSync(database, '');
    await expectUnreadable(database, 'contract-table-missing');
  });

  test('may not be read', async () => {
    const database = join(folder, 'forbidden.sqlite');
    copyFileSync(good, database);
    chmodSync(database, 0);
    await expectUnreadable(database, 'database-unreadable', AS_ANYONE);
  });

  test('is locked by a writer who excludes readers, with and without WAL', async () => {
    const [plain, wal] = [join(folder, 'plain.sqlite'), join(folder, 'wal.sqlite')];
    const writers = [plain, wal].map((path) => {
      copyFileSync(good, path);
      return new Database(path);
    });
    writers[0]?.pragma('journal_mode = DELETE');
    writers[1]?.pragma('locking_mode = EXCLUSIVE');
    for (const writer of writers) writer.exec("BEGIN EXCLUSIVE; UPDATE products SET name = 'half done'");
    await Promise.all([expectUnreadable(plain, 'database-busy'), expectUnreadable(wal, 'database-busy')]);
    for (const writer of writers) writer.close();
  });

  test('is cut off, wherever', async () => {
    const size = statSync(good).size;
    const tree = copyTree(base, join(folder, 'cut-tree'));
    const stamps = stampsOf(tree);
    const codes = new Map<string, number>();
    for (let part = 1; part < 20; part++) {
      const database = join(folder, `cut-${part}.sqlite`);
      copyFileSync(good, database);
      truncateSync(database, Math.floor((size * part) / 20));
      const thrown: unknown = await buildTree(database, tree, instant(NOW)).catch((error: unknown) => error);
      const code = thrown instanceof AppError ? thrown.code : String(thrown);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      expect(stampsOf(tree)).toEqual(stamps);
    }
    expect([...codes.keys()]).toEqual(['database-unreadable']);
    const heals = 'a readable database, and a build';
    tellFault({ situation: 'the database is cut off, at every twentieth', sees: 'the old release', heals }, null, 19);
  });
});

/** Something of everything, in one commit. */
const CHANGE_ALL = `
  BEGIN;
  UPDATE products SET name = 'changed ' || name;
  UPDATE price_tiers SET amount_minor = amount_minor + 1;
  UPDATE sessions SET available = 0 WHERE id % 2 = 0;
  UPDATE venues SET name = 'changed ' || name;
  UPDATE categories SET name_singular = 'changed';
  UPDATE front_keys SET secret_ref = 'CHANGED';
  DELETE FROM front_products WHERE product_id % 3 = 0;
  UPDATE fronts SET status = 'disabled' WHERE code = 'bravo';
  COMMIT`;

describe('a database that changes while it is read', () => {
  const load = { productsPerFront: 700, sessionsPerProduct: 1 };
  const database = (path: string, edition: string): string =>
    catalogueAt(path, smallCatalogue({ fronts: ['alpha', 'bravo'], ...load, edition }));

  /** Builds, and does something after the first of several batches of products. */
  const buildChanging = async (path: string, out: string, change: () => void): Promise<number> => {
    let batches = 0;
    const onProgress = (phase: 'load' | 'publish'): void => {
      if (phase === 'load' && (batches += 1) === 1) change();
    };
    await buildTree(path, out, instant(NOW), { onProgress });
    return batches;
  };

  test('no document shows what a writer commits between two batches; the next build shows all of it', async () => {
    const root = temporaryFolder();
    const path = database(join(root, 'catalogue.sqlite'), 'then');
    await buildTree(path, join(root, 'expected'), instant(NOW));
    const writer = new Database(path, { timeout: 0 });
    const batches = await buildChanging(path, join(root, 'out'), () => {
      writer.exec(CHANGE_ALL);
    });
    writer.close();
    expect(batches).toBeGreaterThan(2);
    expect(filesOf(join(root, 'out'))).toEqual(filesOf(join(root, 'expected')));
    await buildTree(path, join(root, 'out'), instant(NOW));
    const files = [...filesOf(join(root, 'out')).keys()].filter((file) => file.endsWith('pointer.json'));
    expect(files).toEqual(['public/fronts/alpha/pointer.json']);
  });

  test('nor what is committed before any of the reads, from the first one on', async () => {
    const root = temporaryFolder();
    const path = catalogueAt(join(root, 'catalogue.sqlite'), smallCatalogue({ ...SMALL, edition: 'then' }));
    await buildTree(path, join(root, 'expected'), instant(NOW), { horizonSeconds: HORIZON_SECONDS });
    const expected = filesOf(join(root, 'expected'));
    let reads = 0;
    for (let at = 1; at === 1 || at <= reads; at++) {
      const copy = join(root, `catalogue-${at}.sqlite`);
      const out = join(root, `out-${at}`);
      copyFileSync(path, copy);
      const writer = new Database(copy, { timeout: 0 });
      await using reader = await openCatalogue(copy);
      const watched = readerWith(reader, (read) => {
        reads = Math.max(reads, read);
        if (read === at) writer.exec(CHANGE_ALL);
      });
      await buildWith(watched, new DirectoryStore(out), instant(NOW));
      writer.close();
      expect(filesOf(out), `changed before read ${at}`).toEqual(expected);
    }
    expect(reads).toBeGreaterThan(10);
    const situation = 'a writer changes every table before one of the reads';
    tellFault({ situation, sees: 'the new release', heals: 'nothing: the next build shows the change' }, null, reads);
  });

  test('another database under its name is not seen until the next build', async () => {
    const root = temporaryFolder();
    const path = database(join(root, 'catalogue.sqlite'), 'then');
    const other = database(join(root, 'other.sqlite'), 'later');
    await buildTree(path, join(root, 'expected'), instant(NOW));
    await buildChanging(path, join(root, 'out'), () => renameSync(other, path));
    expect(filesOf(join(root, 'out'))).toEqual(filesOf(join(root, 'expected')));
    await buildTree(path, join(root, 'out'), instant(NOW));
    expect(readFileSync(join(root, 'out/edge/keyring.json'), 'utf8')).toContain('SECRET_alpha_later');
  });

  test('one that is cut off under our hands publishes nothing', async () => {
    const root = temporaryFolder();
    const path = database(join(root, 'catalogue.sqlite'), 'then');
    const tree = copyTree(base, join(root, 'out'));
    const stamps = stampsOf(tree);
    const half = Math.floor(statSync(path).size / 8);
    await expect(buildChanging(path, tree, () => truncateSync(path, half))).rejects.toMatchObject({
      code: 'database-unreadable',
    });
    expect(stampsOf(tree)).toEqual(stamps);
  });
});
