// The files of runs of shards, below `runs/`, read and judged. Each is created once and never
// replaced, so no run of ours leaves a damaged one.

import type { RunSettings, ShardResult } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';
import { pathOf, RUNS_FOLDER, treeFileOf, type TreeFile } from '../../render/paths.ts';
import { parseRunSettings, parseShardResult } from './codec.ts';
import type { TreeFiles } from './files.ts';
import { damaged, type Found } from './found.ts';

/** What to do about a run that cannot be finished. */
export const ALL_AGAIN = 'start all shards again under another name: --run';

/** The options that are the same for every shard of a run. */
export function readRunSettings(run: string, files: TreeFiles): Promise<Found<RunSettings>> {
  return readRunFile({ kind: 'run', run }, parseRunSettings, files);
}

/**
 * The result of a shard. It must list every front of that shard: `finish` would remove the pointers
 * of the others.
 */
export async function readShardResult(run: string, shard: number, files: TreeFiles): Promise<Found<ShardResult>> {
  const file = { kind: 'shard', run, shard } as const;
  const read = await readRunFile(file, parseShardResult, files);
  if (!read.ok) return read;
  const { settings, catalogue, fronts, shard: index } = read.value;
  if (settings.run !== run || index !== shard)
    return damaged(
      pathOf(file),
      `expected the result of shard ${shard}, found that of shard ${index} of ${settings.run}`,
    );
  const own = frontsOfShard(shard, catalogue.shardOf).sort().join(', ');
  const listed = fronts
    .map(({ code }) => code)
    .sort()
    .join(', ');
  if (listed !== own) return damaged(pathOf(file), `expected the fronts "${own}", found "${listed}"`);
  return read;
}

/** The fronts that a shard renders. `shardOf`: the shard of each front. */
export function frontsOfShard(shard: number, shardOf: Readonly<Record<string, number>>): string[] {
  return Object.keys(shardOf).filter((code) => shardOf[code] === shard);
}

async function readRunFile<T>(
  file: TreeFile,
  parse: (bytes: Uint8Array, path: string) => Found<T>,
  files: TreeFiles,
): Promise<Found<T>> {
  const path = pathOf(file);
  const bytes = await files.read(path);
  return bytes.ok ? parse(bytes.value, path) : bytes;
}

/** The value of a file of a run. @throws AppError run-damaged */
export function orRunDamaged<T>(result: Found<T>, root: string): T {
  if (result.ok) return result.value;
  const message = `${root}/${result.location}: ${result.message}`;
  throw new AppError('run-damaged', message, result.hint ?? ALL_AGAIN);
}

/**
 * What is below `runs/`: by run, the indexes of the shards that have left a result, and all paths.
 */
export interface RunFolder {
  readonly run: string;
  readonly shards: readonly number[];
  readonly paths: readonly string[];
}

/** The folders of all runs. @throws AppError tree-unreadable */
export async function runFolders(files: TreeFiles): Promise<readonly RunFolder[]> {
  const byRun = new Map<string, { run: string; shards: number[]; paths: string[] }>();
  for (const path of await files.list(RUNS_FOLDER)) {
    const [, run = ''] = path.split('/');
    const folder = byRun.get(run) ?? { run, shards: [], paths: [] };
    byRun.set(run, folder);
    folder.paths.push(path);
    const file = treeFileOf(path);
    if (file?.kind === 'shard') folder.shards.push(file.shard);
  }
  return [...byRun.values()];
}
