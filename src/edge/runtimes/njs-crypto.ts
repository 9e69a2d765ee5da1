// A key store over what njs has: its module `crypto` for HMAC, which answers at once, and the Web Cryptography API for P-256, which reads
// SPKI alone. There is no Ed25519. CloudFront Functions have the same module, and nothing else.

import type { FoundLine, LineKey } from '../rule/key-ring-text.ts';
import { DECOY_SECRET, HMAC, type KeyStore, type SecretOf } from '../rule/key-store.ts';

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

/** A P-256 key that nobody can sign with: its private half was thrown away. */
const DECOY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaQdTHu+xfO8/TCO2+SSE82E6QXUOYSpVbMHzNR3u7v9EtZKEfLBDNX3QgjReG1x9VgiOjPyga71q24xVU7QX6A==';

/** The keys that `findLine` finds, with secrets from wherever `secretOf` looks. For one request: it keeps the line that was found last. */
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
        // Cut out even without a key: the time that it takes would give away a known one.
        const spki = spkiOfLine();
        return verifyP256(own && own.alg === 'ecdsa-p256-sha256' ? spki : DECOY, signature, base);
      }
      // A secret is looked up even without a key, for the same reason.
      const secret = secretOf((own && own.alg === HMAC && own.secretRef) || '');
      return isHmacOf(secret || DECOY_SECRET, signature, base, njsCrypto) && own !== null && !!secret;
    },
  };
};

/**
 * At once: an async function would cost as much as the HMAC. It compares digests of the HMACs: how long that takes shows how far two
 * digests agree, and the beginning of a digest does not help to find the beginning of the 32 secret bytes that it was made of.
 */
const isHmacOf = (secret: string, signature: string, base: string, njsCrypto: NjsCrypto): boolean => {
  const hmac = njsCrypto.createHmac('sha256', secret).update(base).digest('base64');
  const blinded = njsCrypto.createHash('sha256').update(hmac).digest('base64');
  return blinded === njsCrypto.createHash('sha256').update(signature).digest('base64');
};

/** A broken key is replaced by the decoy, so that it costs a verification as well. */
const verifyP256 = async (spki: string, signature: string, base: string): Promise<boolean> => {
  let key: Awaited<ReturnType<typeof importP256>>;
  try {
    key = await importP256(spki);
  } catch {
    key = await importP256(DECOY);
  }
  return crypto.subtle.verify(P256, key, Buffer.from(signature, 'base64'), new TextEncoder().encode(base));
};

const importP256 = (spki: string) =>
  crypto.subtle.importKey('spki', Buffer.from(spki, 'base64'), P256, false, ['verify']);
