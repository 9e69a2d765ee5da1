// A key store for njs. HMAC uses the synchronous module `crypto`; P-256 uses Web Cryptography,
// which in njs imports only SPKI. njs has no Ed25519.
//
// njs 0.7.9 (Debian 12). Web Crypto imports P-256 keys only as SPKI, and takes signatures as r‖s.
// `verify` throws for numbers outside the curve. There is no Ed25519. A `throw` takes as long as
// several HMAC verifications, so it must not depend on whether a key exists. The module `crypto` is
// synchronous, and its HMAC is several times cheaper than Web Crypto's promises.
//
// QuickJS keeps a module's variables for the next request (`js_context_reuse`), and so remembers
// signatures of P-256 keys. njs keeps nothing, and has no Map.

import type { FoundLine, LineKey } from '../../rule/key-ring-text.ts';
import { DECOY_SECRET, HMAC, type KeyStore, type SecretOf } from '../../rule/key-store.ts';
import { type RememberedSignatures, rememberSignatures } from '../../web-crypto/remembered-signatures.ts';

/** A digest in bytes, usable as a key. */
export type NjsBytes = Uint8Array;

interface NjsDigest {
  update(text: string): { digest(encoding: 'base64' | 'hex'): string; digest(): NjsBytes };
}

/** The module `crypto` of njs; only the functions used here. */
export interface NjsCrypto {
  createHash(algorithm: 'sha256'): NjsDigest;
  createHmac(algorithm: 'sha256', secret: string | NjsBytes): NjsDigest;
}

declare const Buffer: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> };

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A P-256 key whose private half was discarded, so that nobody can sign with it. */
const DECOY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaQdTHu+xfO8/TCO2+SSE82E6QXUOYSpVbMHzNR3u7v9EtZKEfLBDNX3QgjReG1x9VgiOjPyga71q24xVU7QX6A==';

/**
 * The key store for one request: it remembers the last line that `findLine` found. `secretOf` looks
 * up secrets.
 */
export const njsKeyStore = (
  findLine: (keyid: string) => FoundLine,
  secretOf: SecretOf,
  njsCrypto: NjsCrypto,
): KeyStore<LineKey> => {
  let spkiOfLine = (): string => '';
  return {
    find: (keyid) => {
      const line = findLine(keyid);
      spkiOfLine = line.spki;
      return line.key;
    },
    verify: (own, isHmac, signature, base) => {
      if (!isHmac) {
        // Cut the key out even if there is none: otherwise the time would reveal whether the keyid
        // is known.
        const spki = spkiOfLine();
        const key = own && own.alg === 'ecdsa-p256-sha256' ? spki : DECOY;
        return (remembered && remembered.find(signature, base) === key) || verifyP256(key, signature, base);
      }
      // Look up a secret even without a key, for the same reason.
      const secret = secretOf((own && own.alg === HMAC && own.secretRef) || '');
      return isHmacOf(secret || DECOY_SECRET, signature, base, njsCrypto) && own !== null && !!secret;
    },
  };
};

/**
 * Synchronous, because an async function would cost as much as the HMAC. It compares digests of the
 * HMACs: the time of a comparison reveals how many leading characters agree, and those of a digest
 * reveal nothing about the HMAC.
 */
const isHmacOf = (secret: string, signature: string, base: string, njsCrypto: NjsCrypto): boolean => {
  const hmac = njsCrypto.createHmac('sha256', secret).update(base).digest('base64');
  const blinded = njsCrypto.createHash('sha256').update(hmac).digest('base64');
  return blinded === njsCrypto.createHash('sha256').update(signature).digest('base64');
};

/** The decoy replaces a broken key, so that verification takes as long. */
const verifyP256 = async (spki: string, signature: string, base: string): Promise<boolean> => {
  let key: Awaited<ReturnType<typeof importP256>>;
  try {
    key = await importP256(spki);
  } catch {
    key = await importP256(DECOY);
  }
  const isValid = await crypto.subtle.verify(
    P256,
    key,
    Buffer.from(signature, 'base64'),
    new TextEncoder().encode(base),
  );
  if (isValid && remembered) remembered.add(signature, base, spki);
  return isValid;
};

/** By public key: what a key in SPKI verified does not depend on a key ring. */
const remembered: RememberedSignatures<string> | null = typeof Map === 'function' ? rememberSignatures() : null;

const importP256 = (spki: string) =>
  crypto.subtle.importKey('spki', Buffer.from(spki, 'base64'), P256, false, ['verify']);
