// The key ring: which key speaks for which front, with what, and when. A reader of edge/keyring.json; it verifies nothing itself and
// never holds a secret, only the name by which a runtime may look one up in its own store.

import type { SignedRequest } from './profile.ts';

/** The one algorithm without a public key. */
export const HMAC = 'hmac-sha256';

export type Algorithm = 'ecdsa-p256-sha256' | 'ed25519' | 'hmac-sha256';

/** A public key as JWK (RFC 7517): kty EC with x and y, or kty OKP with x. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
}

/** One key. Instants are canonical text and compare as text; it is valid in [notBefore, notAfter), and revoked from revokedAt on. */
export interface Key {
  readonly front: string;
  readonly alg: Algorithm;
  /** Asymmetric keys come twice, since one runtime reads only the JWK, another only the SPKI (base64 of DER). */
  readonly jwk?: PublicJwk;
  readonly spki?: string;
  /** hmac only: the secret's name in the runtime's own store. */
  readonly secretRef?: string;
  readonly notBefore: string | null;
  readonly notAfter: string | null;
  readonly revokedAt: string | null;
}

/** The content of edge/keyring.json, schema 1. */
export interface KeyRingFile {
  readonly schema: 1;
  readonly keys: { readonly [keyid: string]: Key };
}

/** The part of a key that verifies, and when: always, where it does not say. */
export type Material = Pick<Key, 'alg' | 'jwk' | 'spki' | 'secretRef'> &
  Partial<Pick<Key, 'notBefore' | 'notAfter' | 'revokedAt'>>;

/** Whether a signature (canonical base64) over a text (ASCII) is the key's. Some runtimes throw or reject where others say false. */
export type Verification = (signature: string, base: string) => boolean | Promise<boolean>;

/** What a runtime lends to the rule: its keys, its secrets, its cryptography. */
export interface KeyRing {
  /** The key of a keyid; null when there is none. A runtime whose store is asynchronous may answer later. */
  find(keyid: string): Key | null | Promise<Key | null>;
  /** The secret of that name, used as UTF-8; null when the runtime's store has none. */
  secretOf(name: string): string | null;
  /**
   * Makes a key ready, an hmac key with its secret. null when it has none or this runtime lacks the algorithm, and not an exception:
   * that can take several times as long as a verification, and would tell such a key from an unknown one. Rejects for a broken key.
   */
  load(key: Material, secret: string | null): Verification | null | Promise<Verification | null>;
  /** Nobody's P-256 key, in the format that this runtime reads: what a request is verified with when its own key will not do. */
  readonly decoy: Material;
}

/** The key ring in a parsed JSON text. Throws Error for another schema: a newer ring may hold rules that this reader would break. */
export function keyRingFileFrom(value: unknown): KeyRingFile {
  if (!isKeyRingFile(value)) throw new Error('edge/keyring.json: expected an object of schema 1 with "keys"');
  return value;
}

/** Only the frame is checked here: what a single key lacks makes that key fail to verify, and leaves the others alone. */
function isKeyRingFile(value: unknown): value is KeyRingFile {
  if (typeof value !== 'object' || value === null || !('schema' in value) || !('keys' in value)) return false;
  return value.schema === 1 && typeof value.keys === 'object' && value.keys !== null;
}

/** The key of a keyid; null when there is none. `__proto__` and `constructor` are keyids like any other. */
export const findKey = (file: KeyRingFile, keyid: string): Key | null =>
  ({}).hasOwnProperty.call(file.keys, keyid) ? (file.keys[keyid] ?? null) : null;

/** Behind every instant, as text. */
const NEVER = '~';

/** Whether a key may be used at an instant (canonical text) for what a request says of it. */
export const isUsable = (key: Material, claim: SignedRequest, instant: string): boolean =>
  (key.notBefore ?? '') <= instant &&
  instant < (key.notAfter ?? NEVER) &&
  instant < (key.revokedAt ?? NEVER) &&
  (claim.alg ?? key.alg) === key.alg;
