// Makes key pairs for `keys issue`, and public keys in both formats of the key ring. Nothing is
// stored here: the caller has the only copy of the private half.

import { base64OfBytes } from '../rule/base64.ts';

export type AsymmetricAlgorithm = 'ecdsa-p256-sha256' | 'ed25519';

/** A public key as JWK (RFC 7517): kty EC with x and y, or kty OKP with x. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
}

/** A private key as JWK: the public one with `d`. */
export interface PrivateJwk extends PublicJwk {
  readonly d: string;
}

export type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

const PARAMETERS = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256' },
  ed25519: { name: 'Ed25519' },
} as const;

/**
 * A new key pair; `privatePem` is PKCS #8 in PEM (RFC 7468), with a final newline. Rejects where
 * the runtime lacks the algorithm.
 */
export async function generateKeyPair(alg: AsymmetricAlgorithm) {
  const pair = await crypto.subtle.generateKey(PARAMETERS[alg], true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new Error(`${alg}: expected a key pair`);
  const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey);
  const publicKey = await publicKeyFrom(jwk, alg);
  const pkcs8 = base64OfBytes(new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey)));
  const lines = pkcs8.match(/.{1,64}/g) ?? [];
  return {
    ...publicKey,
    privateJwk: { ...publicKey.jwk, d: textOf(jwk, 'd') } satisfies PrivateJwk,
    privatePem: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
  };
}

/**
 * The public key in a JWK, as JWK and as SPKI (base64 of DER); members beyond the public ones are
 * left out. Rejects for anything but a key of `alg`.
 */
export async function publicKeyFrom(jwk: unknown, alg: AsymmetricAlgorithm) {
  const publicJwk = publicJwkFrom(jwk);
  const key = await crypto.subtle.importKey('jwk', publicJwk, PARAMETERS[alg], true, ['verify']);
  return { jwk: publicJwk, spki: base64OfBytes(new Uint8Array(await crypto.subtle.exportKey('spki', key))) };
}

/** The members of RFC 7518, 6.2.1 or RFC 8037, 2, in the order of the key ring. */
function publicJwkFrom(jwk: unknown): PublicJwk {
  const frame = { kty: textOf(jwk, 'kty'), crv: textOf(jwk, 'crv'), x: textOf(jwk, 'x') };
  return frame.kty === 'EC' ? { ...frame, y: textOf(jwk, 'y') } : frame;
}

function textOf(jwk: unknown, name: string): string {
  const value: unknown = typeof jwk === 'object' && jwk !== null ? Reflect.get(jwk, name) : undefined;
  if (typeof value !== 'string') throw new Error(`JWK: expected "${name}" to be text`);
  return value;
}
