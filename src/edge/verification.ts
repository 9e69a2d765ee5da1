// Whether a claim is genuine: exactly one verification for every request that gets this far, whatever is known about its key, so that
// neither the answer nor its cost tells an unknown key from a wrong signature (law 9). It decides nothing about fronts.

import { HMAC, isUsable, type Key, type KeyRing, type Verification } from './key-ring.ts';
import type { Claim } from './profile.ts';

/** Characters of base64 that 32 bytes have. */
const HMAC_LENGTH = 44;

/**
 * Whether the key made this signature and may do so at `instant` (canonical text). The kind of work follows from the length of the
 * signature, which the client chose, and not from the key: 32 bytes cost an HMAC, everything else a verification with P-256.
 */
export const isGenuine = async (claim: Claim, key: Key | null, keyRing: KeyRing, instant: string): Promise<boolean> => {
  const isHmac = claim.signature.length === HMAC_LENGTH;
  const isFitting = key !== null && (key.alg === HMAC) === isHmac && isUsable(key, claim, instant);
  let own: Verification | null = null;
  try {
    if (isFitting) own = await keyRing.load(key, keyRing.secretOf(key.secretRef ?? ''));
  } catch {
    // Without its material it is a key that will not do.
  }
  // Without a key of its own a request is verified against nobody's, and refused whatever comes out.
  const verify = own ?? (await keyRing.load(isHmac ? { alg: HMAC } : keyRing.decoy, 'nobody'));
  try {
    const isValid = await verify(claim.signature, claim.base);
    return isValid && own !== null;
  } catch {
    // OpenSSL behind njs throws where others say false: wrong lengths, or numbers that are none of the curve.
    return false;
  }
};
