// Writes small mutable files only if their bytes change, so that their modification time is the
// time of the last change.

import type { PlanEntry } from '../../contract/results/parts.ts';
import { orNull } from './found.ts';
import type { ReleaseStore } from './store.ts';

/**
 * Writes a text file unless it has the same bytes already.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function replaceIfChanged(path: string, text: string, store: ReleaseStore): Promise<PlanEntry> {
  const bytes = new TextEncoder().encode(text);
  // If something that is not a file is there, `replace` replaces it, or throws.
  const before = orNull(await store.read(path));
  if (before !== null && Buffer.compare(before, bytes) === 0) {
    return { action: 'keep', path, bytes: bytes.length, reason: 'same-content' };
  }
  await store.replace([{ path, bytes }]);
  return { action: 'put', path, bytes: bytes.length, reason: before === null ? 'new-content' : 'changed-content' };
}
