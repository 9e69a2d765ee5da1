// Benchmarks a catalogue of one size: whole processes of the compiled command, compared with the
// floor (floor.ts), with starting Node, and with a simple per-front script that must give the same
// bytes; then a run from cron. Figures are medians of interleaved rounds; only ratios matter.

import { copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { seedCatalogue } from '../seed.ts';
import { sell } from './changes.ts';
import { filesIn, scanSeconds, writeSeconds } from './floor.ts';
import { contentDifference } from './same-content.ts';
import { median, type Row } from './table.ts';
import { interleaved, printed, resourcesOf, timed } from './timing.ts';

export type Size = 'S' | 'M' | 'L';

export interface SizeOptions {
  readonly size: Size;
  readonly rounds: number;
  /** The root of the checkout; the command is compiled. */
  readonly root: string;
  /** A folder in memory, for trees. */
  readonly memory: string;
  /** A folder on disk, for databases. */
  readonly disk: string;
  /** The kind of work to profile, and the folder for its CPU profiles; null for none. */
  readonly profile: { readonly work: string; readonly folder: string } | null;
}

const NOW = '2026-05-01T09:00:00Z';
const MINUTES_LATER = ['2026-05-01T09:05:00Z', '2026-05-01T09:10:00Z'] as const;
const ONE_EDITION = ['--horizon', '0'];

export function benchSize(options: SizeOptions): Row[] {
  const { size, rounds, root, memory, disk } = options;
  const tables = join(disk, `${size}.sqlite`);
  process.stderr.write(`${size}: seeding …\n`);
  seedCatalogue({ path: tables, size, now: NOW, seed: 1 });
  const views = asViews(tables, join(disk, `${size}-views.sqlite`));
  const tree = join(memory, size);
  const fresh = join(memory, `${size}-fresh`);
  const main = `${root}dist/cli/main.js`;
  /** The seconds of a playbill command; `work` is its name for --profile. */
  const ours = (work: string, ...argv: string[]): number => {
    const isProfiled = options.profile?.work === work;
    const flags = isProfiled ? ['--cpu-prof', '--cpu-prof-dir', options.profile?.folder ?? ''] : [];
    return timed(process.execPath, [...flags, main, ...argv]);
  };
  const intoEmpty = (work: string, out: string, ...more: string[]): number => {
    rmSync(out, { recursive: true, force: true });
    return ours(work, ...buildArgv(tables, out, NOW, ...more));
  };

  process.stderr.write(`${size}: one edition, ${rounds} rounds …\n`);
  const one = interleaved(rounds, {
    node: () => timed(process.execPath, ['-e', '0']),
    version: () => ours('version', '--version'),
    full: () => intoEmpty('full', tree, ...ONE_EDITION),
    scan: () => scanSeconds(tables),
    write: () => writeSeconds(tree, fresh),
  });
  const bytesOne = treeBytes(tree);
  const [node, full] = [one['node'] ?? NaN, one['full'] ?? NaN];
  const floor = (one['scan'] ?? NaN) + (one['write'] ?? NaN);
  const peak = resourcesOf([main, ...buildArgv(tables, fresh, NOW, ...ONE_EDITION)], memory).peakBytes;
  const rows: Row[] = [
    {
      what: `full build, one edition, ${megabytes(bytesOne)}, against the floor (scan ${inSeconds(one['scan'])}, writing ${inSeconds(one['write'])})`,
      measured: `${inSeconds(full)} = ${times(full, floor)}`,
      goal: size === 'L' ? '≤ 4.5 ×' : '-',
    },
    { what: 'the same against `node -e 0`', measured: times(full, node), goal: size === 'S' ? '≤ 5 ×' : '-' },
    { what: 'its peak memory', measured: megabytes(peak), goal: size === 'L' ? '≤ 350 MB' : '-' },
    { what: '`playbill --version` against `node -e 0`', measured: times(one['version'], node), goal: '≤ 1.3 ×' },
  ];
  if (size !== 'L') {
    rows.push(plainRow(options, tables, fresh, full), dayRow(intoEmpty, fresh, full / bytesOne, size));
    rows.push(importRow(options, tables, ours));
  }
  rows.push(differencesRow(options, main, fresh));
  rows.push(...cronRows(options, { tables, views }, tree, ours));
  for (const path of [tables, views]) rmSync(path);
  return rows;
}

function buildArgv(database: string, out: string, now: string, ...more: string[]): string[] {
  return ['build', '--db', database, '--out', out, '--now', now, ...more];
}

/**
 * A run from cron, at the default horizon: five minutes later, one product in a thousand has
 * changed.
 */
function cronRows(
  { size, rounds }: SizeOptions,
  databases: { readonly tables: string; readonly views: string },
  tree: string,
  ours: (work: string, ...argv: string[]) => number,
): Row[] {
  process.stderr.write(`${size}: the run that cron makes, ${rounds} rounds …\n`);
  let changes = 0;
  const change = (): void => {
    changes += 1;
    sell(databases.tables, '', changes);
    sell(databases.views, 'own_', changes);
  };
  const cron = interleaved(rounds, {
    horizon: () => {
      rmSync(tree, { recursive: true, force: true });
      return ours('horizon', ...buildArgv(databases.tables, tree, NOW));
    },
    cron: () => {
      change();
      return ours('cron', ...buildArgv(databases.tables, tree, MINUTES_LATER[0]));
    },
    cronViews: () => {
      change();
      return ours('cronViews', ...buildArgv(databases.views, tree, MINUTES_LATER[1]));
    },
  });
  const bytes = treeBytes(tree);
  const started = Date.now();
  change();
  ours('last', ...buildArgv(databases.tables, tree, '2026-05-01T09:15:00Z'));
  const paths = filesIn(tree);
  const written = paths.filter((path) => statSync(path).mtimeMs >= started);
  const count = (of: readonly string[], name: RegExp): number => of.filter((path) => name.test(path)).length;
  const [pointer, edition] = [/\/pointer\.json$/, /\/(products|categories)\.[0-9a-f]{16}\.json$/];
  rmSync(tree, { recursive: true, force: true });
  const goal = { S: '-', M: '≤ 0.5 ×', L: '≤ 0.45 ×' }[size];
  const full = cron['horizon'];
  return [
    { what: `full build, default horizon, ${megabytes(bytes)}`, measured: inSeconds(full), goal: '-' },
    { what: 'the run that cron makes, against it, from tables', measured: times(cron['cron'], full, 2), goal },
    { what: 'the same from views', measured: times(cron['cronViews'], full, 2), goal },
    {
      what: 'files that it writes',
      measured: `${count(written, pointer)} of ${count(paths, pointer)} pointers, ${count(written, edition)} of ${count(paths, edition)} editions`,
      goal: 'those of fronts that changed',
    },
  ];
}

/** Fronts in three languages and on three channels, against the same catalogue with neither. */
function differencesRow({ size, rounds, memory, disk }: SizeOptions, main: string, out: string): Row {
  process.stderr.write(`${size}: fronts that differ, ${rounds} rounds …\n`);
  const databases = { differing: join(disk, `${size}-differing.sqlite`), alike: join(disk, `${size}-alike.sqlite`) };
  seedCatalogue({ path: databases.differing, size, now: NOW, seed: 1, differences: true });
  copyFileSync(databases.differing, databases.alike);
  const handle = new Database(databases.alike);
  handle.exec('UPDATE fronts SET locale = NULL, channel = NULL');
  handle.close();
  const runs = Array.from({ length: rounds }, () => {
    const resources = (database: string) => {
      rmSync(out, { recursive: true, force: true });
      return resourcesOf([main, ...buildArgv(database, out, NOW, ...ONE_EDITION)], memory);
    };
    return { alike: resources(databases.alike), differing: resources(databases.differing) };
  });
  for (const path of [out, ...Object.values(databases)]) rmSync(path, { recursive: true, force: true });
  const ratio = (of: 'cpuSeconds' | 'peakBytes'): string =>
    times(median(runs.map(({ differing }) => differing[of])), median(runs.map(({ alike }) => alike[of])), 2);
  return {
    what: 'fronts in 3 languages and on 3 channels, against the same rows and fronts with neither',
    measured: `CPU ${ratio('cpuSeconds')}, peak memory ${ratio('peakBytes')}`,
    goal: size === 'S' ? '-' : '≤ 1.4 ×',
  };
}

/** Copies a catalogue so that its tables become views over tables with other names. */
function asViews(tables: string, to: string): string {
  copyFileSync(tables, to);
  const handle = new Database(to);
  handle.pragma('legacy_alter_table = ON');
  for (const name of TABLE_NAMES) {
    handle.exec(`ALTER TABLE ${name} RENAME TO own_${name}; CREATE VIEW ${name} AS SELECT * FROM own_${name}`);
  }
  handle.close();
  return to;
}

/** Times a simple script that renders each front separately. */
function plainRow({ size, root }: SizeOptions, database: string, out: string, full: number): Row {
  const plainOut = `${out}-plain`;
  const script = `${root}test/support/reference/plain-build.ts`;
  const plain = timed(`${root}node_modules/.bin/tsx`, [script, '--db', database, '--out', plainOut, '--now', NOW]);
  const difference = contentDifference(out, plainOut);
  for (const folder of [out, plainOut]) rmSync(folder, { recursive: true, force: true });
  // A reference that produces something else measures nothing.
  if (difference !== null) process.exitCode = 1;
  const verdict = difference === null ? 'same bytes' : `OTHER BYTES: ${difference}`;
  const goal = size === 'M' ? '≥ 40 ×' : '-';
  return {
    what: 'plain per-front script, against the full build',
    measured: `${times(plain, full)}, ${verdict}`,
    goal,
  };
}

function dayRow(
  intoEmpty: (work: string, out: string, ...more: string[]) => number,
  out: string,
  secondsPerByte: number,
  size: Size,
): Row {
  const day = intoEmpty('day', out, '--horizon', '24h');
  const bytes = treeBytes(out);
  rmSync(out, { recursive: true, force: true });
  return {
    what: `horizon 24h, ${megabytes(bytes)}: time per byte, against one edition`,
    measured: times(day / bytes, secondsPerByte, 2),
    goal: size === 'M' ? '≤ 0.15 ×' : '-',
  };
}

/**
 * Compares importing all rows with the sqlite3 shell's `.import` of the same rows into the same
 * schema. `.import` cannot write NULL, so the rows go through a temporary table.
 */
function importRow(
  { size, root, memory }: SizeOptions,
  database: string,
  ours: (work: string, ...argv: string[]) => number,
): Row {
  const folder = join(memory, 'import');
  mkdirSync(folder);
  const lines = join(folder, 'rows.ndjson');
  writeFileSync(lines, printed(process.execPath, [`${root}dist/cli/main.js`, 'export', '--db', database]));
  for (const name of TABLE_NAMES) {
    const csv = printed('sqlite3', [
      '-readonly',
      '-ascii',
      '-nullvalue',
      '\\N',
      database,
      `SELECT ${Object.keys(TABLES[name]).join()} FROM ${name}`,
    ]);
    writeFileSync(join(folder, name), csv);
  }
  const shell = [
    'PRAGMA journal_mode = WAL;',
    `.read ${root}data/schema.sql`,
    'BEGIN;',
    'PRAGMA defer_foreign_keys = ON;',
    ...TABLE_NAMES.flatMap((name) => {
      const columns = Object.keys(TABLES[name]);
      const values = columns.map((column) => `nullif(${column}, '\\N')`);
      return [
        `CREATE TEMP TABLE staged (${columns.join()});`,
        `.import --ascii --schema temp ${join(folder, name)} staged`,
        `INSERT INTO ${name} (${columns.join()}) SELECT ${values.join()} FROM staged;`,
        'DROP TABLE staged;',
      ];
    }),
    'COMMIT;',
    '',
  ].join('\n');
  const runs = interleaved(3, {
    shell: () => {
      rmSync(join(folder, 'shell.sqlite'), { force: true });
      return timed('sqlite3', [join(folder, 'shell.sqlite')], shell);
    },
    import: () => {
      rmSync(join(folder, 'ours.sqlite'), { force: true });
      return ours('import', 'import', lines, '--db', join(folder, 'ours.sqlite'));
    },
  });
  const exported = (name: string): string =>
    printed(process.execPath, [`${root}dist/cli/main.js`, 'export', '--db', join(folder, name)]);
  const isSame = exported('shell.sqlite') === exported('ours.sqlite');
  if (!isSame) process.exitCode = 1;
  rmSync(folder, { recursive: true });
  const measured = `${times(runs['import'], runs['shell'])}, ${isSame ? 'same rows' : 'OTHER ROWS'}`;
  return { what: 'import of all rows, against `.import` of the shell', measured, goal: size === 'M' ? '≤ 3 ×' : '-' };
}

function treeBytes(folder: string): number {
  return filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

function times(a = NaN, b = NaN, digits = 1): string {
  return `${(a / b).toFixed(digits)} ×`;
}

function inSeconds(seconds = NaN): string {
  return `${seconds.toFixed(2)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
