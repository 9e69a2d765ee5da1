// Benchmarks a tree in a bucket: the compiled command publishes into Ceph's gateway on this
// machine, compared with rclone, which copies the same tree with as many concurrent requests. Also
// counts the requests of a run from cron.

import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestsJson } from '../../src/contract/results/parts.ts';
import { Ceph } from '../../test/support/objects/ceph.ts';
import { RemoteBucket } from '../../test/support/objects/remote-bucket.ts';
import { seedCatalogue } from '../seed.ts';
import { sell } from './changes.ts';
import { filesIn } from './floor.ts';
import type { Row } from './table.ts';
import { interleaved, printed, timed } from './timing.ts';

const NOW = '2026-05-01T09:00:00Z';
interface Result {
  readonly requests?: RequestsJson;
}

const REQUESTS_AT_ONCE = '32';

/**
 * A message about programs that this benchmark needs and the machine lacks; null if there are none.
 */
export function missingForBucket(): string | null {
  const missing = ['rclone', 'radosgw', 'ceph-mon', 'ceph-osd'].filter(
    (name) => spawnSync(name, ['--version']).error !== undefined,
  );
  return missing.length === 0 ? null : `the benchmark of buckets needs ${missing.join(', ')}`;
}

/**
 * Runs size M. `root` is the checkout, with a compiled command; `memory` and `disk` are folders for
 * trees and databases.
 */
export async function benchBucket(root: string, rounds: number, memory: string, disk: string): Promise<Row[]> {
  const database = join(disk, 'bucket.sqlite');
  const tree = join(memory, 'bucket');
  seedCatalogue({ path: database, size: 'M', now: NOW, seed: 1 });
  const main = `${root}dist/cli/main.js`;
  const argv = (out: string, now: string): string[] => [main, 'build', '--db', database, '--out', out, '--now', now];
  const folder = timed(process.execPath, argv(tree, NOW));
  const { cluster, gateway } = await Ceph.start();
  try {
    const bucket = new RemoteBucket({ ...gateway, bucket: 'bench' });
    await bucket.create();
    const environment = { PATH: process.env['PATH'] ?? '', ...bucket.environment };
    let serial = 0;
    const into = (): string => `s3://bench/tree-${serial}`;
    const runs = interleaved(rounds, {
      playbill: () => {
        serial += 1;
        return timed(process.execPath, argv(into(), NOW), '', environment);
      },
      rclone: () => timed('rclone', rcloneArgv(tree, `copy-${serial}`), '', rcloneEnvironment(bucket)),
    });
    const later = (now: string): { readonly seconds: number; readonly result: Result } => {
      const started = process.hrtime.bigint();
      const text = printed(process.execPath, [...argv(into(), now), '--json'], environment);
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      return { seconds, result: JSON.parse(text) as Result };
    };
    const unchanged = later('2026-05-01T09:05:00Z');
    sell(database, '', 1);
    const cron = later('2026-05-01T09:10:00Z');
    const bytes = filesIn(tree).reduce((sum, path) => sum + statSync(path).size, 0);
    const ratio = (runs['playbill'] ?? NaN) / (runs['rclone'] ?? NaN);
    return [
      {
        what: `full build, default horizon, ${Math.round(bytes / 1e6)} MB, into a folder`,
        measured: `${folder.toFixed(1)} s`,
        goal: '-',
      },
      { what: 'the same into the bucket', measured: `${(runs['playbill'] ?? NaN).toFixed(1)} s`, goal: '-' },
      { what: 'that, against `rclone copy` of the tree', measured: `${ratio.toFixed(2)} ×`, goal: '≤ 1 ×' },
      { what: 'a run with nothing changed', measured: bill(unchanged), goal: 'manifest, `current`, the lease' },
      { what: 'the run that cron makes', measured: bill(cron), goal: 'those of fronts that changed' },
    ];
  } finally {
    await cluster.stop();
    rmSync(database);
    rmSync(tree, { recursive: true, force: true });
  }
}

function bill({ seconds, result: { requests } }: { readonly seconds: number; readonly result: Result }): string {
  if (requests === undefined) throw new Error('expected the requests of a build into a bucket, found none');
  const { puts, gets, lists, deletes, bytesSent } = requests;
  const sent = `${(bytesSent / 1e6).toFixed(1)} MB`;
  return `${seconds.toFixed(1)} s; ${puts} PUT with ${sent}, ${gets} GET, ${lists} LIST, ${deletes} DELETE`;
}

function rcloneArgv(tree: string, to: string): string[] {
  return ['copy', tree, `bench:bench/${to}`, '--transfers', REQUESTS_AT_ONCE, '--checkers', REQUESTS_AT_ONCE];
}

function rcloneEnvironment({ endpoint, credentials }: RemoteBucket): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_BENCH_TYPE: 's3',
    RCLONE_CONFIG_BENCH_PROVIDER: 'Ceph',
    RCLONE_CONFIG_BENCH_ENDPOINT: endpoint,
    RCLONE_CONFIG_BENCH_ACCESS_KEY_ID: credentials.accessKeyId,
    RCLONE_CONFIG_BENCH_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}
