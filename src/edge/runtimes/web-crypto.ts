// A key store over the Web Cryptography API, for the runtimes that have all of it. Public keys come as JWK, the format that each of them
// reads. Secrets never leave this file.

import type { KeyRing } from '../../contract/key-ring.ts';
import type { PublicJwk } from '../rule/key-pair.ts';
import { DECOY_SECRET, findKey, HMAC, type KeyStore, type SecretOf, type Verifier } from '../rule/key-store.ts';

/** Parameters of both importKey and verify, per algorithm of RFC 9421, 3.3. */
const PARAMETERS = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
  [HMAC]: { name: 'HMAC', hash: 'SHA-256' },
} as const;

/** Nobody's P-256 key: its private half was thrown away. */
const DECOY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'aQdTHu-xfO8_TCO2-SSE82E6QXUOYSpVbMHzNR3u7v8',
  y: 'RLWShHywQzV90II0XhtcfVYIjoz8oGu9atuMVVO0F-g',
};

/** The keys of a key ring, with secrets from wherever `secretOf` looks. */
export const webCryptoKeyStore = (ring: KeyRing, secretOf: SecretOf): KeyStore => ({
  find: (keyid) => findKey(ring, keyid),
  load: (key) => {
    if (key.alg !== HMAC) return loadPublicKey(key.jwk, key.alg);
    const secret = secretOf(key.secretRef);
    // Some runtimes would take an empty secret, and then anybody could sign.
    return secret ? loadSecret(secret) : null;
  },
  loadDecoy: (isHmac) => (isHmac ? loadSecret(DECOY_SECRET) : loadPublicKey(DECOY, 'ecdsa-p256-sha256')),
});

const { subtle } = crypto;

const loadPublicKey = (jwk: PublicJwk, alg: keyof typeof PARAMETERS): Promise<Verifier> =>
  verifierOf(alg, subtle.importKey('jwk', jwk, PARAMETERS[alg], false, ['verify']));

const loadSecret = (secret: string): Promise<Verifier> =>
  verifierOf(HMAC, subtle.importKey('raw', bytesOf(secret), PARAMETERS[HMAC], false, ['verify']));

// Imported keys are not kept: an import costs less than the verification behind it, and what is not kept cannot outlive its ring.
const verifierOf = async (
  alg: keyof typeof PARAMETERS,
  importing: ReturnType<typeof subtle.importKey>,
): Promise<Verifier> => {
  const key = await importing;
  return (signature, base) =>
    subtle.verify(
      PARAMETERS[alg],
      key,
      Uint8Array.from(atob(signature), (char) => char.charCodeAt(0)),
      bytesOf(base),
    );
};

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
