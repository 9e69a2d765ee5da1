// The grace period after a rollback: `releases/grace`. Retention assumes that releases supersede
// each other in the order of `now`, but a rollback makes an old release current, which edges and
// copies then read. So after the hold ends, or after a build whose `now` is out of order, every
// release is kept until the current one was built for `graceSeconds` later than the first that
// followed. The file contains the id of the release that was current when the hold ended or, once
// there is a later one, the `now` of that one.

import { formatInstant, instantOf, parseInstant } from '../../catalogue/instant.ts';
import { pathOf } from '../../render/paths.ts';
import { orThrow } from './found.ts';
import type { DatedRelease } from '../../contract/release-name.ts';
import type { ReleaseStore } from './store.ts';

const PATH = pathOf({ kind: 'grace' });

/**
 * Starts the grace period; `currentId` has not been superseded yet.
 * @throws AppError tree-full, tree-not-writable
 */
export async function beginGrace(currentId: string | null, store: ReleaseStore): Promise<void> {
  await write(currentId ?? '', store);
}

/**
 * Whether every release must be kept. Updates the file. `isOutOfOrder`: the current release has
 * just replaced one that, in the order of `now`, had been superseded before.
 * @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function isInGrace(
  current: Pick<DatedRelease, 'id' | 'now'>,
  isOutOfOrder: boolean,
  graceSeconds: number,
  store: ReleaseStore,
): Promise<boolean> {
  const file = await store.read(PATH);
  const text = !file.ok && file.why === 'missing' ? null : new TextDecoder().decode(orThrow(file)).trimEnd();
  if (text === null && !isOutOfOrder) return false;
  if (text === current.id) return graceSeconds > 0;
  // A damaged file counts as the id of another release: that keeps too much, but not forever.
  const known = isOutOfOrder || text === null ? current.now : (parseInstant(text) ?? current.now);
  // The first build may have run with a clock that was years ahead.
  const since = instantOf(Math.min(known, current.now));
  if (current.now - since >= graceSeconds) {
    if (text !== null) await store.remove([PATH]);
    return false;
  }
  if (text !== formatInstant(since)) await write(formatInstant(since), store);
  return true;
}

async function write(text: string, store: ReleaseStore): Promise<void> {
  await store.replace([{ path: PATH, bytes: new TextEncoder().encode(`${text}\n`) }]);
}
