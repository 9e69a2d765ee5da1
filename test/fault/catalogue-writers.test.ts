// Every command that writes a catalogue, on a disk that fills at every size, and with every call
// failed: exit 0 says that all rows are there, and any other exit that they are as they were, or
// the new ones. Never others, and never half of a database.

import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { rowsIn } from '../support/database-rows.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { twoAtATime } from '../support/fault/build-with.ts';
import { Command, type Run } from '../support/fault/command.ts';
import { FailingCalls, failuresOf, FAILURES, someOf, type Failure } from '../support/fault/failing-calls.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { scarceDisk } from '../support/fault/scarce-disk.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { IS_SOAK, LENGTH } from '../speeds.ts';

const command = new Command();
const failing = new FailingCalls(command);
const tellFault = matrixOf(import.meta.url, IS_SOAK);
const root = temporaryFolderOfFile();
/** Failures that some test has tried. */
const tried = new Set<string>();

type Rows = Readonly<Record<string, unknown[]>>;

/** Files of rows and of databases that the runs begin with. */
const young = join(root, 'young.ndjson');
const more = join(root, 'more.ndjson');
const old = join(root, 'old.sqlite');

beforeAll(() => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 12, sessionsPerProduct: 3 };
  writeRows(young, rowsIn(catalogueAt(join(root, 'young.sqlite'), smallCatalogue({ ...size, edition: 'young' }))));
  // Rows with other ids than those of the old catalogue.
  const venues = Array.from({ length: 400 }, (_, i) => ({
    id: 5000 + i,
    name: `Hall ${i} `.repeat(20),
    timezone: 'UTC',
  }));
  writeRows(more, { venues });
  catalogueAt(old, smallCatalogue({ ...size, productsPerFront: 10, edition: 'old' }));
});

function writeRows(path: string, rows: Rows): void {
  const lines = TABLE_NAMES.flatMap((table) => (rows[table] ?? []).map((row) => `${JSON.stringify({ table, row })}\n`));
  writeFileSync(path, lines.join(''));
}

interface Writing {
  /** What is at the path before. */
  readonly before: 'nothing' | 'an empty file' | 'a catalogue' | 'a catalogue without WAL';
  readonly words: (path: string) => readonly string[];
  /** The same command may be run again after it has succeeded. */
  readonly isRepeatable: boolean;
}

const importing =
  (file: string, ...flags: string[]) =>
  (path: string): readonly string[] => ['import', file, ...flags, '--db', path];
const revoking = (path: string): readonly string[] => [
  'keys',
  'revoke',
  'alpha-site',
  '--at',
  '2026-05-01T09:00:00Z',
  '--db',
  path,
  '--out',
  join(path, '../out'),
];

const WRITINGS: Readonly<Record<string, Writing>> = {
  'import into a new catalogue': { before: 'nothing', words: importing(young), isRepeatable: false },
  'import --replace into a new catalogue': {
    before: 'nothing',
    words: importing(young, '--replace'),
    isRepeatable: true,
  },
  'import --mirror into a new catalogue': {
    before: 'nothing',
    words: importing(young, '--mirror'),
    isRepeatable: true,
  },
  'import into an empty file': { before: 'an empty file', words: importing(young), isRepeatable: false },
  'import into a catalogue': { before: 'a catalogue', words: importing(more), isRepeatable: false },
  'import --replace into a catalogue': {
    before: 'a catalogue',
    words: importing(young, '--replace'),
    isRepeatable: true,
  },
  'import --mirror into a catalogue': {
    before: 'a catalogue',
    words: importing(young, '--mirror', '--allow', 'max-shrink'),
    isRepeatable: true,
  },
  'import --mirror into one without WAL': {
    before: 'a catalogue without WAL',
    words: importing(young, '--mirror', '--allow', 'max-shrink'),
    isRepeatable: true,
  },
  'keys revoke': { before: 'a catalogue', words: revoking, isRepeatable: true },
};

/** Makes what a run begins with in a folder. @returns the path of the catalogue */
function begun({ before }: Writing, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'x.sqlite');
  if (before === 'an empty file') writeFileSync(path, '');
  if (before !== 'a catalogue' && before !== 'a catalogue without WAL') return path;
  copyFileSync(old, path);
  if (before === 'a catalogue') return path;
  const database = new Database(path);
  database.pragma('journal_mode = DELETE');
  database.close();
  return path;
}

/**
 * The rows at a path; null where there is no database or one without tables. Fails where it is
 * damaged.
 */
