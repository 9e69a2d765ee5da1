// Publishes a change of keys at once, outside any release: a revocation never waits for a build,
// only for another change of keys. The key ring has its own lock, held while the keys are read and
// written, so that older keys never replace newer ones.

import { parseInstant, type Instant } from '../catalogue/instant.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import { TREE_SCHEMA } from '../contract/primitives.ts';
import type { KeysGuard, PlanEntry } from '../contract/results/parts.ts';
import { openCatalogue } from '../database/open.ts';
import { currentKeys } from '../database/write/front-keys.ts';
import type { Finding } from '../findings.ts';
import { earliest, nextKeyRing, type CatalogueKeys, type KeyRingSettings } from '../release/publish/next-key-ring.ts';
import { replaceIfChanged } from '../release/tree/replace-if-changed.ts';
import { keyRingText } from '../release/tree/codec.ts';
import { orNull, orThrow } from '../release/tree/found.ts';
import { PublishedTree } from '../release/tree/published.ts';
import { readKeyRing } from '../release/tree/read.ts';
import type { ReleaseStore } from '../release/tree/store.ts';
import { EDGE_FOLDER, pathOf, RELEASES_FOLDER } from '../render/paths.ts';
import { changingKeyRing, unlockedStore } from '../storage/open-tree.ts';

/** Refuses a malformed address before any key is changed. */
export { checkAddress as checkTreeAddress } from '../storage/open-tree.ts';

/**
 * Whether there is a tree.
 * @throws AppError tree-not-writable (something that is not a folder), tree-unreadable
 */
export async function hasTree(outPath: string): Promise<boolean> {
  const entries = orThrow(await (await unlockedStore(outPath)).entries(''));
  return entries.some(({ path }) => path === RELEASES_FOLDER || path === EDGE_FOLDER);
}

/**
 * The published key ring; null if there is none. @throws AppError tree-unreadable,
 * tree-newer-schema, and those of buckets
 */
export async function publishedKeyRing(outPath: string): Promise<KeyRing | null> {
  return orNull(await readKeyRing(await unlockedStore(outPath)));
}

/** What became of a key ring. */
export interface KeyRingChange {
  readonly plan: readonly PlanEntry[];
  readonly guards: readonly KeysGuard[];
  readonly findings: readonly Finding[];
}

export interface PublishedKeys extends KeyRingChange {
  /**
   * The current release, which does not change, and its instant; null if there is none that can be
   * read.
   */
  readonly releaseId: string | null;
  readonly asOf: Instant | null;
}

/** A key to revoke in the ring, whatever the catalogue says, and from when. */
export interface Revocation {
  readonly keyid: string;
  readonly revokedAt: string;
}

/** Publishes the catalogue's keys as they are now. @throws AppError database-…, tree-… */
export async function publishKeys(
  databasePath: string,
  outPath: string,
  settings: KeyRingSettings,
  now: Instant,
  revocation: Revocation | null = null,
): Promise<PublishedKeys> {
  return publishKeysInto(await unlockedStore(outPath), databasePath, settings, now, revocation);
}

/**
 * The same with a store of the caller's, which needs no lock.
 * @throws AppError database-…, tree-…
 */
export async function publishKeysInto(
  store: ReleaseStore,
  databasePath: string,
  settings: KeyRingSettings,
  now: Instant,
  revocation: Revocation | null = null,
): Promise<PublishedKeys> {
  // Refuses a newer tool's tree before changing anything in it.
  const published = await PublishedTree.read(store);
  const change = await changingKeyRing(store, async () => {
    const keys = withRevoked(await keysNow(databasePath, now), revocation);
    return swapKeyRing(keys, orNull(await readKeyRing(store)), published, settings, store, now);
  });
  return {
    ...change,
    releaseId: published.current?.id ?? null,
    asOf: parseInstant(published.manifest?.now ?? '') ?? null,
  };
}

/**
 * Replaces a tree's key ring with what follows from the keys that a build has loaded. If the ring
 * has changed since the build has read it, these keys may be older than the ring: reads the
 * catalogue again, so that a key that was issued since does not vanish.
 * @throws AppError database-…, tree-…
 */
export async function replaceKeyRing(
  loaded: CatalogueKeys,
  published: PublishedTree,
  settings: KeyRingSettings,
  store: ReleaseStore,
  databasePath: string,
  now: Instant,
): Promise<KeyRingChange> {
  return changingKeyRing(store, async () => {
    const current = orNull(await readKeyRing(store));
    const isUnchanged = textOf(current) === textOf(published.keyRing);
    const keys = isUnchanged ? loaded : await keysNow(databasePath, now);
    return swapKeyRing(keys, current, published, settings, store, now);
  });
}

/**
 * Writes the key ring that follows from these keys, if it differs. Takes no lock. @throws AppError
 * tree-full, tree-not-writable, tree-unreadable
 */
export async function swapKeyRing(
  keys: CatalogueKeys,
  current: KeyRing | null,
  published: PublishedTree,
  settings: KeyRingSettings,
  store: ReleaseStore,
  now: Instant,
): Promise<KeyRingChange> {
  const { ring, guards, findings } = nextKeyRing(keys, current, published.fronts, settings, now);
  return { plan: [await writeKeyRing(ring, store)], guards, findings };
}

/** Takes vanished keys out of a key ring that shards have left them in. @throws AppError tree-… */
export async function removeKeys(keyids: readonly string[], store: ReleaseStore): Promise<PlanEntry> {
  return changingKeyRing(store, async () => {
    const ring = orNull(await readKeyRing(store));
    const left = Object.entries(ring?.keys ?? {}).filter(([keyid]) => !keyids.includes(keyid));
    return writeKeyRing({ schema: TREE_SCHEMA, keys: Object.fromEntries(left) }, store);
  });
}

function writeKeyRing(ring: KeyRing, store: ReleaseStore): Promise<PlanEntry> {
  return replaceIfChanged(pathOf({ kind: 'key-ring' }), keyRingText(ring), store);
}

/** As if the key had a row that revokes it: one that the ring alone has stays there, revoked. */
function withRevoked(keys: CatalogueKeys, revocation: Revocation | null): CatalogueKeys {
  if (revocation === null) return keys;
  const { keyid } = revocation;
  const row = keys.rows.get(keyid) ?? { entry: null, isFrontUnknown: false, notAfter: null, revokedAt: null };
  const revokedAt = earliest(row.revokedAt, revocation.revokedAt);
  return { ...keys, rows: new Map([...keys.rows, [keyid, { ...row, revokedAt }]]) };
}

function textOf(ring: KeyRing | null): string | null {
  return ring && keyRingText(ring);
}

/** The catalogue's present keys, read in a transaction of their own. @throws AppError database-… */
async function keysNow(databasePath: string, now: Instant): Promise<CatalogueKeys> {
  await using reader = await openCatalogue(databasePath);
  return await currentKeys(reader, now);
}
