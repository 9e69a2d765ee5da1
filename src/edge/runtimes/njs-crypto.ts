// A key store over what njs has: its module `crypto` for HMAC, which answers at once, and the Web Cryptography API for P-256, which reads
// SPKI alone. There is no Ed25519. CloudFront Functions have the same module, and nothing else.

import type { KeyRing } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf, type Verifier } from '../rule/key-store.ts';

/** A digest as bytes, to go on with. */
export type NjsBytes = Uint8Array;

interface NjsDigest {
  update(text: string): { digest(encoding: 'base64' | 'hex'): string; digest(): NjsBytes };
}

/** The module `crypto` of njs; only what is used here. */
export interface NjsCrypto {
  createHash(algorithm: 'sha256'): NjsDigest;
  createHmac(algorithm: 'sha256', secret: string | NjsBytes): NjsDigest;
}

declare const Buffer: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> };

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Nobody's P-256 key: its private half was thrown away. */
const DECOY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaQdTHu+xfO8/TCO2+SSE82E6QXUOYSpVbMHzNR3u7v9EtZKEfLBDNX3QgjReG1x9VgiOjPyga71q24xVU7QX6A==';

/** The keys of a key ring, with secrets from wherever `secretOf` looks. */
export const njsKeyStore = (ring: KeyRing, secretOf: SecretOf, njsCrypto: NjsCrypto): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  load: (key) => {
    if (key.alg !== HMAC) return key.alg === 'ecdsa-p256-sha256' ? loadP256(key.spki) : null;
    const secret = secretOf(key.secretRef);
    return secret ? loadSecret(secret, njsCrypto) : null;
  },
  // Looks for a secret as for any other key: an HMAC is so quick that this much would tell them apart.
  loadDecoy: (isHmac) => (isHmac ? loadSecret(secretOf('') || DECOY_SECRET, njsCrypto) : loadP256(DECOY)),
});

/**
 * Ready at once: an async function would cost as much as the HMAC. It compares digests of the HMACs: how long that takes shows how far two
 * digests agree, and the beginning of a digest does not help to find the beginning of the 32 secret bytes that it was made of.
 */
const loadSecret = (secret: string, njsCrypto: NjsCrypto): Verifier => {
  const blind = (text: string): string => njsCrypto.createHash('sha256').update(text).digest('base64');
  return (signature, base) =>
    blind(njsCrypto.createHmac('sha256', secret).update(base).digest('base64')) === blind(signature);
};

const loadP256 = async (spki: string): Promise<Verifier> => {
  const key = await crypto.subtle.importKey('spki', Buffer.from(spki, 'base64'), P256, false, ['verify']);
  return (signature, base) =>
    crypto.subtle.verify(P256, key, Buffer.from(signature, 'base64'), new TextEncoder().encode(base));
};
