// Benchmarks a catalogue of one size: whole processes of the compiled command, compared with the
// floor (floor.ts), with starting Node, and with competent scripts (competent.ts) that must give
// the same bytes; then runs from cron (cron.ts). Figures are medians of interleaved rounds; only
// ratios matter.

import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { TABLE_NAMES } from '../../src/database/contract/tables.ts';
import { seedCatalogue } from '../seed.ts';
import { cronRows } from './cron.ts';
import { bytesIn, scanSeconds, writeSeconds } from './floor.ts';
import { importRow } from './import.ts';
import { contentDifference } from './same-content.ts';
import { buildArgv, NOW, type Playbill, type SizeOptions } from './size.ts';
import { inSeconds, median, megabytes, times, type Row } from './table.ts';
import { interleaved, interleavedProcesses, measured, timed, type Run } from './timing.ts';

const ONE_EDITION = ['--horizon', '0'];

export function benchSize(options: SizeOptions): Row[] {
  const { size, root, memory, disk, profile } = options;
  const tables = join(disk, `${size}.sqlite`);
  process.stderr.write(`${size}: seeding …\n`);
  seedCatalogue({ path: tables, size, now: NOW, seed: 1 });
  const views = asViews(tables, join(disk, `${size}-views.sqlite`));
  const playbill: Playbill = (work, ...argv) => {
    const flags = profile?.work === work ? ['--cpu-prof', '--cpu-prof-dir', profile.folder] : [];
    return measured([...flags, `${root}dist/cli/main.js`, ...argv], memory);
  };
  const rows = [...oneEditionRows(options, tables, playbill)];
  if (size !== 'L') rows.push(importRow(options, tables, playbill));
  rows.push(differencesRow(options, playbill), ...cronRows(options, { tables, views }, playbill));
  for (const path of [tables, views]) rmSync(path);
  return rows;
}

function oneEditionRows({ size, rounds, root, memory }: SizeOptions, database: string, playbill: Playbill): Row[] {
  const [tree, other] = [join(memory, size), join(memory, `${size}-other`)];
  const build = (work: string, out: string, ...more: string[]): Run => {
    rmSync(out, { recursive: true, force: true });
    return playbill(work, ...buildArgv(database, out, NOW, ...more));
  };
  process.stderr.write(`${size}: one edition, ${rounds} rounds …\n`);
  const peaks: number[] = [];
  const one = interleaved(rounds, {
    node: () => timed(process.execPath, ['-e', '0']),
    // Not measured by itself, which would take a part of so short a run.
    version: () => timed(process.execPath, [`${root}dist/cli/main.js`, '--version']),
    full: () => {
      const { seconds, peakBytes } = build('full', tree, ...ONE_EDITION);
      peaks.push(peakBytes);
      return seconds;
    },
    scan: () => scanSeconds(database),
    write: () => writeSeconds(tree, other),
  });
  const bytes = bytesIn(tree);
  const rows: Row[] = [
    { what: 'full build, one edition', measured: `${inSeconds(one.full)}, ${megabytes(bytes)}`, goal: '-' },
    {
      what: 'the floor: reading the rows, writing the files',
      measured: `${inSeconds(one.scan)}, ${inSeconds(one.write)}`,
      goal: '-',
    },
    {
      what: 'the build against both',
      measured: times(one.full, one.scan + one.write),
      goal: size === 'L' ? '≤ 3 ×' : '-',
    },
    { what: 'the build against reading alone', measured: times(one.full, one.scan), goal: '-' },
    { what: 'the build against `node -e 0`', measured: times(one.full, one.node), goal: size === 'S' ? '≤ 12 ×' : '-' },
    { what: 'its peak memory', measured: megabytes(median(peaks)), goal: size === 'L' ? '≤ 400 MB' : '-' },
    { what: '`playbill --version` against `node -e 0`', measured: times(one.version, one.node), goal: '≤ 1.3 ×' },
  ];
  if (size !== 'L') {
    rows.push(
      ...competentRows(
        { size, rounds, root, memory },
        database,
        tree,
        () => build('full', other, ...ONE_EDITION).seconds,
      ),
    );
    const day = build('day', other, '--horizon', '24h');
    const dayBytes = bytesIn(other);
    rows.push({
      what: 'horizon 24h: time per byte, against one edition',
      measured: `${times(day.seconds / dayBytes, one.full / bytes, 2)}, ${megabytes(dayBytes)}`,
      goal: size === 'M' ? '≤ 0.10 ×' : '-',
    });
  }
  for (const folder of [tree, other]) rmSync(folder, { recursive: true, force: true });
  return rows;
}

