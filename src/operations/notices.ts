// What a notification of a publish says, and the last release and key ring of which the hook was
// notified with success: `releases/notified`. A killed run and a failing hook leave that file as it
// was, so the next notice names their changes, too.

import { instantOfText, type Instant } from '../catalogue/instant.ts';
import type { Allowed } from '../contract/manifest.ts';
import type { Pointer } from '../contract/pointer.ts';
import type { PublishNotice } from '../contract/publish-notice.ts';
import type { Release } from '../contract/release-name.ts';
import type { PlanEntry } from '../contract/results/parts.ts';
import { AppError } from '../errors.ts';
import { mergedAllowed } from '../release/publish/guards.ts';
import { changesSince, publishNotice } from '../release/publish/publish-notice.ts';
import { orNull } from '../release/tree/found.ts';
import { readManifest, readManifestHead } from '../release/tree/manifest.ts';
import { readAhead } from '../release/tree/read-ahead.ts';
import {
  keyRingDigest,
  notifiedText,
  publishedFronts,
  readNotified,
  readPointer,
  type Notified,
} from '../release/tree/read.ts';
import { keptReleases } from '../release/tree/releases.ts';
import type { TreeFiles } from '../release/tree/files.ts';
import { pathOf } from '../render/paths.ts';
import { lockedTree, unlockedStore } from '../storage/open-tree.ts';

const KEY_RING_PATH = pathOf({ kind: 'key-ring' });

/** What a run has published. */
export interface Published {
  readonly plan: readonly PlanEntry[];
  /** The guards that it let pass. */
  readonly allowed: Allowed;
  /** The current release after the run, and the one before it; null if there is none. */
  readonly release: Release | null;
  readonly replaced: Release | null;
}

export interface DueNotice {
  readonly notice: PublishNotice;
  readonly release: Release;
  /** What the key ring was when the notice was made (`keyRingDigest`). */
  readonly keyRing: string;
  /** Of what the hook was notified before. */
  readonly before: Notified;
}

/**
 * The notice of what a run has changed for readers, and of whatever is different from the last
 * release of which the hook was notified; before its first success, from the release before this
 * run.
 * @returns null if readers can see no difference
 * @throws AppError tree-unreadable, tree-newer-schema, and those of buckets
 */
export async function dueNotice(
  outPath: string,
  { plan, allowed, release, replaced }: Published,
  now: Instant,
): Promise<DueNotice | null> {
  if (release === null) return null;
  const files = await unlockedStore(outPath);
  const noted = await readNotified(files);
  const keyRing = await keyRingDigest(files);
  const isKeyRingNew = replaced === null || plan.some(isKeyRingPut);
  const before = noted ?? { release: replaced, keyRing: isKeyRingNew ? null : keyRing };
  const changes = [...plan, ...(await missedChanges(before, { release, keyRing }, files))];
  const isMissed = before.release === null || before.release.name !== replaced?.name;
  const missed = isMissed ? await missedAllowed(before, release, files) : [];
  const notice = publishNotice(changes, mergedAllowed([allowed, ...missed]), release.id, now);
  if (notice === null) return null;
  // State after a stop here or during the notification: the next run notifies of the same.
  if (noted === null) await note(before, null, outPath);
  return { notice, release, keyRing, before };
}

function isKeyRingPut({ action, path }: PlanEntry): boolean {
  return action === 'put' && path === KEY_RING_PATH;
}

/** Notes that a notice was delivered. */
export async function noteDelivery({ release, keyRing, before }: DueNotice, outPath: string): Promise<void> {
  await note({ release, keyRing }, before, outPath);
}

/**
 * What readers see otherwise than when the hook was last notified. They see pointers: a run that
 * was stopped may have left others than the current release lists.
 */
async function missedChanges(
  notified: Notified,
  { release, keyRing }: { readonly release: Release; readonly keyRing: string },
  files: TreeFiles,
): Promise<readonly PlanEntry[]> {
  const keyRingPut: readonly PlanEntry[] =
    notified.keyRing === keyRing ? [] : [{ action: 'put', path: KEY_RING_PATH, bytes: 0, reason: 'changed-content' }];
  const before = notified.release === null ? null : orNull(await readManifest(notified.release, files));
  const pointers = new Map<string, Pointer | null>();
  for await (const [front, read] of readAhead(await publishedFronts(files), (code) => readPointer(code, files)))
    if (read.ok || read.why !== 'missing') pointers.set(front, orNull(read)?.pointer ?? null);
  const isBack = before !== null && release.now !== null && release.now < instantOfText(before.now);
  return [...keyRingPut, ...changesSince(before, pointers, isBack)];
}

/** The guards that were let pass by the kept releases since the last notification. */
async function missedAllowed(notified: Notified, release: Release, files: TreeFiles): Promise<readonly Allowed[]> {
  const since = notified.release?.now ?? Number.NEGATIVE_INFINITY;
  const until = release.now ?? Number.NEGATIVE_INFINITY;
  const { releases } = await keptReleases(files);
  const allowed: Allowed[] = [];
  for (const one of releases) {
    if (one.now <= since || one.now > until) continue;
    // A damaged manifest says nothing.
    allowed.push(orNull(await readManifestHead(one, files))?.allowed ?? []);
  }
  return allowed;
}

/**
 * Replaces what is noted. Does nothing if that has changed meanwhile, if another run is writing the
 * tree, or if it cannot be written: then a later notice names too much.
 */
async function note(after: Notified, before: Notified | null, outPath: string): Promise<void> {
  const text = notifiedText(after);
  const textBefore = before && notifiedText(before);
  if (text === textBefore) return;
  try {
    const tree = await lockedTree(outPath);
    try {
      const found = await readNotified(tree.store);
      if ((found && notifiedText(found)) !== textBefore) return;
      await tree.store.replace([{ path: pathOf({ kind: 'notified' }), bytes: new TextEncoder().encode(text) }]);
    } finally {
      await tree.release();
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
