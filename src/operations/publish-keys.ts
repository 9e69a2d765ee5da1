// Publishes a change of keys at once, outside any release: a revocation does not wait for a build that is writing the tree, only for
// another change of keys. Under the key ring's own lock, held for the reading of the keys as well: of two changes the later one stands,
// and no key ring is followed by one that was read before it.

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
import { changingKeyRing, checkAddress, unlockedStore } from '../storage/open-tree.ts';

/** Keys that a run has loaded, and the key ring of the tree as it was before. */
interface LoadedKeys {
  readonly ring: KeyRing;
  readonly before: KeyRing | null;
}

/** Refuses a malformed address before keys are changed for the tree there. @throws AppError usage */
export function checkTreeAddress(outPath: string): void {
  checkAddress(outPath);
}

/** Whether there is a tree whose key ring can be replaced. @throws AppError tree-not-writable (something that is not a folder), tree-unreadable */
export async function hasTree(outPath: string): Promise<boolean> {
  const entries = orThrow(await (await unlockedStore(outPath)).entries(''));
  return entries.some(({ path }) => path === RELEASES_FOLDER || path === EDGE_FOLDER);
}

export interface PublishedKeys {
  readonly plan: readonly PlanEntry[];
  /** The current release, which stays, and the instant that it is for; null where there is none that can be read. */
  readonly releaseId: string | null;
  readonly asOf: Instant | null;
}

/** Publishes the catalogue's keys as they are now. @throws AppError database-…, tree-… */
export async function publishKeys(databasePath: string, outPath: string): Promise<PublishedKeys> {
  const store = await unlockedStore(outPath);
  // A newer tool's tree is refused before anything of it is touched.
  const { currentId, manifest } = await PublishedTree.read(store);
  const entry = await replaceKeyRing(null, store, databasePath);
  return { plan: [entry], releaseId: currentId, asOf: parseInstant(manifest?.now ?? '') ?? null };
}

/**
 * Replaces the key ring of a tree by the keys that a build has loaded; null: by those of the catalogue as they are now. If the ring has
 * changed since `before` was read, which was before the build's transaction, the loaded keys may be older: then the catalogue is read
 * once more, so that a revoked key does not come back. @throws AppError database-…, tree-…
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

/** Puts a key ring into force, as a build with a store of its own does. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export function swapKeyRing(ring: KeyRing, store: ReleaseStore): Promise<PlanEntry> {
  return replaceIfChanged(pathOf({ kind: 'key-ring' }), keyRingText(ring), store);
}

function textOf(ring: KeyRing | null): string | null {
  return ring && keyRingText(ring);
}

/** The keys as the catalogue has them at this moment, in a transaction of their own. @throws AppError database-… */
async function keysNow(databasePath: string, current: KeyRing | null): Promise<KeyRing> {
  await using reader = await openCatalogue(databasePath);
  return await currentKeyRing(reader, current);
}
