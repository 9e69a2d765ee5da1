// What pruning has to know about runs of shards. Before `finish` no manifest lists their content.
// Until a run is over, pruning keeps what its results name, and while a shard has written no
// result, nobody knows what it has put, so no edition is removed at all. A run is over when the
// current release is for an instant at least the grace time later than the run's.
//
// A shard that starts during pruning may lose files that it has found in the tree: `finish` checks
// that every file is there.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import { orNull } from '../tree/found.ts';
import { readRunSettings, readShardResult, runFolders, type RunFolder } from '../tree/runs.ts';
import type { ReleaseStore } from '../tree/store.ts';

interface OpenRun extends RunFolder {
  /** The instant that it is for. */
  readonly now: Instant;
}

export interface OpenRuns {
  /** Runs that are not over and lack a result: that shard may be writing. */
  readonly rendering: readonly OpenRun[];
  /** Runs that are not over and have all their results. */
  readonly rendered: readonly OpenRun[];
  /**
   * Those of `rendering` that seem abandoned: they are for another time than the current release.
   */
  readonly aside: readonly string[];
  /** The files of runs that are over. */
  readonly pathsOver: readonly string[];
}

/**
 * The runs in the tree. One with unreadable settings is left alone, and its content is not kept.
 * @throws AppError tree-unreadable
 */
export async function openRuns(
  currentNow: Instant | null,
  graceSeconds: number,
  store: ReleaseStore,
): Promise<OpenRuns> {
  const rendering: OpenRun[] = [];
  const rendered: OpenRun[] = [];
  const pathsOver: string[] = [];
  for (const folder of await runFolders(store)) {
    const settings = orNull(await readRunSettings(folder.run, store));
    const now = parseInstant(settings?.now ?? '');
    if (settings === null || now === undefined) continue;
    if (currentNow !== null && currentNow - now >= graceSeconds) pathsOver.push(...folder.paths);
    else (folder.shards.length < settings.shards ? rendering : rendered).push({ ...folder, now });
  }
  const isAside = ({ now }: OpenRun): boolean =>
    currentNow !== null && (now < currentNow || now - currentNow > graceSeconds);
  const aside = rendering.filter(isAside).map(({ run }) => run);
  return { rendering, rendered, aside, pathsOver: pathsOver.sort() };
}

/**
 * Removes from `editions`, by path, what must stay for runs.
 * @returns the runs that seem abandoned and for which something stays
 */
export async function keepContentOf(
  { rendering, rendered, aside }: OpenRuns,
  editions: Map<string, unknown>,
  store: ReleaseStore,
): Promise<readonly string[]> {
  for (const { run, shards } of rendered) {
    if (editions.size === 0) return [];
    for (const shard of shards) {
      const result = orNull(await readShardResult(run, shard, store));
      for (const { files } of result?.fronts ?? []) for (const { path } of files) editions.delete(path);
    }
  }
  if (editions.size === 0 || rendering.length === 0) return [];
  editions.clear();
  return aside;
}
