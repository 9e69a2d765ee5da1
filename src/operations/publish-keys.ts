// Publishes a change of keys at once, outside any release: a revocation never waits for a build, only for another change of keys. The key
// ring has its own lock, held while the keys are read and written, so that older keys never replace newer ones.

import { parseInstant, type Instant } from '../catalogue/instant.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { PlanEntry } from '../contract/results.ts';
import { openCatalogue } from '../database/open.ts';
import { currentKeyRing } from '../database/write/front-keys.ts';
import { replaceIfChanged } from '../release/publish/replace-if-changed.ts';
import { keyRingText } from '../release/tree/codec.ts';
import { orNull, orThrow } from '../release/tree/found.ts';
import { PublishedTree } from '../release/tree/published.ts';
import { readKeyRing } from '../release/tree/read.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { EDGE_FOLDER, pathOf, RELEASES_FOLDER } from '../render/paths.ts';
import { changingKeyRing, unlockedStore } from '../storage/open-tree.ts';

/** The keys that a build has loaded, and the tree's key ring as it was before. */
interface LoadedKeys {
  readonly ring: KeyRing;
  readonly before: KeyRing | null;
}

/** Refuses a malformed address before any key is changed. */
export { checkAddress as checkTreeAddress } from '../storage/open-tree.ts';

/** Whether there is a tree. @throws AppError tree-not-writable (something that is not a folder), tree-unreadable */
export async function hasTree(outPath: string): Promise<boolean> {
  const entries = orThrow(await (await unlockedStore(outPath)).entries(''));
  return entries.some(({ path }) => path === RELEASES_FOLDER || path === EDGE_FOLDER);
}

export interface PublishedKeys {
  readonly plan: readonly PlanEntry[];
  /** The current release, which does not change, and its instant; null if there is none that can be read. */
  readonly releaseId: string | null;
  readonly asOf: Instant | null;
}

/** Publishes the catalogue's keys as they are now. @throws AppError database-…, tree-… */
export async function publishKeys(databasePath: string, outPath: string): Promise<PublishedKeys> {
  return publishKeysInto(await unlockedStore(outPath), databasePath);
}

/** The same with a store of the caller's, which needs no lock. @throws AppError database-…, tree-… */
export async function publishKeysInto(store: ReleaseStore, databasePath: string): Promise<PublishedKeys> {
  // Refuses a newer tool's tree before changing anything in it.
  const { currentId, manifest } = await PublishedTree.read(store);
  const entry = await replaceKeyRing(null, store, databasePath);
  return { plan: [entry], releaseId: currentId, asOf: parseInstant(manifest?.now ?? '') ?? null };
}

/**
 * Replaces a tree's key ring with the keys that a build has loaded, or with the catalogue's present keys (null). If the ring has changed
 * since `before` was read, the loaded keys may be older than the ring: reads the catalogue again, so that a revoked key does not come
 * back. @throws AppError database-…, tree-…
 */
export async function replaceKeyRing(
  loaded: LoadedKeys | null,
  store: ReleaseStore,
  databasePath: string,
): Promise<PlanEntry> {
  return changingKeyRing(store, async () => {
    const current = orNull(await readKeyRing(store));
    const isUnchanged = loaded !== null && textOf(current) === textOf(loaded.before);
    return swapKeyRing(isUnchanged ? loaded.ring : await keysNow(databasePath, current), store);
  });
}

/** Writes a key ring if it has changed. Takes no lock. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export function swapKeyRing(ring: KeyRing, store: ReleaseStore): Promise<PlanEntry> {
  return replaceIfChanged(pathOf({ kind: 'key-ring' }), keyRingText(ring), store);
}

function textOf(ring: KeyRing | null): string | null {
  return ring && keyRingText(ring);
}

/** The catalogue's present keys, read in a transaction of their own. @throws AppError database-… */
async function keysNow(databasePath: string, current: KeyRing | null): Promise<KeyRing> {
  await using reader = await openCatalogue(databasePath);
  return await currentKeyRing(reader, current);
}
