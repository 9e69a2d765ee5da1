// Mutable small files: written only when their bytes change.

import { sha256Of } from './digest.ts';
import { Obstruction, orObstruction } from './obstruction.ts';
import type { Plan } from '../publish/plan.ts';
import type { ReleaseStore } from './store.ts';

/** Puts a small file unless it is there with the same bytes: then its modification time stays. */
export async function replaceIfChanged(
  path: string,
  bytes: Uint8Array,
  store: ReleaseStore,
  plan: Plan,
): Promise<void> {
  const found = await orObstruction(store.read(path));
  // What is no file gives way to one, or the write says why it does not.
  const before = found instanceof Obstruction ? undefined : found;
  if (before !== undefined && sha256Of(before) === sha256Of(bytes)) {
    plan.add('keep', path, bytes.length, 'same-content');
    return;
  }
  plan.add('put', path, bytes.length, before === undefined ? 'new-content' : 'changed-content');
  await store.replace([{ path, bytes }]);
}
