// Benchmarks builds in shards: one build compared with two and four processes on this machine, from
// the first start to the end of `finish`.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seedCatalogue } from '../seed.ts';
import type { Size } from './size.ts';
import { inSeconds, times, type Row } from './table.ts';
import { interleaved, measured, printed, timed } from './timing.ts';

const NOW = '2026-05-01T09:00:00Z';
const PROCESSES = [2, 4];

/**
 * `root` is the checkout, with a compiled command; `memory` and `disk` are folders for trees and
 * databases.
 */
export function benchShards(size: Size, root: string, rounds: number, memory: string, disk: string): Row[] {
  const database = join(disk, 'shards.sqlite');
  const out = join(memory, 'shards');
  seedCatalogue({ path: database, size, now: NOW, seed: 1 });
  const main = `${root}dist/cli/main.js`;
  const emptied = (work: () => number): (() => number) => {
    return () => {
      rmSync(out, { recursive: true, force: true });
      return work();
    };
  };
  const build = ['build', '--db', database, '--out', out, '--now', NOW];
  const inShards = (total: number): (() => number) => {
    const shards = Array.from(
      { length: total },
      (_, index) => `"$@" --shard ${index}/${total} --run bench & pids="$pids $!"`,
    );
    // `wait` without arguments does not report a failed shard.
    const waited = 'for pid in $pids; do wait "$pid" || exit 1; done';
    const finish = `exec "$1" "$2" finish --out "$OUT" --run bench --shards ${total}`;
    const argv = ['-c', [...shards, waited, finish].join('\n'), 'sh', process.execPath, main, ...build];
    return emptied(() => timed('sh', argv, '', { ...process.env, OUT: out }));
  };
  const works = Object.fromEntries(PROCESSES.map((total) => [String(total), inShards(total)]));
  const all: Readonly<Record<string, () => number>> = {
    one: emptied(() => timed(process.execPath, [main, ...build])),
    ...works,
  };
  const runs = interleaved(rounds, all);
  // A shard without fronts, which does only what every shard must do.
  const least = measured([main, ...build, '--shard', '9998/9999', '--run', 'least'], memory);
  rmSync(out, { recursive: true, force: true });
  const summary = JSON.parse(printed(process.execPath, [main, ...build, '--json'])) as {
    readonly put: { readonly files: number };
  };
  const cpu = (...more: string[]): Record<'one' | 'shards', number> =>
    interleaved(rounds, {
      one: emptied(() => measured([main, ...build, ...more], memory).cpuSeconds),
      shards: emptied(() => {
        // One after the other: so none waits for another's processor.
        const shards = Array.from({ length: 4 }, (_, index) => ['--shard', `${index}/4`, '--run', 'cpu']);
        const seconds = shards.map((shard) => measured([main, ...build, ...more, ...shard], memory).cpuSeconds);
        const finish = measured([main, 'finish', '--out', out, '--run', 'cpu', '--shards', '4'], memory);
        return seconds.reduce((sum, one) => sum + one, finish.cpuSeconds);
      }),
    });
  const [oneEdition, horizon] = [cpu('--horizon', '0'), cpu()];
  rmSync(database);
  rmSync(out, { recursive: true, force: true });
  return [
    { what: 'one build', measured: `${inSeconds(runs['one'])}, ${summary.put.files} files put`, goal: '-' },
    {
      what: 'what every shard does: its state, the lists of all fronts, the keys',
      measured: `${inSeconds(least.cpuSeconds)} of CPU`,
      goal: '-',
    },
    ...PROCESSES.map((total) => ({
      what: `${total} processes at once and finish`,
      measured: `${inSeconds(runs[String(total)])}, ${times(runs[String(total)], runs['one'], 2)}`,
      goal: '-',
    })),
    {
      what: 'CPU of 4 shards and finish against one build, one edition',
      measured: times(oneEdition.shards, oneEdition.one, 2),
      goal: '≤ 1.6 ×',
    },
    { what: 'the same, default horizon', measured: times(horizon.shards, horizon.one, 2), goal: '≤ 1.25 ×' },
  ];
}
