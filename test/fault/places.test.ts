// Bad places: a tree that cannot be written, that is full, in use or a newer tool's, and a database
// that cannot be read. Each run ends with the exit code for it, and leaves what was published as it
// was.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { AS_ANYONE, Command, errorCodeOf, summaryOf, type Running } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, EMPTY_TREE, stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { mountMemory, scarceDisk } from '../support/fault/scarce-disk.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';
import { IS_SOAK } from '../speeds.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);

/** A published tree, and one in which the release of another database has taken its place. */
let base = '';
let database = '';
let before: TreeState;
let after: TreeState;
let expected: ReadonlyMap<string, string>;

const wordsOf = (out: string, db = database): string[] => ['build', '--db', db, '--out', out, '--now', NOW, '--json'];

beforeAll(async () => {
  const size = { fronts: ['alpha', 'bravo', 'charlie'], productsPerFront: 2, sessionsPerProduct: 1 };
  const old = catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...size, edition: 'old' }));
  database = catalogueAt(join(folder, 'new.sqlite'), smallCatalogue({ ...size, edition: 'young' }));
  base = join(folder, 'base');
  const undisturbed = join(folder, 'undisturbed');
  expect(await command.run(wordsOf(base, old))).toMatchObject({ code: 0 });
  copyTree(base, undisturbed);
  expect(await command.run(wordsOf(undisturbed))).toMatchObject({ code: 0 });
  [before, after, expected] = [stateOf(base), stateOf(undisturbed), filesOf(undisturbed)];
});

/** The next run finishes. */
async function expectFinish(tree: string): Promise<void> {
  const run = await command.run(wordsOf(tree));
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(filesOf(tree)).toEqual(expected);
}

describe('too little room', () => {
  test('wherever a disk becomes full, what was published stands, and with room again the retry finishes', async () => {
    const disk = scarceDisk(join(temporaryFolder(), 'disk'));
    const tree = join(disk.folder, 'out');
    // In WAL mode the database would want room too, for its index of the log.
    const plain = join(folder, 'plain.sqlite');
    copyFileSync(database, plain);
    const handle = new Database(plain);
    handle.pragma('journal_mode = DELETE');
    handle.close();
    let runs = 0;
    for (let blocks = 0; ; blocks += blocks < 4 ? 1 : IS_SOAK ? 3 : 6) {
      copyTree(base, tree);
      const through = disk.leave(blocks);
      const run = await command.run(wordsOf(tree, plain), { through });
      runs += 1;
      const sight = checkAsReader(tree, before, after);
      expect(sight.temporaries, 'temporary files are cleared').toBe(0);
      if (run.code === 0) break;
      expect(run, run.stderr).toMatchObject({ code: 6 });
      expect(errorCodeOf(run)).toBe(disk.errorCode);
      disk.relieve();
      await expectFinish(tree);
      rmSync(tree, { recursive: true });
    }
    expect(filesOf(tree)).toEqual(expected);
    expect(runs).toBeGreaterThan(5);
    const heals = 'make room; the next build';
    tellFault({ situation: 'the disk becomes full', sees: 'each front old or new, whole', heals }, 6, 'at least 5');
  }, 240_000);

  test('a file system without free inodes is full too, be it for the lock', async () => {
    const root = temporaryFolder();
    // One inode is the root's, then come the tree, its lock, its folders.
    const counts = [1, 2, 3, 5].filter((count) =>
      mountMemory(join(root, `inodes-${count}`), `size=1m,nr_inodes=${count}`),
    );
    for (const count of counts) {
      const tree = join(root, `inodes-${count}`, 'out');
      const run = await command.run(wordsOf(tree));
      expect(run, run.stderr).toMatchObject({ code: 6 });
      expect(errorCodeOf(run)).toBe('tree-full');
      if (existsSync(tree)) checkAsReader(tree, EMPTY_TREE, after);
    }
    const situation = 'the file system has no free inode';
    tellFault({ situation, sees: 'nothing: no tree yet', heals: 'make room; the next build' }, 6, 4);
  });
});

