// What pruning has to know of runs of shards. Their content is in no manifest before `finish`: as long as a run is not over, what its
// results name stays, and while one of its shards has not left a result, nobody knows what that one has written, so that no edition is
// removed at all. A run is over when the current release was built for a grace time later than the run: time is the instants of builds.
//
// A shard that begins while somebody prunes may lose what it has found there: `finish` looks at every file once more.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import { orNull } from '../tree/found.ts';
import { readRunSettings, readShardPaths, runFolders, type RunFolder } from '../tree/runs.ts';
import type { ReleaseStore } from '../tree/store.ts';

interface OpenRun extends RunFolder {
  /** The instant that it is for. */
  readonly now: Instant;
}

export interface OpenRuns {
  /** Runs that are not over, of which some shard may be writing, since it has not left a result. */
  readonly rendering: readonly OpenRun[];
  /** Runs that are not over, and whose shards have all left a result. */
  readonly rendered: readonly OpenRun[];
  /** Of those that are rendering: the ones that seem to have been given up, since they are for another time than the current release. */
  readonly aside: readonly string[];
  /** The files of runs that are over. */
  readonly pathsOver: readonly string[];
}

/** What there is of runs. One whose settings cannot be read is left alone, and keeps nothing. @throws AppError tree-unreadable */
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

/** Takes from `editions`, by path, what must stay for runs. @returns the runs aside for which something stays */
export async function keepContentOf(
  { rendering, rendered, aside }: OpenRuns,
  editions: Map<string, unknown>,
  store: ReleaseStore,
): Promise<readonly string[]> {
  for (const { run, shards } of rendered) {
    if (editions.size === 0) return [];
    for (const shard of shards)
      for (const path of orNull(await readShardPaths(run, shard, store)) ?? []) editions.delete(path);
  }
  if (editions.size === 0 || rendering.length === 0) return [];
  editions.clear();
  return aside;
}
