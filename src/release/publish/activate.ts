// The end of step 5 of the publish protocol: a release whose content and manifest are durable becomes the current one. Publishing and
// going back both end here, so that a reader is safe in the same way whichever way the pointers go:
//
//   pointers, front by front  →  pointers of fronts that the release has not  →  current

import type { ManifestFront } from '../../contract/manifest.ts';
import type { PlanEntry } from '../../contract/results.ts';
import { pathOf } from '../../render/paths.ts';
import type { PublishedTree } from '../tree/published.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { pointerText } from '../tree/codec.ts';

/** A release to activate. */
export interface Swap {
  readonly releaseId: string;
  /** The fronts whose pointers are those of the release, by code. Pointers of fronts that are not listed here stay. */
  readonly listings: readonly ManifestFront[];
  /** Fronts that lose their pointers. */
  readonly removed: readonly string[];
}

/** Makes a release the current one. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function activateRelease(
  { releaseId, listings, removed }: Swap,
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
  // State after a stop here: some fronts have their new snapshot, the others their old one, each whole.

  plan.push(await replaceIfChanged(pathOf({ kind: 'current' }), `${releaseId}\n`, store));
  return plan;
}
