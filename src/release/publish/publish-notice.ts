// Derives the notification of a publish: which URLs changed, which were removed and which were
// added, by the plan of the run that publishes and by what is different from the release of the
// last notification.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { PublishNotice } from '../../contract/publish-notice.ts';
import type { Allowed, Manifest } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { pathOf, PUBLIC_FOLDER, treeFileOf } from '../../render/paths.ts';
import { editionPathsOf, pointerText } from '../tree/codec.ts';

/**
 * The notification of a release for `now` that was published by this plan, which may name a file
 * twice, and let these guards pass; null if readers see no difference. Paths are sorted.
 */
export function publishNotice(
  plan: readonly PlanEntry[],
  allowed: Allowed,
  releaseId: string | null,
  now: Instant,
): PublishNotice | null {
  const fronts = new Set<string>();
  const changed = new Set<string>();
  const removed = new Set<string>();
  const added = new Set<string>();
  let isKeyRingChanged = false;
  for (const { action, path, reason } of plan) {
    if (action === 'keep') continue;
    const file = treeFileOf(path);
    if (file?.kind === 'key-ring') isKeyRingChanged = true;
    if (file?.kind !== 'pointer' && file?.kind !== 'edition') continue;
    fronts.add(file.front);
    const list = action === 'remove' ? removed : reason === 'new-content' ? added : changed;
    list.add(path.slice(PUBLIC_FOLDER.length));
  }
  if (releaseId === null || (fronts.size === 0 && !isKeyRingChanged)) return null;
  return {
    schema: 1,
    release: releaseId,
    now: formatInstant(now),
    fronts: [...fronts].sort(),
    changed: [...changed].sort(),
    removed: [...removed].sort(),
    added: [...added].filter((path) => !changed.has(path)).sort(),
    isKeyRingChanged,
    allowed,
  };
}

/**
 * What pointers show otherwise than a release, as a plan; null stands for one that cannot be read.
 * All of it is new if `before` is null. `isBack`: an earlier release was restored.
 */
export function changesSince(
  before: Manifest | null,
  pointers: ReadonlyMap<string, Pointer | null>,
  isBack: boolean,
): readonly PlanEntry[] {
  const listed = new Map(before?.fronts.map(({ front, pointer }) => [front, pointerText(pointer)]));
  const known = new Set(before?.files.map(({ path }) => path));
  const plan: PlanEntry[] = [];
  for (const [front, pointer] of pointers) {
    if (pointer === null || listed.get(front) !== pointerText(pointer))
      plan.push({ action: 'put', path: pathOf({ kind: 'pointer', front }), bytes: 0, reason: 'pointer-moves' });
    listed.delete(front);
  }
  for (const front of listed.keys())
    plan.push({ action: 'remove', path: pathOf({ kind: 'pointer', front }), bytes: 0, reason: 'front-gone' });
  // After a rollback nothing is new: caches may have the editions of an earlier release.
  if (isBack) return plan;
  for (const path of [...pointers.values()].flatMap((pointer) => (pointer === null ? [] : editionPathsOf(pointer))))
    if (!known.has(path)) plan.push({ action: 'put', path, bytes: 0, reason: 'new-content' });
  return plan;
}
