// Benchmarks builds in shards: one build compared with two and four processes on this machine, from
// the first start to the end of `finish`.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seedCatalogue } from '../seed.ts';
import type { Size } from './catalogue.ts';
import type { Row } from './table.ts';
import { interleaved, printed, timed } from './timing.ts';

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
  const runs = interleaved(rounds, { one: emptied(() => timed(process.execPath, [main, ...build])), ...works });
  const one = runs['one'] ?? Number.NaN;
  // A shard without fronts, which does only what every shard must do.
  const least = timed(process.execPath, [main, ...build, '--shard', '9998/9999', '--run', 'least']);
  rmSync(out, { recursive: true, force: true });
  const summary = JSON.parse(printed(process.execPath, [main, ...build, '--json'])) as {
    readonly put: { readonly files: number };
  };
  rmSync(database);
  rmSync(out, { recursive: true, force: true });
  return [
    { what: `one build, ${summary.put.files} files put`, measured: `${one.toFixed(1)} s`, goal: '-' },
    {
      what: 'of that, what every shard does: its state, the lists of all fronts, the keys',
      measured: `${least.toFixed(1)} s`,
      goal: '-',
    },
    ...PROCESSES.map((total) => {
      const seconds = runs[String(total)] ?? Number.NaN;
      const measured = `${seconds.toFixed(1)} s, ${(seconds / one).toFixed(2)} ×`;
      return { what: `${total} processes and finish`, measured, goal: '-' };
    }),
  ];
}
