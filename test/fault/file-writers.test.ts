// Every command that writes files beside a tree and a catalogue, or its result into a file, on a
// disk that fills at every size, and with every call failed: exit 0 says that all is there, whole.
// A private key is never lost, and never without its public half.

import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { issuedKeySchema } from '../../src/contract/results/keys.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { buildHere, twoAtATime, wordsOf } from '../support/fault/build-with.ts';
import { Command, type Run } from '../support/fault/command.ts';
import { FailingCalls, failuresOf, FAILURES, someOf } from '../support/fault/failing-calls.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { scarceDisk } from '../support/fault/scarce-disk.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { IS_SOAK, LENGTH } from '../speeds.ts';

const command = new Command();
const failing = new FailingCalls(command);
const tellFault = matrixOf(import.meta.url, IS_SOAK);
const root = temporaryFolderOfFile();
/** Failures that some test has tried. */
const tried = new Set<string>();
const catalogue = join(root, 'x.sqlite');
const tree = join(root, 'tree');

beforeAll(async () => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 30, sessionsPerProduct: 2 };
  catalogueAt(catalogue, smallCatalogue({ ...size, edition: 'old' }));
  await buildHere(catalogue, tree);
});

interface Writing {
  /** The command, run in a folder that has a catalogue `x.sqlite` and a tree `out`. */
  readonly words: (folder: string) => readonly string[];
  /** Where its standard output goes, a file in the folder. */
  readonly stdout?: string;
  /**
   * Whether a call on a path in the folder is failed here: those on a tree are failed by
   * system-calls.test.ts.
   */
  readonly isOurs: (path: string) => boolean;
  /**
   * What is the same in every undisturbed run, of what this one has left; and what must hold
   * however it ended.
   */
  readonly leaves: (folder: string, run: Run) => unknown;
}

const databaseAnd = (folder: string): readonly string[] => [
  '--db',
  join(folder, 'x.sqlite'),
  '--out',
  join(folder, 'out'),
];

/** The files of a folder by name; null where there is none. */
function textsIn(folder: string): unknown {
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    // A folder's own path may stand in them.
    const text = (): string => readFileSync(path, 'utf8').replaceAll(dirname(folder), '');
    return statSync(path).isFile() ? [[name, text()]] : [];
  });
}

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/**
 * The names of the metrics of a textfile, which is whole: a collector would drop one that is torn.
 */
