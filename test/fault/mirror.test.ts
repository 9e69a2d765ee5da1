// `import --mirror` killed, or failed by the system, in the very calls that change the database's
// files: the catalogue is what it was or, from the commit on, what the input is. The next run
// completes it.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { rowsIn } from '../support/database-rows.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK } from '../speeds.ts';
import { twoAtATime } from '../support/fault/build-with.ts';
import { Command } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { runDisturbed, treeCallsOf, type Disturbance, type TreeCall } from '../support/fault/system-calls.ts';

const command = new Command();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
const root = temporaryFolderOfFile();
const size = { fronts: ['alpha', 'bravo'], productsPerFront: 40, sessionsPerProduct: 4 };

/** Points are spread evenly over the run. */
const POINTS = IS_SOAK ? 40 : 12;

const DISTURBANCES: Readonly<Record<string, readonly Disturbance[]>> = {
  openat: ['EACCES', 'SIGKILL'],
  pwrite64: ['EIO', 'ENOSPC', 'SIGKILL'],
  ftruncate: ['EIO', 'SIGKILL'],
  fsync: ['EIO', 'SIGKILL'],
  fdatasync: ['EIO', 'SIGKILL'],
  unlink: ['SIGKILL'],
};

test('a mirror that is killed or failed at any point leaves the old rows or the new ones, never others', async () => {
  const base = join(root, 'base');
  mkdirSync(base);
  const database = catalogueAt(join(base, 'x.sqlite'), smallCatalogue({ ...size, edition: 'old' }));
  const before = rowsIn(database);
  const later = catalogueAt(
    join(root, 'later.sqlite'),
    smallCatalogue({ ...size, productsPerFront: 30, edition: 'young' }),
  );
  const after = rowsIn(later);
  const feed = join(root, 'feed.ndjson');
  writeFileSync(
    feed,
    TABLE_NAMES.flatMap((table) => (after[table] ?? []).map((row) => `${JSON.stringify({ table, row })}\n`)).join(''),
  );

  const wordsIn = (folder: string): string[] => [
    'import',
    '--mirror',
    feed,
    '--db',
    join(folder, 'x.sqlite'),
    '--json',
  ];
  const copyTo = (name: string): string => {
    const folder = join(root, name);
    cpSync(base, folder, { recursive: true });
    return folder;
  };
  const undisturbed = copyTo('undisturbed');
  const calls = await treeCallsOf(command, wordsIn(undisturbed), undisturbed);
  expect(rowsIn(join(undisturbed, 'x.sqlite'))).toEqual(after);
  const all = calls.flatMap((call: TreeCall) => (DISTURBANCES[call.name] ?? []).map((what) => ({ call, what })));
  const points = all.filter(
    (_, i) => Math.floor((i * POINTS) / all.length) !== Math.floor(((i - 1) * POINTS) / all.length),
  );
  const seen = { before: 0, after: 0 };
  const tasks = points.map(({ call, what }) => async () => {
    const folder = copyTo(`${call.name}-${call.path}-${call.nth}-${what}`);
    const situation = `${what} in ${call.name} ${call.nth} of ${call.path}`;
    const run = await runDisturbed(command, wordsIn(folder), folder, call, what);
    if (run === null) throw new Error(`${situation}: no such call`);
    const path = join(folder, 'x.sqlite');
    const rows = rowsIn(path);
    const isAfter = JSON.stringify(rows) === JSON.stringify(after);
    expect(isAfter ? after : before, situation).toEqual(rows);
    // What is reported as done is done.
    if (run.code === 0) expect(isAfter, situation).toBe(true);
    seen[isAfter ? 'after' : 'before'] += 1;
    const handle = new Database(path);
    expect(handle.pragma('integrity_check', { simple: true }), situation).toBe('ok');
    handle.close();
    expect(await command.run(wordsIn(folder)), situation).toMatchObject({ code: 0 });
    expect(rowsIn(path), situation).toEqual(after);
    rmSync(folder, { recursive: true });
  });
  await twoAtATime(tasks);
  expect(seen.before).toBeGreaterThan(POINTS / 10);
  expect(seen.after).toBeGreaterThan(0);
  const situation = 'import --mirror is killed, or a call on the database fails';
  tellFault({ situation, sees: 'the old release', heals: 'the next import --mirror' }, null, points.length);
});
