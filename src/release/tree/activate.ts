// The end of step 5 of the publish protocol, for publishing and rollback: a release whose content
// and manifest are durable becomes the current one. The order of writes:
//
//   pointers, front by front  →  removal of pointers of fronts that the release does not have  →  current

import type { ManifestFront } from '../../contract/manifest.ts';
import type { Release } from '../../contract/release-name.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { pathOf } from '../../render/paths.ts';
import type { PublishedTree } from './published.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { ReleaseStore } from './store.ts';
import { pointerText } from './codec.ts';

/** A release to activate. */
export interface Swap {
  readonly release: Release;
  /** The fronts whose pointers are replaced by the release's. Pointers of other fronts stay. */
  readonly listings: readonly ManifestFront[];
  /** Fronts that lose their pointers. */
  readonly removed: readonly string[];
}

/**
 * Makes a release the current one.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function activateRelease(
  { release, listings, removed }: Swap,
  published: PublishedTree,
  store: ReleaseStore,
): Promise<readonly PlanEntry[]> {
  const plan: PlanEntry[] = [];
  const swaps = [];
  for (const { front, pointer } of listings) {
    const path = pathOf({ kind: 'pointer', front });
    const text = pointerText(pointer);
    const bytes = new TextEncoder().encode(text);
    const before = published.pointer(front);
    if (before !== null && pointerText(before) === text && !published.isRewritten(front)) {
      plan.push({ action: 'keep', path, bytes: bytes.length, reason: 'same-content' });
    } else {
      const reason = before === null ? 'new-pointer' : 'pointer-moves';
      plan.push({ action: 'put', path, bytes: bytes.length, reason });
      swaps.push({ path, bytes });
    }
  }
  await store.replace(swaps);
  const pointers = removed.map((front) => pathOf({ kind: 'pointer', front }));
  for (const path of pointers) plan.push({ action: 'remove', path, bytes: 0, reason: 'front-gone' });
  if (pointers.length > 0) await store.remove(pointers);
  // State after a stop here: each front has its old or its new snapshot, whole.

  plan.push(await replaceIfChanged(pathOf({ kind: 'current' }), `${release.name}\n`, store));
  return plan;
}
