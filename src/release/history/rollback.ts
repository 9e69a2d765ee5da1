// Rollback: an older release becomes the current one again (snapshot.md, "Going back"). The hold is
// written before pointers and `current`, so that no build publishes over a half-done rollback. A
// stop after any write leaves each front with one snapshot or the other; running the rollback again
// finishes it. The key ring stays, since a rollback must not restore a revoked key. The caller
// holds the tree's lock.

import { instantOfText } from '../../catalogue/instant.ts';
import type { Manifest, ManifestFile } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { RollbackResultJson } from '../../contract/results/history.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { AppError } from '../../errors.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { activateRelease } from '../tree/activate.ts';
import { editionPathsOf } from '../tree/codec.ts';
import { sha256Of } from '../tree/digest.ts';
import type { TreeFiles } from '../tree/files.ts';
import { orThrow } from '../tree/found.ts';
import { putHold } from '../tree/hold.ts';
import type { PublishedTree } from '../tree/published.ts';
import { readManifest } from '../tree/manifest.ts';
import { readAhead } from '../tree/read-ahead.ts';
import { resolveRelease } from '../tree/releases.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { summary } from '../verify/finding-sink.ts';

export interface RollbackOptions {
  /** Trust the names and sizes of files, instead of reading every byte. */
  readonly isBySize: boolean;
}

/**
 * Rolls back to the release that a word stands for, and holds the tree at it. Writes nothing unless
 * every file of the release matches its manifest.
 * @returns the release and its manifest; `plan`, what was done to hold, pointers and `current`; `fronts`, what
 * visitors see of each front before and after
 * @throws AppError release-unknown, release-damaged, release-older, tree-full, tree-not-writable,
 * tree-unreadable
 */
export async function rollBack(
  word: string,
  published: PublishedTree,
  store: ReleaseStore,
  options: RollbackOptions = { isBySize: false },
) {
  const release = await resolveRelease(word, store);
  const manifest = orThrow(await readManifest(release, store), 'release-damaged', store.root);
  await refuseUnlessWhole(release.id, manifest, store, options);
  const fronts = await frontChanges(manifest, published);

  const hold = await putHold(release, store);
  // State after a stop here: builds are held; every front has its old snapshot.

  const listed = new Set(manifest.fronts.map(({ front }) => front));
  const removed = published.fronts.filter((code) => !listed.has(code));
  await store.confirmLock();
  const swaps = await activateRelease({ release, listings: manifest.fronts, removed }, published, store);
  return { release, manifest, plan: [hold, ...swaps], fronts };
}

/**
 * What the rollback changes for visitors of each front, as of the later of the two releases, the
 * closest to the present that a tree knows. "Before" is what the current release lists, because
 * pointers may be ahead of it after a stopped run.
 */
export async function frontChanges(
  { fronts, now }: Manifest,
  published: PublishedTree,
): Promise<RollbackResultJson['fronts']> {
  const changes = [];
  const current = published.manifest?.now ?? now;
  const at = now > current ? now : current;
  const listings = new Map(fronts.map((listing) => [listing.front, listing]));
  const currentListings = new Map(published.manifest?.fronts.map((listing) => [listing.front, listing]));
  for (const front of [...new Set([...listings.keys(), ...currentListings.keys(), ...published.fronts])].sort()) {
    const own = currentListings.get(front);
    const before = published.manifest === null ? published.pointer(front) : (own?.pointer ?? null);
    const listing = listings.get(front);
    const index = listing === undefined ? 0 : editionIndexAt(listing.pointer.products, at);
    changes.push({
      front,
      cardsBefore:
        own?.cardsByEdition[editionIndexAt(own.pointer.products, at)] ??
        (before && (await published.cardsAt(before, instantOfText(at)))),
      cardsAfter: listing?.cardsByEdition[index] ?? null,
      isChanged: digestsAt(before, at) !== digestsAt(listing?.pointer ?? null, at),
    });
  }
  return changes;
}

/** The digests of a pointer's documents in force at an instant; '' without a pointer. */
function digestsAt(pointer: Pointer | null, at: string): string {
  if (pointer === null) return '';
  return [pointer.products, pointer.categories]
    .map((entries) => entryOf(entries[editionIndexAt(entries, at)] ?? '').digest)
    .join();
}

/** @throws AppError release-damaged: a file of the release is missing or wrong */
export async function refuseUnlessWhole(
  id: string,
  { fronts, files }: Pick<Manifest, 'fronts' | 'files'>,
  store: ReleaseStore,
  { isBySize }: RollbackOptions,
): Promise<void> {
  const listed = new Set(files.map(({ path }) => path));
  const problems = [...new Set(fronts.flatMap(({ pointer }) => editionPathsOf(pointer)))]
    .filter((path) => !listed.has(path))
    .map((path) => `${path}: a pointer names it, but the manifest does not list it`);
  for await (const [, found] of readAhead(files, (file) =>
    isBySize ? sizeProblems(file, store) : problemsOf(file, store),
  ))
    problems.push(...found);
  if (problems.length === 0) return;
  const hint = 'nothing was changed; choose another release from: playbill releases';
  throw new AppError('release-damaged', `release ${id} cannot be restored: ${summary(problems)}`, hint);
}

async function sizeProblems({ path, bytes }: ManifestFile, store: ReleaseStore): Promise<readonly string[]> {
  // A listing may show what has been removed.
  const size = await (store.askSize ?? ((one: string) => store.size(one)))(path);
  if (!size.ok) return [`${path}: ${size.why === 'missing' ? 'expected the file, found none' : size.message}`];
  return size.value === bytes ? [] : [`${path}: expected ${bytes} bytes, found ${size.value}`];
}

async function problemsOf({ path, bytes, sha256 }: ManifestFile, tree: TreeFiles): Promise<readonly string[]> {
  const content = await tree.read(path);
  if (!content.ok) return [`${path}: ${content.why === 'missing' ? 'expected the file, found none' : content.message}`];
  if (content.value.length !== bytes) return [`${path}: expected ${bytes} bytes, found ${content.value.length}`];
  return sha256Of(content.value) === sha256 ? [] : [`${path}: content does not match the digest in the manifest`];
}
