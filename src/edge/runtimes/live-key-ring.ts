// A key ring that is read while the edge runs, as workers and the service behind a proxy keep it: a revoked key is refused some seconds later,
// wherever they run, and nobody deploys anything.

import type { KeyRing } from '../../contract/key-ring.ts';
import { keyRingFrom } from '../rule/key-store.ts';
import type { Load } from './fetch-handler.ts';

/** For how long a key ring is used without looking again. */
const KEPT_SECONDS = 10;
/** For how long the last one is used while no other can be read. A revocation is in force after this time in any case. */
const LAST_SECONDS = 60;
const RETRY_SECONDS = 1;

let last: { readonly ring: KeyRing; readonly readAt: number } | undefined;
let triedAt = -Infinity;

/** Stands in for a key ring that cannot be read: looking for a key in it ends in a 503. */
const UNREADABLE: KeyRing = {
  schema: 1,
  get keys(): never {
    throw new Error('keyring.json');
  },
};

/**
 * The tree's key ring. `load`: from the tree's folder `edge`. The log says why it cannot be read. `now`: seconds since 1970. `keptSeconds`:
 * where it costs less to look.
 */
export const liveKeyRing = async (load: Load, now: number, keptSeconds = KEPT_SECONDS): Promise<KeyRing> => {
  // In either direction: a clock that is set back must not make a ring last longer.
  const age = (): number => (last ? Math.abs(now - last.readAt) : LAST_SECONDS);
  if (age() >= keptSeconds && Math.abs(now - triedAt) >= RETRY_SECONDS) {
    // Requests that come meanwhile use the last ring, and need not wait for an origin that hangs. Without one they look for themselves.
    if (age() < LAST_SECONDS) triedAt = now;
    try {
      const file = await load('keyring.json', 'GET');
      if (!file) throw new Error('it is missing');
      last = { ring: keyRingFrom(JSON.parse(await file.text())), readAt: now };
    } catch (error) {
      console.error('playbill: the tree cannot be read: edge/keyring.json: ' + (error as Error).message);
      triedAt = now;
    }
  }
  return last && age() < LAST_SECONDS ? last.ring : UNREADABLE;
};
