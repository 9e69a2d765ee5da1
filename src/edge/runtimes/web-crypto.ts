// A key store for the runtimes with a complete Web Cryptography API. Public keys are JWKs, a format that all of them import. Secrets never leave
// this file.

import type { KeyRing } from '../../contract/key-ring.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';

/** The parameters of importKey and verify (RFC 9421, 3.3) for each algorithm with public keys. */
const PUBLIC = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};
const SECRET = { name: 'HMAC', hash: 'SHA-256' };

/** The keys of a key ring. `secretOf` looks up secrets. */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  verify: async (own, isHmac, signature, base) => {
    const bytes = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
    const signed = bytesOf(base);
    if (isHmac) {
      // For an unknown key as well: on Deno, looking up a secret takes long enough to tell keys apart.
      const secret = secretOf(own?.alg === HMAC ? own.secretRef : DECOY_SECRET);
      // An empty secret must not verify: some runtimes would import it, and then anybody could sign.
      const key = await subtle.importKey('raw', bytesOf(secret || DECOY_SECRET), SECRET, false, ['verify']);
      return (await subtle.verify(SECRET, key, bytes, signed)) && !!secret;
    }
    // Verify once with each algorithm that the ring has public keys for: algorithms differ in time, so a single verification would reveal the
    // kind of a key, or that it is unknown. For a missing or broken key, use the ring's first sound key of that algorithm.
    const results = await Promise.all(
      Object.entries(PUBLIC).map(async ([alg, parameters]) => {
        for (const entry of [own, ...Object.values(ring.keys)]) {
          if (entry?.alg !== alg || entry.alg === HMAC) continue;
          // Imported keys are not cached: an import costs less than the verification, and a cached key could outlive its ring.
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
