// Finds out who signed a request. Every request that gets this far costs the same verification, so
// that neither the answer nor its cost tells an unknown key from a wrong signature (law 9).

import { andThen, type MaybeAsync, recover } from './maybe-async.ts';
import { HMAC, type KeyFacts, type KeyStore } from './key-store.ts';
import type { SignedRequest } from './profile.ts';

/**
 * The front that the key of this signature speaks for; null when the key did not make it, or may
 * not be used at `instant` (canonical text). The kind of work follows from the length of the
 * signature, which the client chose, and not from the key: 32 bytes cost an HMAC, everything else a
 * public-key verification.
 */
export const verifySignature = <Key extends KeyFacts>(
  signed: SignedRequest,
  base: string,
  keys: KeyStore<Key>,
  instant: string,
): MaybeAsync<string | null> => {
  const key = keys.find(signed.keyid);
  // The base64 of 32 bytes.
  const isHmac = signed.signature.length === 44;
  // An unknown key is checked as well: an HMAC is so quick that even this check would give away a
  // known key.
  const own = isUsable(key ?? NO_KEY, signed, instant) && key && (key.alg === HMAC) === isHmac ? key : null;
  // OpenSSL behind njs throws where others return false: wrong lengths, numbers outside the curve.
  const checking = recover(
    () => keys.verify(own, isHmac, signed.signature, base),
    () => false,
  );
  return andThen(checking, (isValid) => (isValid && own ? own.front : null));
};

const NO_KEY: Partial<KeyFacts> = {};

/**
 * Whether a key may be used at an instant for what the request says of it. A key is valid in
 * [notBefore, notAfter), up to revokedAt. No instant sorts after `~`.
 */
const isUsable = (key: Partial<KeyFacts>, signed: SignedRequest, instant: string): boolean =>
  (key.notBefore ?? '') <= instant &&
  instant < (key.notAfter ?? '~') &&
  instant < (key.revokedAt ?? '~') &&
  (signed.alg ?? key.alg) === key.alg;
