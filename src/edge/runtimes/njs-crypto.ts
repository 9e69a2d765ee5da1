// A key ring over what njs has: its module `crypto` for HMAC, which answers at once, and the Web Cryptography API for P-256, which reads
// SPKI alone. There is no Ed25519. CloudFront Functions have the same module, and nothing else.

import { findKey, HMAC, type KeyRing, type KeyRingFile, type Material, type Verification } from '../rule/key-store.ts';

interface NjsDigest {
  update(text: string): { digest(encoding: 'base64'): string };
}

/** The module `crypto` of njs; only what is used here. */
export interface NjsCrypto {
  createHash(algorithm: 'sha256'): NjsDigest;
  createHmac(algorithm: 'sha256', secret: string): NjsDigest;
}

declare const Buffer: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> };

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Nobody's key: its private half was thrown away. */
const DECOY: Material = {
  alg: 'ecdsa-p256-sha256',
  spki: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaQdTHu+xfO8/TCO2+SSE82E6QXUOYSpVbMHzNR3u7v9EtZKEfLBDNX3QgjReG1x9VgiOjPyga71q24xVU7QX6A==',
};

/** A key ring: keys from the file, secrets from wherever `secretOf` looks. */
export const njsKeyRing = (file: KeyRingFile, secretOf: KeyRing['secretOf'], crypto: NjsCrypto): KeyRing => ({
  decoy: DECOY,
  find: (keyid) => findKey(file, keyid),
  secretOf,
  load: (key, secret) => load(key, secret, crypto),
});

// An hmac key is ready at once: an async function would cost as much as the HMAC.
const load = (
  key: Material,
  secret: string | null,
  njsCrypto: NjsCrypto,
): Verification | null | Promise<Verification> => {
  if (key.alg === HMAC && secret) return (signature, base) => isHmac(njsCrypto, secret, signature, base);
  return key.alg === 'ecdsa-p256-sha256' ? loadP256(key) : null;
};

const loadP256 = async (key: Material): Promise<Verification> => {
  const imported = await crypto.subtle.importKey('spki', Buffer.from(key.spki ?? '', 'base64'), P256, false, [
    'verify',
  ]);
  return (signature, base) =>
    crypto.subtle.verify(P256, imported, Buffer.from(signature, 'base64'), new TextEncoder().encode(base));
};

/**
 * Compares digests of the HMACs: how long that takes tells how far two digests agree, and from the beginning of a digest nobody
 * finds the beginning of the 32 secret bytes that it was made of.
 */
const isHmac = (njsCrypto: NjsCrypto, secret: string, signature: string, base: string): boolean => {
  const expected = njsCrypto.createHmac('sha256', secret).update(base).digest('base64');
  return blind(njsCrypto, expected) === blind(njsCrypto, signature);
};

const blind = (njsCrypto: NjsCrypto, text: string): string =>
  njsCrypto.createHash('sha256').update(text).digest('base64');
