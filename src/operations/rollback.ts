// Going back and cleaning up, on a tree in a folder: each is a run of its own under the tree's lock. Opens no database.

import type { Finding } from '../findings.ts';
import { AppError } from '../errors.ts';
import { liftHold, readHold, type Hold } from '../release/tree/hold.ts';
import { prune, type PruneOptions, type Pruned } from '../release/history/prune.ts';
import { PublishedTree } from '../release/tree/published.ts';
import { listReleases, type ReleaseList } from '../release/history/release-list.ts';
import { rollBack, type RolledBack } from '../release/history/rollback.ts';
import { RELEASES_FOLDER } from '../render/paths.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';
import { DirectoryStore } from '../storage/directory/store.ts';
import { dryRunStore } from '../storage/dry-run.ts';
import { lockTree } from '../storage/directory/lock.ts';

/**
 * Puts a release of a tree into force again, and holds the tree at it.
 * @throws AppError release-unknown, release-damaged, tree-…
 */
export async function rollBackTree(
  outPath: string,
  id: string,
): Promise<RolledBack & { readonly findings: readonly Finding[] }> {
  return writingTree(outPath, async (published, store) => {
    const rolledBack = await rollBack(id, published, store);
    return { ...rolledBack, findings: published.findings };
  });
}

/** Lets builds publish into a tree again. Gives back the hold that there was, and the release in force. @throws AppError tree-… */
export function resumeTree(
  outPath: string,
): Promise<{ readonly lifted: Hold | null; readonly currentId: string | null }> {
  return writingTree(outPath, async ({ currentId }, store) => {
    const lifted = await readHold(store);
    if (lifted !== null) await liftHold(currentId, store);
    return { lifted, currentId };
  });
}

/** Prunes a tree; a dry run only says what would go. @throws AppError release-damaged, tree-… */
export async function pruneTree(
  outPath: string,
  options: PruneOptions & { readonly isDryRun: boolean },
): Promise<Pruned> {
  if (!options.isDryRun) return writingTree(outPath, (_, store) => prune(options, store));
  await refuseNoTree(outPath);
  return prune(options, dryRunStore(new DirectoryStore(outPath)));
}

/** The releases that a tree keeps. @throws AppError tree-missing, tree-unreadable, tree-newer-schema */
export async function releasesOfTree(outPath: string): Promise<ReleaseList> {
  await refuseNoTree(outPath);
  return listReleases(new DirectoryStore(outPath));
}

async function refuseNoTree(outPath: string): Promise<void> {
  const { entries, problem } = await DirectoryReader.open(outPath).entries('');
  if (problem !== null || entries.some(({ path }) => path === RELEASES_FOLDER)) return;
  throw new AppError(
    'tree-missing',
    `expected a tree at ${outPath}, found a folder without ${RELEASES_FOLDER} in it`,
    `make one: playbill build --out ${outPath} (or name another with --out)`,
  );
}

/** Does something to a tree that nobody else writes meanwhile. */
async function writingTree<T>(
  outPath: string,
  work: (published: PublishedTree, store: DirectoryStore) => Promise<T>,
): Promise<T> {
  // Asked first: the lock would make the folder.
  await refuseNoTree(outPath);
  const lock = lockTree(outPath);
  try {
    const store = new DirectoryStore(outPath);
    // A newer tool's tree is refused here, before even its temporary names are touched.
    const published = await PublishedTree.read(store);
    store.sweep();
    try {
      return await work(published, store);
    } catch (error) {
      store.sweep();
      throw error;
    }
  } finally {
    lock.release();
  }
}
