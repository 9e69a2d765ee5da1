// Mutable small files: written only when their bytes change, so that their modification time says when that was.

import type { PlanEntry } from '../../contract/results.ts';
import { orNull } from '../tree/found.ts';
import type { ReleaseStore } from '../tree/store.ts';

/** Writes a small text file, unless it is there with the same bytes. @throws AppError tree-full, tree-not-writable, tree-unreadable */
export async function replaceIfChanged(path: string, text: string, store: ReleaseStore): Promise<PlanEntry> {
  const bytes = new TextEncoder().encode(text);
  // What is not a file gives way to one, or the write says why it does not.
  const before = orNull(await store.read(path));
  if (before !== null && Buffer.compare(before, bytes) === 0) {
    return { action: 'keep', path, bytes: bytes.length, reason: 'same-content' };
  }
  await store.replace([{ path, bytes }]);
  return { action: 'put', path, bytes: bytes.length, reason: before === null ? 'new-content' : 'changed-content' };
}
