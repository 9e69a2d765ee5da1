// Who signed a request: exactly one verification for every request that gets this far, whatever is known about its key, so that neither
// the answer nor its cost tells an unknown key from a wrong signature (law 9).

import type { KeyRingEntry } from '../../contract/key-ring.ts';
import { HMAC, type KeyStore, type Verifier } from './key-store.ts';
import type { SignedRequest } from './profile.ts';

/** Characters of base64 that 32 bytes have. */
const HMAC_LENGTH = 44;

/** Sorts after every instant. */
const NEVER = '~';

/**
 * The front that the key of this signature speaks for; null when the key did not make it, or may not be used at `instant` (canonical
 * text). The kind of work follows from the length of the signature, which the client chose, and not from the key: 32 bytes cost an
 * HMAC, everything else a public-key verification.
 */
export const verifySignature = async (
  signed: SignedRequest,
  keys: KeyStore,
  instant: string,
): Promise<string | null> => {
  const key = await keys.find(signed.keyid);
  const isHmac = signed.signature.length === HMAC_LENGTH;
  let own: Verifier | null = null;
  try {
    // Asked of nobody's key as well: an HMAC is so quick that even this would tell a known key from an unknown one.
    const isFit = isUsable(key ?? NOBODYS, signed, instant) && key && (key.alg === HMAC) === isHmac;
    const loading = isFit ? keys.load(key) : null;
    // njs takes its time for each await.
    if (loading) own = await loading;
  } catch {
    // A key that this runtime cannot read counts as unusable.
  }
  const verify = own ?? (await keys.loadDecoy(isHmac));
  try {
    const isValid = await verify(signed.signature, signed.base);
    // A signature that the decoy verifies is refused all the same.
    return isValid && own && key ? key.front : null;
  } catch {
    // OpenSSL behind njs throws where others return false: wrong lengths, numbers outside the curve.
    return null;
  }
};

type Validity = Pick<KeyRingEntry, 'alg' | 'notBefore' | 'notAfter' | 'revokedAt'>;

const NOBODYS: Validity = { alg: HMAC, notBefore: null, notAfter: null, revokedAt: null };

/** Whether a key may be used at an instant for what the request says of it. A key is valid in [notBefore, notAfter), up to revokedAt. */
const isUsable = (key: Validity, signed: SignedRequest, instant: string): boolean =>
  (key.notBefore ?? '') <= instant &&
  instant < (key.notAfter ?? NEVER) &&
  instant < (key.revokedAt ?? NEVER) &&
  (signed.alg ?? key.alg) === key.alg;