describe('a tree that cannot be written', () => {
  const expectNotWritable = async (tree: string, through: readonly string[] = []): Promise<void> => {
    const run = await command.run(wordsOf(tree), { through });
    expect(run, run.stderr).toMatchObject({ code: 6 });
    expect(errorCodeOf(run)).toBe('tree-not-writable');
    const situation = 'the tree, its lock or its disk may not be written';
    tellFault({ situation, sees: 'the old release', heals: 'permission to write; the next build' }, run.code);
  };

  test('where the output path is a file, or lies below one', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, 'mine');
    await expectNotWritable(file);
    await expectNotWritable(join(file, 'out'));
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('where a folder of the tree is a file', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    rmSync(join(tree, 'edge'), { recursive: true });
    writeFileSync(join(tree, 'edge'), 'mine');
    const stamps = stampsOf(tree);
    await expectNotWritable(tree);
    expect(stampsOf(tree)).toEqual(stamps);
  });

  test.each(['all of it', 'its lock alone', 'all but its lock'])('by its permissions: %s', async (what) => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const lock = join(tree, '.lock');
    const entries = readdirSync(tree, { recursive: true, withFileTypes: true }).map((entry) =>
      join(entry.parentPath, entry.name),
    );
    const paths =
      what === 'its lock alone' ? [lock] : [tree, ...entries].filter((path) => what === 'all of it' || path !== lock);
    const modes = paths.map((path) => [path, statSync(path).mode] as const);
    const stamps = stampsOf(tree);
    for (const path of paths) chmodSync(path, statSync(path).mode & 0o555);
    await expectNotWritable(tree, AS_ANYONE);
    expect(stampsOf(tree)).toEqual(stamps);
    for (const [path, mode] of modes) chmodSync(path, mode);
    await expectFinish(tree);
  });

  test('on a file system that is mounted for reading only', async () => {
    const disk = join(temporaryFolder(), 'disk');
    if (!mountMemory(disk, 'size=16m')) return;
    const tree = copyTree(base, join(disk, 'out'));
    const stamps = stampsOf(tree);
    expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
    await expectNotWritable(tree);
    expect(stampsOf(tree)).toEqual(stamps);
    expect(spawnSync('mount', ['-o', 'remount,rw', disk]).status).toBe(0);
    await expectFinish(tree);
  });
});

test('a dry run makes nothing, not even the folder, and foretells what the run does', async () => {
  const tree = join(temporaryFolder(), 'out');
  const dry = await command.run([...wordsOf(tree), '--dry-run']);
  expect(dry, dry.stderr).toMatchObject({ code: 0 });
  expect(existsSync(tree)).toBe(false);
  const { isDryRun, plan, differences, ...foretold } = summaryOf(dry);
  const { history, ...done } = summaryOf(await command.run(wordsOf(tree)));
  expect({ ...foretold, isDryRun: false }).toEqual({ ...done, history: null });
  expect(history).toEqual({ releases: 0, files: 0, bytes: 0 });
  expect([isDryRun, plan?.length]).toEqual([true, filesOf(tree).size]);
  expect(differences?.added.map(({ front }) => front)).toEqual(foretold.fronts.map(({ front }) => front));
});

