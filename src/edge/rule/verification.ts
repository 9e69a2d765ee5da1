// Whether a claim is genuine: exactly one verification for every request that gets this far, whatever is known about its key, so that
// neither the answer nor its cost tells an unknown key from a wrong signature (law 9). It decides nothing about fronts.

import { HMAC, isUsable, type Key, type KeyRing, type Material, type Verification } from './key-store.ts';
import type { SignedRequest } from './profile.ts';

/** Characters of base64 that 32 bytes have. */
const HMAC_LENGTH = 44;

/**
 * Whether the key made this signature and may do so at `instant` (canonical text). The kind of work follows from the length of the
 * signature, which the client chose, and not from the key: 32 bytes cost an HMAC, everything else a verification with P-256.
 */
export const isGenuine = async (
  claim: SignedRequest,
  key: Key | null,
  keyRing: KeyRing,
  instant: string,
): Promise<boolean> => {
  const isHmac = claim.signature.length === HMAC_LENGTH;
  // Nobody's key takes the place of one that there is not or that will not do, and goes the same way as any other.
  const nobody: Material = isHmac ? { alg: HMAC } : keyRing.decoy;
  const named = key ?? nobody;
  const used = (named.alg === HMAC) === isHmac && isUsable(named, claim, instant) ? named : nobody;
  let own: Verification | null = null;
  try {
    const loading = keyRing.load(used, keyRing.secretOf(used.secretRef ?? ''));
    // No wait for nothing: njs takes its time for each.
    if (loading) own = await loading;
  } catch {
    // A key that this runtime cannot read is one that will not do.
  }
  const verify = own ?? (await keyRing.load(nobody, 'nobody'));
  try {
    // Whatever comes out for nobody's key: the request is refused.
    const isValid = await verify?.(claim.signature, claim.base);
    return isValid === true && !!own && used === key;
  } catch {
    // OpenSSL behind njs throws where others say false: wrong lengths, or numbers that are none of the curve.
    return false;
  }
};
