// Builds in shards as the command does, in this process.

import { buildShard, type ShardBuilt, type ShardOptions } from '../../src/operations/shards/build-shard.ts';
import { finishRun, type FinishedRun, type FinishOptions } from '../../src/operations/shards/finish-run.ts';
import type { Instant } from '../../src/catalogue/instant.ts';
import { filesOf } from './trees.ts';
import { DEFAULT_KEEP } from '../../src/release/history/retention.ts';

/** Which shard of which run, into which tree. */
export interface ShardOfRun {
  readonly databasePath: string;
  readonly outPath: string;
  readonly run: string;
  readonly index: number;
  readonly total: number;
}

/** One shard, with the defaults of the command but for what is given. */
export function buildOneShard(
  { databasePath, outPath, run, index, total }: ShardOfRun,
  now: Instant,
  options: Partial<ShardOptions> = {},
): Promise<ShardBuilt> {
  return buildShard(
    {
      databasePath,
      outPath,
      run,
      shard: { index, total },
      isNowGiven: true,
      begun: 'on a host at a time',
      snapshot: null,
      horizonSeconds: 6 * 3600,
      precompress: [],
      guards: { maxShrink: 0.5, maxBad: 0.05, allow: [], force: false },
      toolVersion: 'test',
      tzdata: process.versions['tz'] ?? '',
      onProgress: () => undefined,
      ...options,
    },
    now,
  );
}

export function finishShards(
  { outPath, run, total }: Omit<ShardOfRun, 'index' | 'databasePath'>,
  options: Partial<FinishOptions> = {},
): Promise<FinishedRun> {
  return finishRun({
    outPath,
    run,
    shards: total,
    waitSeconds: 0,
    keep: DEFAULT_KEEP,
    toolVersion: 'test',
    ...options,
  });
}

/** All shards, one after the other, and their end. */
export async function buildInShards(
  run: Omit<ShardOfRun, 'index'>,
  now: Instant,
  options: Partial<ShardOptions> = {},
): Promise<FinishedRun> {
  for (let index = 0; index < run.total; index++) await buildOneShard({ ...run, index }, now, options);
  return finishShards(run);
}

/** Every file of a tree but those of runs and the lock: what a build of its own gives. */
export function releasedFilesOf(root: string): Map<string, string> {
  return new Map([...filesOf(root)].filter(([path]) => !path.startsWith('runs/')));
}
