// The grace after going back: `releases/grace`. Retention takes each release to be superseded when the next one by `now` was built for.
// For a release that a rollback went back to, that is long past, although edges and copies have just read it. So from the end of a
// rollback's hold on, and from a build that follows one of an earlier `now`, every release is kept, until the current one was built
// for a grace time later than the first that followed.
//
// The file holds the id of the current release at the end of the hold; once another is current, the instant that this one was built
// for. What is damaged counts as such an id: too much is kept then, and not for ever.

import { formatInstant, instantOf, parseInstant } from '../../catalogue/instant.ts';
import { pathOf } from '../../render/paths.ts';
import { orThrow } from '../tree/found.ts';
import type { DatedRelease } from '../tree/read.ts';
import type { ReleaseStore } from '../tree/store.ts';

const PATH = pathOf({ kind: 'grace' });

/** Keeps every release from now on; `currentId` is not superseded yet. @throws AppError tree-full, tree-not-writable */
export async function beginGrace(currentId: string | null, store: ReleaseStore): Promise<void> {
  await write(currentId ?? '', store);
}

/**
 * Whether every release is to be kept; brings the file up to date. `isOutOfOrder`: the current release has just followed one that by
 * `now` was superseded before. @throws AppError tree-full, tree-not-writable, tree-unreadable
 */
export async function isInGrace(
  current: DatedRelease,
  isOutOfOrder: boolean,
  graceSeconds: number,
  store: ReleaseStore,
): Promise<boolean> {
  const file = await store.read(PATH);
  const text = !file.ok && file.why === 'missing' ? null : new TextDecoder().decode(orThrow(file)).trimEnd();
  if (text === null && !isOutOfOrder) return false;
  if (text === current.id) return graceSeconds > 0;
  const known = isOutOfOrder || text === null ? current.now : (parseInstant(text) ?? current.now);
  // That first build may have had a wrong clock, years ahead.
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
