// The end of step 5 of the publish protocol: a release whose content and manifest are durable becomes the current one. Publishing and
// going back both end here, so that a reader is safe in the same way whichever way the pointers go:
//
//   pointers, front by front  →  pointers of fronts that the release has not  →  current

import type { ManifestFront } from '../../contract/manifest.ts';
import { pathOf } from '../../render/paths.ts';
import type { Plan } from './plan.ts';
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

/** Puts a release into force. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function activateRelease(
  { releaseId, listings, removed }: Swap,
  published: PublishedTree,
  store: ReleaseStore,
  plan: Plan,
): Promise<void> {
  await swapPointers(listings, published, store, plan);
  const pointers = removed.map((code) => pathOf({ kind: 'pointer', front: code }));
  for (const path of pointers) plan.add('remove', path, 0, 'front-gone');
  if (pointers.length > 0) await store.remove(pointers);
  // State after a stop here: some fronts have their new snapshot, the others their old one, each whole.

  await replaceIfChanged(pathOf({ kind: 'current' }), `${releaseId}\n`, store, plan);
}

async function swapPointers(
  listings: readonly ManifestFront[],
  published: PublishedTree,
  store: ReleaseStore,
  plan: Plan,
): Promise<void> {
  const swaps = [];
  for (const { front, pointer } of listings) {
    const path = pathOf({ kind: 'pointer', front });
    const text = pointerText(pointer);
    const bytes = new TextEncoder().encode(text);
    const before = published.pointer(front);
    if (before !== null && pointerText(before) === text && !published.isRewritten(front)) {
      plan.add('keep', path, bytes.length, 'same-content');
    } else {
      plan.add('put', path, bytes.length, before === null ? 'new-pointer' : 'pointer-moves');
      swaps.push({ path, bytes });
    }
  }
  await store.replace(swaps);
}