function metricsIn(path: string): unknown {
  const text = textOf(path);
  if (text === null) return null;
  const lines = text.trimEnd().split('\n');
  expect(text.endsWith('\n')).toBe(true);
  for (const line of lines) expect(line).toMatch(/^(#.*|\w+(\{.*\})? -?[\d.e+]+)$/);
  return lines.map((line) => line.replace(/ [\d.e+-]+$/, ''));
}

/**
 * The new key: in the catalogue never without its private half in the file.
 * @returns where it is
 */
function issuedIn(folder: string): unknown {
  const database = new Database(join(folder, 'x.sqlite'));
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const query = database.prepare<[], string>("SELECT public_key FROM front_keys WHERE keyid = 'new'");
  const stored = query.pluck().get();
  database.close();
  const file = textOf(join(folder, 'key.json'));
  if (stored !== undefined) {
    const { x, y } = JSON.parse(stored) as { readonly x: string; readonly y: string };
    expect(issuedKeySchema.parse(JSON.parse(file ?? 'null'))).toMatchObject({ keyid: 'new', privateKey: { x, y } });
  }
  const ring = textOf(join(folder, 'out/edge/keyring.json')) ?? '';
  expect(() => JSON.parse(ring) as unknown).not.toThrow();
  return { isStored: stored !== undefined, hasFile: file !== null && file !== '', isPublished: ring.includes('"new"') };
}

/** In place of what an undisturbed run leaves, where it is said that this is missing. */
const WARNED = 'warned';

const ISSUE = ['keys', 'issue', '--front', 'alpha', '--keyid', 'new'];
const isStdout = (path: string): boolean => path === '/result';

const WRITINGS: Readonly<Record<string, Writing>> = {
  'keys issue --to': {
    words: (folder) => [...ISSUE, '--to', join(folder, 'key.json'), ...databaseAnd(folder)],
    isOurs: (path) => !/^\/(x\.sqlite|out\/\.lock)/.test(path),
    leaves: issuedIn,
  },
  'keys issue > FILE': {
    words: (folder) => [...ISSUE, ...databaseAnd(folder)],
    stdout: 'result',
    isOurs: isStdout,
    leaves: (folder) => issuedKeySchema.safeParse(JSON.parse(textOf(join(folder, 'result')) || 'null')).success,
  },
  'export > FILE': {
    words: (folder) => ['export', '--db', join(folder, 'x.sqlite')],
    stdout: 'result',
    isOurs: isStdout,
    leaves: (folder) => textOf(join(folder, 'result')),
  },
  'openapi > FILE': {
    words: () => ['openapi'],
    stdout: 'result',
    isOurs: isStdout,
    leaves: (folder) => textOf(join(folder, 'result')),
  },
  'build --help > FILE': {
    words: () => ['build', '--help'],
    stdout: 'result',
    isOurs: isStdout,
    leaves: (folder) => textOf(join(folder, 'result')),
  },
  'build --json > FILE': {
    words: (folder) => wordsOf(join(folder, 'x.sqlite'), join(folder, 'out')),
    stdout: 'result',
    isOurs: isStdout,
    leaves: (folder, run) => run.code !== 0 || (JSON.parse(textOf(join(folder, 'result')) ?? '') as unknown) !== null,
  },
  'openapi --schemas': {
    words: (folder) => ['openapi', '--schemas', join(folder, 'schemas')],
    // Of the many files a few.
    isOurs: (path) => /^\/schemas(\/p.*)?$/.test(path),
    leaves: (folder) => textsIn(join(folder, 'schemas')),
  },
  'edge build': {
    words: (folder) => [
      'edge',
      'build',
      '--target',
      'worker',
      '--to',
      join(folder, 'edge'),
      '--out',
      join(folder, 'out'),
    ],
    isOurs: (path) => path.startsWith('/edge'),
    leaves: (folder) => textsIn(join(folder, 'edge')),
  },
  'status --prometheus': {
    words: (folder) => [
      'status',
      '--at',
      NOW,
      '--prometheus',
      join(folder, 'playbill.prom'),
      '--out',
      join(folder, 'out'),
    ],
    isOurs: (path) => path.includes('playbill.prom'),
    leaves: (folder) => metricsIn(join(folder, 'playbill.prom')),
  },
  'build --prometheus': {
    words: (folder) => [
      ...wordsOf(join(folder, 'x.sqlite'), join(folder, 'out')),
      '--prometheus',
      join(folder, 'playbill.prom'),
    ],
    isOurs: (path) => path.includes('playbill.prom'),
    leaves: (folder, { stderr }) =>
      // The release is published: that its metrics could not be written is a warning.
      stderr.startsWith('warning metrics-not-writable') ? WARNED : metricsIn(join(folder, 'playbill.prom')),
  },
};

function begunIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  copyFileSync(catalogue, join(folder, 'x.sqlite'));
  cpSync(tree, join(folder, 'out'), { recursive: true, preserveTimestamps: true });
  return folder;
}

/** What to start a run through, so that its standard output goes into a file. */
function throughOf({ stdout }: Writing, folder: string): readonly string[] {
  return stdout === undefined ? [] : ['sh', '-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', join(folder, stdout)];
}

function judge(run: Run, leaves: Writing['leaves'], folder: string, expected: unknown, situation: string): void {
  if (run.signal === null) expect([0, 2, 6], `${situation}: ${run.stderr}`).toContain(run.code);
  else expect(situation).toContain(run.signal);
  expect(run.stderr, situation).not.toMatch(/error bug|\n +at /);
  const left = run.code === 0 || leaves === issuedIn ? leaves(folder, run) : null;
  if (run.code === 0) expect([expected, WARNED], `${situation}: ${run.stderr}`).toContainEqual(left);
  else if (run.signal === null) expect(run.stderr, situation).toMatch(/error [a-z-]+: .*\n  hint: /);
}

/** Between two sizes of the disk, in blocks. */
const STEP = IS_SOAK ? 1 : 10;
/** With more and more room. */
const SUCCESSES = IS_SOAK ? 4 : 1;

const SITUATION = { sees: 'the old release', heals: 'make room, and repeat the command' } as const;

describe.each(Object.entries(WRITINGS))('%s', (name, writing) => {
  test('on a disk that fills at every size', async () => {
    const undisturbed = begunIn(join(root, 'undisturbed'));
    const good = await command.run(writing.words(undisturbed), { through: throughOf(writing, undisturbed) });
    expect(good, good.stderr).toMatchObject({ code: 0 });
    const expected = writing.leaves(undisturbed, good);
    rmSync(undisturbed, { recursive: true });
    const disk = scarceDisk(join(temporaryFolder(), 'disk'));
    const folder = join(disk.folder, 'files');
    let successes = 0;
    let failures = 0;
    for (let blocks = 0; successes < SUCCESSES; blocks += STEP) {
      begunIn(folder);
      const limit = disk.leave(blocks);
      const run = await command.run(writing.words(folder), { through: [...limit, ...throughOf(writing, folder)] });
      disk.relieve();
      judge(run, writing.leaves, folder, expected, `${name} with room for ${blocks} blocks`);
      if (run.code === 0) successes += 1;
      else failures += 1;
      rmSync(folder, { recursive: true });
    }
    if (name !== 'build --prometheus') expect(failures).toBeGreaterThan(0);
    tellFault({ situation: 'the disk fills while a file or a result is written', ...SITUATION }, null, 'at least 40');
  });

  test('with each call failed, one by one', async () => {
    const undisturbed = begunIn(join(root, 'undisturbed'));
    const { run: good, calls } = await failing.callsOf(writing.words(undisturbed), undisturbed, {
      through: throughOf(writing, undisturbed),
    });
    expect(good, good.stderr).toMatchObject({ code: 0 });
    const expected = writing.leaves(undisturbed, good);
    rmSync(undisturbed, { recursive: true });
    const ours = calls.filter(({ path }) => writing.isOurs(path));
    expect(ours.length).toBeGreaterThan(0);
    expect([...new Set(ours.map((call) => call.name))].filter((call) => !(call in FAILURES))).toEqual([]);
    const tasks = someOf(failuresOf(ours, LENGTH - 1), 61, tried).map(([call, failure], i) => async () => {
      const folder = begunIn(join(root, `calls-${i}`));
      const situation = `${name}, ${failure} in ${call.name} ${call.at} on ${call.path}`;
      const through = throughOf(writing, folder);
      const run = await failing.run(writing.words(folder), folder, call, failure, { through });
      // Where the shell could not open the file, the command has not run.
      if (!(call.name === 'open' && writing.isOurs === isStdout))
        judge(run, writing.leaves, folder, expected, situation);
      rmSync(folder, { recursive: true });
    });
    await twoAtATime(tasks);
    tellFault(
      { situation: 'a call on a file that is written fails, or the process is killed in it', ...SITUATION },
      null,
      'at least 200',
    );
  });
});
