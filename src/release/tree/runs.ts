// The files of runs of shards, below `runs/`, read and judged. Each is created once and never replaced, so one that is damaged is
// somebody else's doing.

import type { RunSettings, ShardResult } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';
import { pathOf, RUNS_FOLDER, treeFileOf } from '../../render/paths.ts';
import { parseRunSettings, parseShardFiles, parseShardResult } from './codec.ts';
import type { TreeFiles } from './files.ts';
import { found, type Found } from './found.ts';

/** What every shard of a run must be started with alike. */
export async function readRunSettings(run: string, files: TreeFiles): Promise<Found<RunSettings>> {
  const path = pathOf({ kind: 'run', run });
  const bytes = await files.read(path);
  return bytes.ok ? parseRunSettings(bytes.value, path) : bytes;
}

export async function readShardResult(run: string, shard: number, files: TreeFiles): Promise<Found<ShardResult>> {
  const path = pathOf({ kind: 'shard', run, shard });
  const bytes = await files.read(path);
  return bytes.ok ? parseShardResult(bytes.value, path) : bytes;
}

/** The paths of the content that a shard's result names. */
export async function readShardPaths(run: string, shard: number, files: TreeFiles): Promise<Found<readonly string[]>> {
  const path = pathOf({ kind: 'shard', run, shard });
  const bytes = await files.read(path);
  if (!bytes.ok) return bytes;
  const parsed = parseShardFiles(bytes.value, path);
  return parsed.ok ? found(parsed.value.fronts.flatMap((front) => front.files.map((file) => file.path))) : parsed;
}

/** The value of a file of a run. @throws AppError run-damaged */
export function orRunDamaged<T>(result: Found<T>, root: string): T {
  if (result.ok) return result.value;
  const message = `${root}/${result.location}: ${result.message}`;
  throw new AppError('run-damaged', message, result.hint ?? 'start all shards again, as another run: --run');
}

/** What is below `runs/`: by run, the indexes of the shards that have left a result, and all paths. */
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
