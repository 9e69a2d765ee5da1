// Benchmarks a tree in a bucket: the compiled command publishes into Ceph's gateway on this
// machine, compared with rclone, which copies the same tree with as many concurrent requests.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Ceph } from '../../test/support/objects/ceph.ts';
import { RemoteBucket } from '../../test/support/objects/remote-bucket.ts';
import { seedCatalogue } from '../seed.ts';
import { bytesIn } from './floor.ts';
import { inSeconds, megabytes, times, type Row } from './table.ts';
import { interleaved, timed } from './timing.ts';

const NOW = '2026-05-01T09:00:00Z';
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
    const bytes = bytesIn(tree);
    return [
      {
        what: 'full build, default horizon, into a folder',
        measured: `${inSeconds(folder)}, ${megabytes(bytes)}`,
        goal: '-',
      },
      { what: 'the same into the bucket', measured: inSeconds(runs.playbill), goal: '-' },
      {
        what: 'that, against `rclone copy` of the tree',
        measured: times(runs.playbill, runs.rclone, 2),
        goal: '≤ 0.95 ×',
      },
    ];
  } finally {
    await cluster.stop();
    rmSync(database);
    rmSync(tree, { recursive: true, force: true });
  }
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
