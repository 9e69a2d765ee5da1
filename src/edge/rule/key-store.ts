// What a runtime lends to the rule: its keys and its cryptography. A key store verifies, and hands
// out no secret: the key ring holds public keys and names of secrets, and the runtime's own secrets
// stay behind `verify`.
//
// Secrets of hmac keys are UTF-8 text. An empty one counts as missing: some runtimes would accept
// it, and then anybody could sign.

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import type { MaybeAsync } from './maybe-async.ts';

/** The one algorithm without a public key. */
export const HMAC = 'hmac-sha256';

/** The text that stands in for a secret where the rule computes an HMAC for nobody. */
export const DECOY_SECRET = 'nobody';

/** The secret of that name, used as UTF-8; null when the runtime has none. */
export type SecretOf = (name: string) => string | null;

/** What the rule itself looks at. */
export type KeyFacts = Pick<KeyRingEntry, 'front' | 'notBefore' | 'notAfter' | 'revokedAt' | 'alg'>;

export interface KeyStore<Key extends KeyFacts = KeyRingEntry> {
  /** The key of a keyid; null for an unknown one. */
  find(keyid: string): Key | null;
  /**
   * Whether this key made a signature (canonical base64) over a text (ASCII). `isHmac` tells which
   * kind of signature it is. Without a key (null), and for one that is broken, lacks its secret or
   * has an algorithm that this runtime lacks, it takes as long and is false. Some runtimes throw or
   * reject where others return false.
   */
  verify(key: Key | null, isHmac: boolean, signature: string, base: string): MaybeAsync<boolean>;
}

/**
 * The key ring in parsed JSON. Throws Error for another schema: a newer ring may hold rules that
 * this reader would break. A key of which it is not exactly clear for whom and until when it is
 * valid is taken out; of the others, a broken one fails to verify.
 */
export function keyRingFrom(value: unknown): KeyRing {
  const ring = value as KeyRing | null;
  if (ring?.schema !== 1 || !ring.keys || typeof ring.keys !== 'object')
    throw new Error('expected an object of schema 1 with "keys"');
  Object.keys(ring.keys).forEach((keyid) => {
    if (!isClear(ring.keys[keyid])) delete ring.keys[keyid];
  });
  return ring;
}

/**
 * Instants are compared as text, so that any other would be before or after all: `"revokedAt":0`
 * must not be a key that is still valid.
 */
const isClear = (key: Partial<KeyFacts> | undefined): boolean =>
  !!key &&
  typeof key.front === 'string' &&
  [key.notBefore, key.notAfter, key.revokedAt].every(
    (at) => at === null || (typeof at === 'string' && /^\d{4}(-\d\d){2}T\d\d(:\d\d){2}Z$/.test(at)),
  );

/**
 * The key of a keyid; null for an unknown one. `__proto__` and `constructor` are keyids like any
 * other.
 */
export const findKey = (ring: KeyRing, keyid: string): KeyRingEntry | null =>
  ({}.hasOwnProperty.call(ring.keys, keyid) && ring.keys[keyid]) || null;
