// A key ring that the edge rereads while it runs, so that a revoked key is refused within seconds
// and without a deployment. For workers and the authorizer service.
//
// The key ring of a worker is reread while it runs, from the folder next to `public`, on disk or at
// a URL. Cloudflare's assets change only with a deployment, so there it is in a KV namespace. `get`
// of a KV namespace returns a text, and of an R2 bucket an object. A service binding appears to
// have every method, so a binding with `fetch` is a service. Redirects are not followed, because
// they would take the secret along.

import type { KeyRing } from '../../contract/key-ring.ts';
import { keyRingFrom } from '../rule/key-store.ts';
import { RING_KEPT } from '../rule/settings.ts';
import { keptFor } from './kept.ts';
import type { LoadText } from './load.ts';

const RETRY_SECONDS = 1;

/**
 * Its text tells whether it has changed: what is made of a ring is kept for as long as the ring is
 * the same object.
 */
let last: { readonly text: string; readonly ring: KeyRing; readonly readAt: number } | undefined;
let triedAt = -Infinity;

/** Replaces a key ring that cannot be read: looking up a key in it throws, which leads to a 503. */
const UNREADABLE: KeyRing = {
  schema: 1,
  get keys(): never {
    throw new Error('keyring.json');
  },
};

/**
 * The tree's key ring. If it cannot be read, the reason is logged. `load`: reads from the tree's
 * folder `edge`; `now`: seconds since 1970; `graceSeconds`: how long the last key ring is used
 * while it cannot be reread, after which a revoked key is refused in any case; `keptSeconds`:
 * shorter where reading is cheap.
 */
export const liveKeyRing = async (
  load: LoadText,
  now: number,
  graceSeconds: number,
  keptSeconds = RING_KEPT,
): Promise<KeyRing> => {
  const age = (): number => (last ? keptFor(last.readAt, now) : Infinity);
  if (age() >= keptSeconds && keptFor(triedAt, now) >= RETRY_SECONDS) {
    // Concurrent requests use the last ring, so that they do not wait for a hanging origin. If
    // there is none, each reads the key ring itself.
    if (age() < graceSeconds) triedAt = now;
    try {
      const file = await load('keyring.json', true);
      if (!file) throw new Error('it is missing');
      const text = await file.text();
      last = { text, ring: last?.text === text ? last.ring : keyRingFrom(JSON.parse(text)), readAt: now };
    } catch (error) {
      console.error('playbill: the tree cannot be read: edge/keyring.json: ' + (error as Error).message);
      triedAt = now;
    }
  }
  return last && age() < graceSeconds ? last.ring : UNREADABLE;
};
