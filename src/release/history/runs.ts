// What pruning has to know of runs of shards. Their content is in no manifest before `finish`: as long as a run is not over, what its
// results name stays, and while one of its shards has not left a result, nobody knows what that one has written, so that no edition is
// removed at all. A run is over when the current release was built for a grace time later than the run: time is the instants of builds.
//
// A shard that begins while somebody prunes may lose what it has found there: `finish` looks at every file once more.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import { orNull } from '../tree/found.ts';
import { readRunSettings, readShardPaths, runFolders, type RunFolder } from '../tree/runs.ts';
import type { ReleaseStore } from '../tree/store.ts';

export interface OpenRuns {
  /** Whether some shard may be writing: one that has not left a result, of a run that is not over. */
  readonly isAnyRendering: boolean;
  /** Runs that are not over, and whose shards have all left a result; each with the instant that it is for. */
  readonly rendered: readonly (RunFolder & { readonly now: Instant })[];
  /** The files of runs that are over. */
  readonly pathsOver: readonly string[];
}

/** What there is of runs. One whose settings cannot be read is left alone, and keeps nothing. @throws AppError tree-unreadable */
export async function openRuns(
  currentNow: Instant | null,
  graceSeconds: number,
  store: ReleaseStore,
): Promise<OpenRuns> {
  const rendered: (RunFolder & { readonly now: Instant })[] = [];
  const pathsOver: string[] = [];
  let isAnyRendering = false;
  for (const folder of await runFolders(store)) {
    const settings = orNull(await readRunSettings(folder.run, store));
    const now = parseInstant(settings?.now ?? '');
    if (settings === null || now === undefined) continue;
    if (currentNow !== null && currentNow - now >= graceSeconds) pathsOver.push(...folder.paths);
    else if (folder.shards.length < settings.shards) isAnyRendering = true;
    else rendered.push({ ...folder, now });
  }
  return { isAnyRendering, rendered, pathsOver: pathsOver.sort() };
}

/** Takes from `editions`, by path, what must stay for runs. Those that have been published need nothing: their releases name it. */
export async function keepContentOf(
  { isAnyRendering, rendered }: OpenRuns,
  isPublished: (now: Instant) => boolean,
  editions: Map<string, unknown>,
  store: ReleaseStore,
): Promise<void> {
  if (isAnyRendering) editions.clear();
  for (const { run, shards, now } of rendered) {
    if (editions.size === 0) return;
    if (isPublished(now)) continue;
    for (const shard of shards)
      for (const path of orNull(await readShardPaths(run, shard, store)) ?? []) editions.delete(path);
  }
}