function rowsAt(path: string, situation: string): Rows | null {
  if (!existsSync(path)) return null;
  // Not read-only: what an interrupted writer has left is put right first, as the next command
  // does.
  const database = new Database(path);
  try {
    expect(database.pragma('integrity_check', { simple: true }), situation).toBe('ok');
    expect(database.pragma('foreign_key_check'), situation).toEqual([]);
    if (database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return null;
  } finally {
    database.close();
  }
  return rowsIn(path);
}

/** Judges a run by what it has left. @returns whether the rows are the new ones */
async function judged(path: string, run: Run, expected: Expected, situation: string): Promise<boolean> {
  if (run.signal === null) expect([0, 2], `${situation}: ${run.stderr}`).toContain(run.code);
  else expect(situation).toContain(run.signal);
  expect(run.stderr, situation).not.toMatch(/error bug|\n +at /);
  const rows = rowsAt(path, situation);
  const isAfter = JSON.stringify(rows) === JSON.stringify(expected.after);
  if (!isAfter) expect(rows, situation).toEqual(expected.before);
  if (run.code === 0) expect(isAfter, `${situation}: ${run.stdout}`).toBe(true);
  else if (run.code === 2) expect(run.stderr, situation).toMatch(/^error (database|import)-[a-z-]+: .*\n  hint: /);
  return isAfter;
}

interface Expected {
  readonly before: Rows | null;
  readonly after: Rows;
}

async function expectedOf(writing: Writing, name: string): Promise<Expected> {
  const folder = join(root, `expected-${name}`);
  const path = begun(writing, folder);
  const before = rowsAt(path, 'before');
  expect(await command.run(writing.words(path)), name).toMatchObject({ code: 0 });
  const after = rowsAt(path, 'after');
  if (after === null) throw new Error('expected rows');
  rmSync(folder, { recursive: true });
  return { before, after };
}

/**
 * The same command again finds nothing in its way, and ends with the new rows; or says that they
 * are there.
 */
async function expectMended(writing: Writing, path: string, isAfter: boolean, expected: Expected, situation: string) {
  const again = await command.run(writing.words(path));
  const code = isAfter && !writing.isRepeatable ? 2 : 0;
  expect(again, `the next run after ${situation}: ${again.stderr}`).toMatchObject({ code });
  expect(rowsAt(path, situation), `the next run after ${situation}`).toEqual(expected.after);
}

/** Between two sizes of the disk, in blocks. */
const STEP = IS_SOAK ? 2 : 20;
/** With more and more room. */
const SUCCESSES = IS_SOAK ? 3 : 1;

const SITUATION = { sees: 'the old release', heals: 'make room, and repeat the command' } as const;

describe.each(Object.entries(WRITINGS))('%s', (name, writing) => {
  test('on a disk that fills at every size', async () => {
    const expected = await expectedOf(writing, `${name}-full`);
    const disk = scarceDisk(join(temporaryFolder(), 'disk'));
    const folder = join(disk.folder, 'catalogue');
    let successes = 0;
    let failures = 0;
    for (let blocks = 0; successes < SUCCESSES; blocks += STEP) {
      const path = begun(writing, folder);
      const situation = `${name} with room for ${blocks} blocks`;
      const run = await command.run(writing.words(path), { through: disk.leave(blocks) });
      disk.relieve();
      const isAfter = await judged(path, run, expected, situation);
      if (run.code === 0) successes += 1;
      else failures += 1;
      if (run.code !== 0 && writing.before === 'nothing') expect(readdirSync(folder), situation).toEqual([]);
      if (blocks % (4 * STEP) === 0) await expectMended(writing, path, isAfter, expected, situation);
      rmSync(folder, { recursive: true });
    }
    expect(failures).toBeGreaterThan(0);
    tellFault({ situation: 'the disk fills in an import or in `keys revoke`', ...SITUATION }, null, 'at least 100');
  });

  test('with each call failed, one by one', async () => {
    const expected = await expectedOf(writing, `${name}-calls`);
    const undisturbed = join(root, 'undisturbed');
    const { run: good, calls } = await failing.callsOf(writing.words(begun(writing, undisturbed)), undisturbed);
    rmSync(undisturbed, { recursive: true });
    expect(good, good.stderr).toMatchObject({ code: 0 });
    expect([...new Set(calls.map((call) => call.name))].filter((call) => !(call in FAILURES))).toEqual([]);
    const points = someOf(failuresOf(calls, LENGTH), 47, tried);
    const seen = { before: 0, after: 0 };
    const tasks = points.map(([call, failure]: readonly [(typeof calls)[number], Failure], i) => async () => {
      const folder = join(root, `calls-${i}`);
      const path = begun(writing, folder);
      const situation = `${name}, ${failure} in ${call.name} ${call.at} on ${call.path}`;
      const run = await failing.run(writing.words(path), folder, call, failure);
      const isAfter = await judged(path, run, expected, situation);
      seen[isAfter ? 'after' : 'before'] += 1;
      if (failure === 'SIGKILL' || i % 4 === 0) {
        await expectMended(writing, path, isAfter, expected, situation);
        expect(
          readdirSync(folder).filter((left) => left.includes('.import-')),
          situation,
        ).toEqual([]);
      }
      rmSync(folder, { recursive: true });
    });
    await twoAtATime(tasks);
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.after).toBeGreaterThan(0);
    tellFault(
      { situation: 'a call fails, or the process is killed in it, in an import or in `keys revoke`', ...SITUATION },
      null,
      'at least 500',
    );
  });
});
