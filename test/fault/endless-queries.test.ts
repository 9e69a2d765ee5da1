// A query that never ends: SQLite works in the main thread, so that nothing else of the process
// runs. A signal ends it all the same, and so does --read-timeout; the lock is free, and what was
// published stands.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockFile } from '../../src/file-lock.ts';
import { Command, errorCodeOf, summaryOf, type Run, type Running } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { samplesOf } from '../support/textfile.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { sample } from '../speeds.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** For what is deaf: a test must not wait for it for ever. */
const DEAF_MS = 120_000;

let base = '';
let good = '';
let endless = '';

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
  good = catalogueAt(join(folder, 'good.sqlite'), rows);
  base = join(folder, 'base');
  await buildTree(good, base, instant(NOW));
  endless = catalogueAt(join(folder, 'endless.sqlite'), rows);
  const handle = new Database(endless);
  handle.pragma('foreign_keys = OFF');
  handle.exec(`DROP TABLE tags; CREATE VIEW tags AS WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter)
    SELECT n AS id, 'x' AS slug, 'y' AS name, 0 AS sort_weight FROM counter WHERE n < 0`);
  handle.close();
});

/** Waits until a process, or one that it has started, has been at work for a while in the query. */
async function untilAtWork({ child }: Running): Promise<void> {
  // In ticks of the system, mostly hundredths of a second. To start, the command takes a few
  // tenths.
  const ticks = (pid: number | undefined): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((id) => id !== '');
    return Number(fields[11]) + started.reduce((sum, id) => sum + ticks(Number(id)), 0);
  };
  while (ticks(child.pid) < 100) await sleep(50);
}

/** The end of a run that was told to end; it is killed if it does not. */
async function endOf({ child, ended }: Running): Promise<Run> {
  const deaf = setTimeout(() => child.kill('SIGKILL'), DEAF_MS);
  return await ended.finally(() => clearTimeout(deaf));
}

async function expectFree(tree: string): Promise<void> {
  // A child that was not waited for ends a moment later.
  const isFree = (): boolean => {
    const lock = lockFile(join(tree, '.lock'));
    if (lock.kind === 'taken') lock.release();
    return lock.kind === 'taken';
  };
  await expect.poll(isFree).toBe(true);
}

const COMMANDS: readonly (readonly [name: string, flags: () => readonly string[]])[] = [
  ['build', () => ['--out', copyTree(base, join(temporaryFolder(), 'out'))]],
  ['build', () => ['--read-timeout', '1d', '--out', copyTree(base, join(temporaryFolder(), 'out'))]],
  ['check-db', () => []],
  ['export', () => []],
  ['explain', () => ['--front', 'alpha', '--product', 'show-1', '--at', NOW]],
];

test.each(
  sample(
    SIGNALS.flatMap((signal) => COMMANDS.map((command) => [signal, ...command] as const)),
    2,
  ),
)('%s ends %s', async (signal, name, flags) => {
  const words = [name, '--db', endless, ...flags()];
  const tree = name === 'build' ? (words.at(-1) ?? '') : base;
  const stamps = stampsOf(tree);
  const running = command.start(words);
  await untilAtWork(running);
  running.child.kill(signal);
  expect(await endOf(running)).toMatchObject({ code: null, signal, stderr: '' });
  await expectFree(tree);
  expect(stampsOf(tree)).toEqual(stamps);
  const heals = 'another view';
  tellFault({ situation: 'a signal during a query that never ends', sees: 'the old release', heals }, signal);
});

describe('--read-timeout', () => {
  const words = (db: string, tree: string, ...more: string[]): string[] =>
    ['build', '--db', db, '--out', tree, '--now', NOW, '--json'].concat(more);

  test('ends a build that does not finish reading: exit 75, the lock is free, and the metrics say so', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const stamps = stampsOf(tree);
    const metrics = join(folder, 'playbill.prom');
    const run = await endOf(command.start(words(endless, tree, '--read-timeout', '2s', '--prometheus', metrics)));
    expect(run, run.stderr).toMatchObject({ code: 75, signal: null });
    expect(errorCodeOf(run)).toBe('database-timeout');
    expect(run.stderr).toContain(`expected to read ${endless} within 2s`);
    await expectFree(tree);
    expect(stampsOf(tree)).toEqual(stamps);
    expect(samplesOf(readFileSync(metrics, 'utf8')).get('playbill_build_exit_code')).toBe(75);
    const heals = 'another view';
    tellFault({ situation: 'a query that never ends, under `--read-timeout`', sees: 'the old release', heals }, 75);
  });

  test.each([
    ['publishes', 0, []],
    ['a guard holds back', 4, ['--now', '2026-04-30T09:00:00Z']],
    ['cannot be read', 2, ['--db', join(folder, 'missing.sqlite')]],
  ])('is nothing to a build that ends in time: one that %s exits %i as ever', async (_, code, more) => {
    const [tree, limited] = ['a', 'b'].map((name) => copyTree(base, join(temporaryFolder(), name)));
    if (tree === undefined || limited === undefined) throw new Error('two trees');
    const expected = await command.run(words(good, tree, ...more));
    const run = await command.run(words(good, limited, ...more, '--read-timeout', '366d'));
    expect(run).toEqual({ ...expected, stdout: run.stdout, stderr: run.stderr });
    expect(run.code).toBe(code);
    const outputs = ({ stdout, stderr }: Run, out: string): string => (stdout + stderr).replaceAll(out, 'OUT');
    expect(outputs(run, limited)).toBe(outputs(expected, tree));
    expect(filesOf(limited)).toEqual(filesOf(tree));
  });

  test('does not limit what comes after the reading', async () => {
    // On a machine that is so busy that the reading takes as long, once more with more time.
    for (let seconds = 2; ; seconds *= 2) {
      expect(seconds).toBeLessThan(1000);
      const hook = ['--on-publish', `sleep ${seconds + 1}`];
      const tree = join(temporaryFolder(), 'out');
      const run = await command.run(words(good, tree, '--read-timeout', `${seconds}s`, ...hook));
      if (run.code === 75) continue;
      expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
      break;
    }
  });

  test('a hook that is interrupted is told once, and the summary is still printed', async () => {
    const tree = join(temporaryFolder(), 'out');
    const started = `${tree}.started`;
    const hook = ['--on-publish', `touch ${started}; sleep 600`];
    const running = command.start(words(good, tree, '--read-timeout', '366d', ...hook));
    await expect.poll(() => existsSync(started)).toBe(true);
    running.child.kill('SIGTERM');
    const run = await endOf(running);
    expect(run.code, run.stderr).toBe(0);
    expect(summaryOf(run).warnings).toMatchObject([{ message: 'the command was interrupted' }]);
  });

  test('however the limiting process ends, the build ends with it', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const running = command.start(words(endless, tree, '--read-timeout', '366d'));
    await untilAtWork(running);
    expect(lockFile(join(tree, '.lock'))).toEqual({ kind: 'busy' });
    running.child.kill('SIGKILL');
    await expectFree(tree);
    await running.ended;
    const heals = 'another view';
    tellFault({ situation: 'a query that never ends, and SIGKILL', sees: 'the old release', heals }, 'SIGKILL');
  });
});
