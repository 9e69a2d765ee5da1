// Step 1 of the publish protocol: the key ring is swapped by itself, before any guard and outside any release, so that a
// revocation waits for no build and going back never brings a key back.

import type { KeyRing } from '../../contract/key-ring.ts';
import { pathOf } from '../../render/paths.ts';
import { Plan, type PlanEntry } from './plan.ts';
import type { ReleaseStore } from '../tree/store.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import { keyRingText } from '../tree/codec.ts';

/** Puts the key ring into force. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function swapKeyRing(ring: KeyRing, store: ReleaseStore): Promise<readonly PlanEntry[]> {
  const plan = new Plan();
  await replaceIfChanged(pathOf({ kind: 'key-ring' }), keyRingText(ring), store, plan);
  return plan.entries;
}