/** Scripts of somebody who knows Kysely, which must give the bytes of `tree`. */
function competentRows(
  { size, rounds, root, memory }: Pick<SizeOptions, 'size' | 'rounds' | 'root' | 'memory'>,
  database: string,
  tree: string,
  build: () => number,
): Row[] {
  process.stderr.write(`${size}: scripts in its place, ${rounds} rounds …\n`);
  const script = `${root}scripts/bench/competent.ts`;
  const outs = { perFront: join(memory, 'per-front'), once: join(memory, 'once') };
  const run = (out: string, ...more: string[]): number => {
    rmSync(out, { recursive: true, force: true });
    // Without tsx, whose own start would count: Node strips the types.
    return timed(process.execPath, [
      '--experimental-strip-types',
      '--no-warnings',
      script,
      '--db',
      database,
      '--out',
      out,
      '--now',
      NOW,
      ...more,
    ]);
  };
  const runs = interleaved(rounds, {
    build,
    perFront: () => run(outs.perFront),
    once: () => run(outs.once, '--once'),
  });
  const verdict = (out: string): string => {
    const difference = contentDifference(tree, out);
    rmSync(out, { recursive: true, force: true });
    // A reference that produces something else measures nothing.
    if (difference !== null) process.exitCode = 1;
    return difference === null ? 'same bytes' : `OTHER BYTES: ${difference}`;
  };
  return [
    {
      what: 'a competent Kysely script that asks for each front, against the build',
      measured: `${times(runs.perFront, runs.build)}, ${verdict(outs.perFront)}`,
      goal: size === 'M' ? '≥ 9 ×' : '-',
    },
    {
      what: 'the same script reading each table once',
      measured: `${times(runs.once, runs.build)}, ${verdict(outs.once)}`,
      goal: '-',
    },
  ];
}

/** Fronts in three languages and on three channels, against the same catalogue with neither. */
function differencesRow({ size, rounds, memory, disk }: SizeOptions, playbill: Playbill): Row {
  process.stderr.write(`${size}: fronts that differ, ${rounds} rounds …\n`);
  const out = join(memory, `${size}-differing`);
  const databases = { differing: join(disk, `${size}-differing.sqlite`), alike: join(disk, `${size}-alike.sqlite`) };
  seedCatalogue({ path: databases.differing, size, now: NOW, seed: 1, differences: true });
  copyFileSync(databases.differing, databases.alike);
  const handle = new Database(databases.alike);
  handle.exec('UPDATE fronts SET locale = NULL, channel = NULL');
  handle.close();
  const build = (database: string) => () => {
    rmSync(out, { recursive: true, force: true });
    return playbill('differing', ...buildArgv(database, out, NOW, ...ONE_EDITION));
  };
  const { alike, differing } = interleavedProcesses(rounds, {
    alike: build(databases.alike),
    differing: build(databases.differing),
  });
  for (const path of [out, ...Object.values(databases)]) rmSync(path, { recursive: true, force: true });
  return {
    what: 'fronts in 3 languages and on 3 channels, against the same rows and fronts with neither',
    measured: `CPU ${times(differing.cpuSeconds, alike.cpuSeconds, 2)}, peak memory ${times(differing.peakBytes, alike.peakBytes, 2)}`,
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
