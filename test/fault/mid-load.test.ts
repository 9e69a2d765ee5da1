// What happens to the database of a real run while it loads: the run is stopped in the middle of
// its reads (SIGSTOP, as strace sends it at one of them), the database is changed, locked, moved,
// cut or overwritten, and the run goes on. It publishes what it began to read, all from one
// transaction, or nothing.

import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { buildHere, twoAtATime, wordsOf } from '../support/fault/build-with.ts';
import { Command, errorCodeOf, type Run } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf } from '../support/fault/readers-check.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);

let base = '';
let good = '';
let other = '';
let expected: ReadonlyMap<string, string>;
/** How often an undisturbed run reads from its database. */
let reads = 0;

beforeAll(async () => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 600, sessionsPerProduct: 0 };
  good = catalogueAt(join(folder, 'good.sqlite'), smallCatalogue({ ...size, edition: 'good' }));
  other = catalogueAt(join(folder, 'other.sqlite'), smallCatalogue({ ...size, edition: 'other' }));
  base = join(folder, 'base');
  await buildHere(catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...size, edition: 'old' })), base);
  const tree = copyTree(base, join(folder, 'undisturbed'));
  const log = join(folder, 'reads');
  const through = ['strace', '-f', '-qq', '-o', log, '-P', good, '-e', 'trace=pread64'];
  expect(await command.run(wordsOf(good, tree), { through })).toMatchObject({ code: 0 });
  expected = filesOf(tree);
  reads = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('pread64(')).length;
});

/**
 * Runs a build over `tree` that stops at one of its reads, until something has been done to its
 * database.
 */
async function runStopped(database: string, tree: string, read: number, during: () => void): Promise<Run> {
  const log = `${tree}.strace`;
  const inject = ['-P', database, '-e', 'trace=pread64', '-e', `inject=pread64:signal=SIGSTOP:when=${read}`];
  const running = command.start(wordsOf(database, tree), { through: ['strace', '-f', '-qq', '-o', log, ...inject] });
  let pid = 0;
  while (pid === 0) {
    if (running.child.exitCode !== null) throw new Error(`ended before read ${read}`);
    await sleep(5);
    pid = Number(/^(\d+) +--- stopped by SIGSTOP/m.exec(existsSync(log) ? readFileSync(log, 'utf8') : '')?.[1] ?? 0);
  }
  during();
  process.kill(pid, 'SIGCONT');
  return running.ended;
}

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
  COMMIT`;

/**
 * What is done to a database while it is read; what is returned is undone when the run has ended.
 */
const DISTURBANCES: Readonly<Record<string, (path: string) => (() => void) | void>> = {
  'a writer changes rows of every table': (path) => {
    const writer = new Database(path, { timeout: 0 });
    writer.exec(CHANGE_ALL);
    writer.pragma('wal_checkpoint(PASSIVE)');
    writer.close();
  },
  'a writer takes the lock and keeps it': (path) => {
    const writer = new Database(path, { timeout: 0 });
    writer.exec("BEGIN EXCLUSIVE; UPDATE products SET name = 'half done'");
    return () => void writer.close();
  },
  'another database takes its name': (path) => {
    copyFileSync(other, `${path}.other`);
    renameSync(`${path}.other`, path);
  },
  'it is removed': (path) => rmSync(path),
  'it is cut off': (path) => truncateSync(path, statSync(path).size / 8),
  'it is overwritten with something else': (path) => {
    const file = openSync(path, 'r+');
    const size = statSync(path).size;
    // The first pages are read by now.
    writeSync(file, Buffer.alloc(size - 65_536, 0xa5), 0, size - 65_536, 65_536);
    closeSync(file);
  },
};

/** Where in the reads of a run it is stopped. */
const SHARES = [0.3, 0.7];

test('whatever happens to the database in the middle of a load, one transaction is published, or nothing', async () => {
  expect(reads).toBeGreaterThan(60);
  const ended = new Map<string, (number | null)[]>();
  const cases = Object.entries(DISTURBANCES).flatMap(([name, disturb]) =>
    SHARES.map((share) => ({ name, disturb, share })),
  );
  const root = temporaryFolder();
  await twoAtATime(
    cases.map(({ name, disturb, share }, i) => async () => {
      const database = join(root, `${i}.sqlite`);
      copyFileSync(good, database);
      const tree = copyTree(base, join(root, `out-${i}`));
      const stamps = stampsOf(tree);
      const undo: ((() => void) | void)[] = [];
      const run = await runStopped(database, tree, Math.floor(reads * share), () => void undo.push(disturb(database)));
      for (const back of undo) back?.();
      const place = `${name} at ${share}: ${run.stderr}`;
      checkAsReader(tree, stateOf(base), run.code === 0 ? stateOf(tree) : stateOf(base));
      if (run.code === 0) expect(filesOf(tree), place).toEqual(expected);
      else {
        expect(run, place).toMatchObject({ code: 2 });
        expect(errorCodeOf(run), place).toBe('database-unreadable');
        expect(stampsOf(tree), place).toEqual(stamps);
      }
      ended.set(name, [...(ended.get(name) ?? []), run.code]);
      for (const path of [database, `${database}-wal`, `${database}-shm`]) rmSync(path, { force: true });
      await buildHere(good, tree);
      expect(filesOf(tree), place).toEqual(expected);
    }),
  );
  for (const name of Object.keys(DISTURBANCES)) {
    const codes = ended.get(name) ?? [];
    const isDamage = name.startsWith('it is cut') || name.startsWith('it is overwritten');
    expect(codes, name).toEqual(SHARES.map(() => (isDamage ? 2 : 0)));
    const situation = `in the middle of a load, ${name.replace(/^it /, 'the database ')}`;
    const heals = isDamage ? 'a readable database, and a build' : 'nothing: the next build shows what is there then';
    for (const code of codes)
      tellFault({ situation, sees: isDamage ? 'the old release' : 'the new release', heals }, code);
  }
});
