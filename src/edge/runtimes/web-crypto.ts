// A key store over the Web Cryptography API, for the runtimes that have all of it. Public keys come as JWK, the format that each of them
// reads. Secrets never leave this file.

import type { KeyRing } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';

/** Parameters of both importKey and verify (RFC 9421, 3.3), per algorithm that has public keys. */
const PUBLIC = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};
const SECRET = { name: 'HMAC', hash: 'SHA-256' };

/** The keys of a key ring, with secrets from wherever `secretOf` looks. */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  verify: async (own, isHmac, signature, base) => {
    const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
    const signed = bytesOf(base);
    if (isHmac) {
      const secret = own?.alg === HMAC && secretOf(own.secretRef);
      // Some runtimes would take an empty secret, and then anybody could sign.
      const key = await subtle.importKey('raw', bytesOf(secret || DECOY_SECRET), SECRET, false, ['verify']);
      return (await subtle.verify(SECRET, key, bytes, signed)) && !!secret;
    }
    // One verification by each algorithm that the ring has public keys for. They differ in time, so a single one would give
    // away the kind of a key, or that it is unknown. Where the key is missing or broken, the ring's first sound key of that algorithm stands in.
    const results = await Promise.all(
      Object.entries(PUBLIC).map(async ([alg, parameters]) => {
        for (const entry of [own, ...Object.values(ring.keys)]) {
          if (entry?.alg !== alg || entry.alg === HMAC) continue;
          // Not kept: an import costs less than the verification behind it, and what is not kept cannot outlive its ring.
          const key = await subtle.importKey('jwk', entry.jwk, parameters, false, ['verify']).catch(() => null);
          if (key) return (await subtle.verify(parameters, key, bytes, signed)) && entry === own;
        }
        return false;
      }),
    );
    return results.includes(true);
  },
});

const { subtle } = crypto;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
