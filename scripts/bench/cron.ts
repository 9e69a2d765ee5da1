// Benchmarks the run that cron makes, at the default horizon: five minutes after a full build, with
// one product in a thousand changed (always the same ones), and with nothing changed.

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildArgv, NOW, type Playbill, type SizeOptions } from './size.ts';
import { sell } from './changes.ts';
import { bytesIn, filesIn, scanSeconds } from './floor.ts';
import { inSeconds, median, megabytes, times, type Row } from './table.ts';
import { interleavedProcesses, type Run } from './timing.ts';

/** After NOW, one for each kind of run. */
const MINUTES_LATER = {
  cron: '2026-05-01T09:05:00Z',
  views: '2026-05-01T09:10:00Z',
  unchanged: '2026-05-01T09:15:00Z',
} as const;

const EDITION = /\/(products|categories)\.[0-9a-f]{16}\.json$/;
const POINTER = /\/pointer\.json$/;

export function cronRows(
  { size, rounds, memory }: SizeOptions,
  databases: { readonly tables: string; readonly views: string },
  playbill: Playbill,
): Row[] {
  process.stderr.write(`${size}: the run that cron makes, ${rounds} rounds …\n`);
  const tree = join(memory, size);
  const { tables, views } = databases;
  const scans: number[] = [];
  let bytes = NaN;
  const written = new Map<string, Written>();
  const later = (work: keyof typeof MINUTES_LATER, database: string, isChanged: boolean): Run => {
    // The same products every time: which are drawn decides how much there is to write.
    if (isChanged)
      for (const [path, prefix] of [
        [tables, ''],
        [views, 'own_'],
      ] as const)
        sell(path, prefix, 1);
    const since = Date.now();
    const run = playbill(work, ...buildArgv(database, tree, MINUTES_LATER[work]));
    written.set(work, writtenSince(tree, since));
    return run;
  };
  const runs = interleavedProcesses(rounds, {
    full: () => {
      rmSync(tree, { recursive: true, force: true });
      const run = playbill('horizon', ...buildArgv(tables, tree, NOW));
      bytes = bytesIn(tree);
      return run;
    },
    cron: () => later('cron', tables, true),
    views: () => later('views', views, true),
    unchanged: () => {
      scans.push(scanSeconds(tables));
      return later('unchanged', tables, false);
    },
  });
  rmSync(tree, { recursive: true, force: true });
  const { full } = runs;
  const share = { S: '-', M: '≤ 0.5 ×', L: '≤ 0.35 ×' }[size];
  const peak = size === 'L' ? '≤ 400 MB' : '-';
  const put = (work: string): string => {
    const { files = NaN, bytes: bytesPut = NaN } = written.get(work) ?? {};
    return `${files} files, ${megabytes(bytesPut)}`;
  };
  return [
    { what: 'full build, default horizon', measured: inSeconds(full.seconds), goal: '-' },
    { what: 'its tree', measured: megabytes(bytes), goal: '-' },
    { what: 'its peak memory, at the default horizon', measured: megabytes(full.peakBytes), goal: peak },
    {
      what: 'the run that cron makes, against it, from tables',
      measured: times(runs.cron.seconds, full.seconds, 2),
      goal: share,
    },
    { what: 'what that run writes', measured: put('cron'), goal: 'what has changed' },
    { what: 'its peak memory, cron’s', measured: megabytes(runs.cron.peakBytes), goal: peak },
    { what: 'the same from views', measured: times(runs.views.seconds, full.seconds, 2), goal: share },
    {
      what: 'the run that cron makes with nothing changed, against the full build',
      measured: times(runs.unchanged.seconds, full.seconds, 2),
      goal: '-',
    },
    {
      what: 'the same against reading the rows',
      measured: times(runs.unchanged.seconds, median(scans)),
      goal: size === 'S' ? '-' : '≤ 3.2 ×',
    },
    { what: 'what it writes', measured: put('unchanged'), goal: 'editions that the clock brings' },
    { what: 'its peak memory, with nothing changed', measured: megabytes(runs.unchanged.peakBytes), goal: peak },
  ];
}

interface Written {
  readonly files: string;
  readonly bytes: number;
}

/** What was written into a tree since an instant, in milliseconds. */
function writtenSince(tree: string, since: number): Written {
  const all = filesIn(tree);
  const written = all.map((path) => ({ path, ...statOf(path) })).filter(({ mtimeMs }) => mtimeMs >= since);
  const count = (paths: readonly string[], name: RegExp): number => paths.filter((path) => name.test(path)).length;
  const names = written.map(({ path }) => path);
  return {
    files: `${count(names, POINTER)} of ${count(all, POINTER)} pointers, ${count(names, EDITION)} of ${count(all, EDITION)} editions; ${names.length}`,
    bytes: written.reduce((sum, { size }) => sum + size, 0),
  };
}

function statOf(path: string): { readonly mtimeMs: number; readonly size: number } {
  const { mtimeMs, size } = statSync(path);
  return { mtimeMs, size };
}
