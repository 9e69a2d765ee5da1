// Derives the notification of a publish from its plan: which URLs changed, which were removed and which were added.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import type { PublishNotice } from '../../contract/publish-notice.ts';
import type { PlanEntry } from '../../contract/results.ts';
import { PUBLIC_FOLDER, treeFileOf } from '../../render/paths.ts';

/**
 * The notification of a release for `now` that was published by this plan; null if readers see no difference. Paths are sorted.
 */
export function publishNotice(
  plan: readonly PlanEntry[],
  releaseId: string | null,
  now: Instant,
): PublishNotice | null {
  const fronts = new Set<string>();
  const changed: string[] = [];
  const removed: string[] = [];
  const added: string[] = [];
  let isKeyRingChanged = false;
  for (const { action, path, reason } of plan) {
    if (action === 'keep') continue;
    const file = treeFileOf(path);
    if (file?.kind === 'key-ring') isKeyRingChanged = true;
    if (file?.kind !== 'pointer' && file?.kind !== 'edition') continue;
    fronts.add(file.front);
    const list = action === 'remove' ? removed : reason === 'new-content' ? added : changed;
    list.push(path.slice(PUBLIC_FOLDER.length));
  }
  if (releaseId === null || (fronts.size === 0 && !isKeyRingChanged)) return null;
  return {
    schema: 1,
    release: releaseId,
    now: formatInstant(now),
    fronts: [...fronts].sort(),
    changed: changed.sort(),
    removed: removed.sort(),
    added: added.sort(),
    isKeyRingChanged,
  };
}