describe('two runs at once', () => {
  /** A run that has stopped in the middle of its contents, holding the lock. */
  const startAndStop = async (tree: string): Promise<Running> => {
    const running = command.start(wordsOf(tree), { steps: { tree, signal: 'SIGSTOP 12' } });
    const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${running.child.pid}/stat`, 'utf8'));
    while (!isStopped()) await sleep(5);
    return running;
  };

  /** Another run is refused, and writes and sweeps nothing. */
  const expectRefused = async (tree: string): Promise<void> => {
    const stamps = stampsOf(tree);
    expect([...stamps.keys()].filter((path) => path.endsWith('.tmp')).length).toBeGreaterThan(0);
    const run = await command.run(wordsOf(tree));
    expect(run, run.stderr).toMatchObject({ code: 5 });
    expect(errorCodeOf(run)).toBe('tree-locked');
    expect(await command.run([...wordsOf(tree), '--dry-run'])).toMatchObject({ code: 0 });
    expect(stampsOf(tree)).toEqual(stamps);
  };

  test('the second one is refused and writes nothing, and the first one finishes', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const first = await startAndStop(tree);
    await expectRefused(tree);
    first.child.kill('SIGCONT');
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(filesOf(tree)).toEqual(expected);
  });

  test('several that start at one instant: of those that write at one time, one does', async () => {
    const PAIRS = 4;
    for (let i = 0; i < PAIRS; i++) {
      const tree = copyTree(base, join(temporaryFolder(), 'out'));
      const runs = await Promise.all([
        command.run(wordsOf(tree)),
        command.run(wordsOf(tree)),
        command.run(wordsOf(tree)),
      ]);
      const codes = runs.map(({ code }) => code);
      expect(codes).toContain(0);
      expect(codes.filter((code) => code !== 0 && code !== 5)).toEqual([]);
      for (const run of runs) if (run.code === 5) expect(errorCodeOf(run)).toBe('tree-locked');
      expect(filesOf(tree)).toEqual(expected);
    }
    const heals = 'nothing: the one that was first finishes';
    tellFault({ situation: 'several builds at once', sees: 'the new release', heals }, 5, PAIRS);
    tellFault({ situation: 'several builds at once', sees: 'the new release', heals }, 0, 0);
  });

  test('the lock dies with its holder', async () => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    const first = await startAndStop(tree);
    await expectRefused(tree);
    first.child.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    await expectFinish(tree);
    const situation = 'the holder of the lock is killed';
    tellFault({ situation, sees: 'each front old or new, whole', heals: 'the next build' }, 'SIGKILL');
  });
});

/** Rewrites a file of a tree. */
function edit(tree: string, path: string, change: (text: string) => string): void {
  const text = readFileSync(join(tree, path), 'utf8');
  expect(change(text)).not.toBe(text);
  writeFileSync(join(tree, path), change(text));
}

const manifestPath = (): string => `releases/${before.current?.trimEnd()}.json`;

describe('a tree that a newer Playbill has written', () => {
  const newer = (text: string): string => text.replace(/^\{"schema":[12],/, '{"schema":3,"unheardOf":true,');

  test.each([
    ['a pointer', () => 'public/fronts/charlie/pointer.json', []],
    ['a pointer of a front that is not selected', () => 'public/fronts/charlie/pointer.json', ['--front', 'alpha']],
    ['the manifest in force', manifestPath, []],
    ['the key ring', () => 'edge/keyring.json', []],
    ['a pointer, in a dry run', () => 'public/fronts/charlie/pointer.json', ['--dry-run']],
    ['a pointer, even under --force', () => 'public/fronts/charlie/pointer.json', ['--force']],
  ])('is not touched: %s', async (_, path, flags) => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    edit(tree, path(), newer);
    writeFileSync(join(tree, 'public/fronts/alpha/.theirs.json.tmp'), 'on its way');
    const stamps = stampsOf(tree);
    const run = await command.run([...wordsOf(tree), ...flags]);
    expect(run, run.stderr).toMatchObject({ code: 2 });
    expect(errorCodeOf(run)).toBe('tree-newer-schema');
    expect(stampsOf(tree)).toEqual(stamps);
    const situation = 'a newer Playbill has written a file of the tree';
    tellFault({ situation, sees: 'the old release', heals: 'that version, or another folder' }, run.code);
  });
});

describe('torn files', () => {
  const half = (text: string): string => text.slice(0, text.length / 2);

  test.each([
    ['a pointer cut in half', () => 'public/fronts/bravo/pointer.json', half, 'pointer-invalid'],
    ['an empty pointer', () => 'public/fronts/bravo/pointer.json', () => '', 'pointer-invalid'],
    [
      'a pointer of an older shape',
      () => 'public/fronts/bravo/pointer.json',
      (text: string) => text.replace('"now"', '"then"'),
      'pointer-invalid',
    ],
    [
      'another front’s pointer',
      () => 'public/fronts/bravo/pointer.json',
      (text: string) => text.replace('"bravo"', '"alpha"'),
      'pointer-invalid',
    ],
    ['the manifest in force cut in half', manifestPath, half, 'manifest-invalid'],
    [
      'a `current` that names nothing',
      () => 'releases/current',
      () => '20260501T090000Z-0123456789abcdef\n',
      'manifest-invalid',
    ],
    ['a `current` that is no name', () => 'releases/current', () => '../../etc\n', 'current-invalid'],
    ['a key ring cut in half', () => 'edge/keyring.json', half, 'key-ring-invalid'],
  ])('%s is healed by the next build, with a warning', async (what, path, tear, code) => {
    const tree = copyTree(base, join(temporaryFolder(), 'out'));
    edit(tree, path(), tear);
    const place = code === 'manifest-invalid' ? expect.stringMatching(/^releases\//) : path();
    const run = await command.run(wordsOf(tree));
    expect(run, run.stderr).toMatchObject({ code: 0 });
    const warning = { severity: 'warning', code, place, message: expect.any(String) };
    // A manifest that cannot be read might name any file: in that build nothing is pruned.
    const notPruned = { severity: 'warning', code: 'not-pruned', place: 'releases', message: expect.any(String) };
    expect(summaryOf(run).findings).toEqual(
      what === 'the manifest in force cut in half' ? [warning, notPruned] : [warning],
    );
    // The torn manifest of the older release is not built again; nobody needs it once another is
    // current.
    const older = manifestPath();
    const withoutOlder = (files: ReadonlyMap<string, string>) => [...files].filter(([file]) => file !== older);
    expect(withoutOlder(filesOf(tree))).toEqual(withoutOlder(expected));
    const situation = 'a pointer, the manifest in force, `current` or the key ring is torn';
    tellFault({ situation, sees: 'the new release', heals: 'that build' }, run.code);
  });
});
