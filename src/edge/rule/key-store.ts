// What a runtime lends to the rule: its keys and its cryptography. A key store hands out verifiers and never a secret: the key ring
// holds public keys and names of secrets, and the runtime's own secrets stay behind `load`.

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';

/** The one algorithm without a public key. */
export const HMAC = 'hmac-sha256';

/** The text that stands in for a secret where the rule computes an HMAC for nobody. */
export const DECOY_SECRET = 'nobody';

/** Whether a signature (canonical base64) over a text (ASCII) is the key's. Some runtimes throw or reject where others return false. */
export type Verifier = (signature: string, base: string) => boolean | Promise<boolean>;

/** The secret of that name, used as UTF-8; null when the runtime has none. */
export type SecretOf = (name: string) => string | null;

export interface KeyStore {
  /** The key of a keyid; null when there is none. */
  find(keyid: string): KeyRingEntry | null | Promise<KeyRingEntry | null>;
  /**
   * Makes a key ready. null where its secret is missing or this runtime lacks the algorithm, and not an exception: that can take several
   * times as long as a verification, and would tell such a key from an unknown one. Rejects for a broken key.
   */
  load(key: KeyRingEntry): Verifier | null | Promise<Verifier | null>;
  /** Nobody's key, for HMAC or for P-256: what a request is verified with when its own key cannot be used. */
  loadDecoy(isHmac: boolean): Verifier | Promise<Verifier>;
}

/**
 * The key ring in parsed JSON. Throws Error for another schema: a newer ring may hold rules that this reader would break. The keys
 * themselves are not checked: a broken one fails to verify, and leaves the others alone.
 */
export function keyRingFrom(value: unknown): KeyRing {
  const ring = value as KeyRing | null;
  if (ring?.schema === 1 && ring.keys && typeof ring.keys === 'object') return ring;
  throw new Error('edge/keyring.json: expected an object of schema 1 with "keys"');
}

/** The key of a keyid; null when there is none. `__proto__` and `constructor` are keyids like any other. */
export const findKey = (ring: KeyRing, keyid: string): KeyRingEntry | null =>
  ({}).hasOwnProperty.call(ring.keys, keyid) ? (ring.keys[keyid] ?? null) : null;
