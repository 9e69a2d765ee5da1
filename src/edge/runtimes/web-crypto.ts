// A key ring over the Web Cryptography API, for the runtimes that have all of it. Public keys come as JWK, the format that each of them
// reads. Secrets never leave this file.

import { findKey, HMAC, type KeyRing, type KeyRingFile, type Material, type Verification } from '../rule/key-store.ts';

/** Parameters of both importKey and verify, per algorithm of RFC 9421, 3.3. */
const PARAMETERS = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
  [HMAC]: { name: 'HMAC', hash: 'SHA-256' },
} as const;

/** Nobody's key: its private half was thrown away. */
const DECOY: Material = {
  alg: 'ecdsa-p256-sha256',
  jwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'aQdTHu-xfO8_TCO2-SSE82E6QXUOYSpVbMHzNR3u7v8',
    y: 'RLWShHywQzV90II0XhtcfVYIjoz8oGu9atuMVVO0F-g',
  },
};

/** A key ring: keys from the file, secrets from wherever `secretOf` looks. */
export const webCryptoKeyRing = (file: KeyRingFile, secretOf: KeyRing['secretOf']): KeyRing => ({
  decoy: DECOY,
  find: (keyid) => findKey(file, keyid),
  secretOf,
  load,
});

// Imported keys are not kept: an import costs less than the verification behind it, and what is not kept cannot outlive its ring.
const load = async (key: Material, secret: string | null): Promise<Verification | null> => {
  const parameters = PARAMETERS[key.alg];
  // Some runtimes would take an empty secret, and then anybody could sign.
  if (key.alg === HMAC && !secret) return null;
  const imported = await (key.jwk
    ? subtle.importKey('jwk', key.jwk, parameters, false, ['verify'])
    : subtle.importKey('raw', bytesOf(secret ?? ''), parameters, false, ['verify']));
  return (signature, base) =>
    subtle.verify(
      parameters,
      imported,
      Uint8Array.from(atob(signature), (char) => char.charCodeAt(0)),
      bytesOf(base),
    );
};

const { subtle } = crypto;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
