// What a key store makes of a key ring is made once, and never outlives that ring.

import { expect, test } from 'vitest';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { type AsymmetricAlgorithm, generateKeyPair, type KeyPair } from '../../src/edge/rule/key-pair.ts';
import type { KeyedSignature } from '../../src/edge/rule/key-store.ts';
import { webCryptoKeyStore } from '../../src/edge/runtimes/web-crypto.ts';
import { keyRingOf } from '../support/edge/world.ts';

const OPEN = { front: 'moscow', notBefore: null, notAfter: null, revokedAt: null };
const algOf = ({ jwk }: KeyPair): AsymmetricAlgorithm => (jwk.kty === 'EC' ? 'ecdsa-p256-sha256' : 'ed25519');
const entryOf = (pair: KeyPair): object => ({ ...OPEN, alg: algOf(pair), jwk: pair.jwk, spki: pair.spki });

const [ours, another, ed25519] = await Promise.all([
  generateKeyPair('ecdsa-p256-sha256'),
  generateKeyPair('ecdsa-p256-sha256'),
  generateKeyPair('ed25519'),
]);

const PARAMETERS = {
  'ecdsa-p256-sha256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ed25519: { name: 'Ed25519' },
};

/** A signature of `base` by a pair, sent with a keyid. */
async function signedBy(pair: KeyPair, keyid: string): Promise<KeyedSignature> {
  const parameters = PARAMETERS[algOf(pair)];
  const key = await crypto.subtle.importKey('jwk', pair.privateJwk, parameters, false, ['sign']);
  const signature = await crypto.subtle.sign(parameters, key, Buffer.from('base'));
  return { keyid, signature: Buffer.from(signature).toString('base64') };
}

async function isVerified(ring: KeyRing, signed: KeyedSignature): Promise<boolean> {
  const keys = webCryptoKeyStore(ring, () => null);
  return keys.verify(keys.find(signed.keyid), false, signed, 'base');
}

test('all keys of a ring are looked at once, and not at every request', async () => {
  const { schema, keys } = keyRingOf({ a: entryOf(ours), b: entryOf(another), z: entryOf(ed25519) });
  let looks = 0;
  const counted = new Proxy(keys, {
    ownKeys: (target) => {
      looks++;
      return Reflect.ownKeys(target);
    },
  });
  const ring: KeyRing = { schema, keys: counted };
  for (const keyid of ['nobody', 'a', 'b', 'z', 'nobody', 'stranger', 'a'])
    expect(await isVerified(ring, await signedBy(ours, keyid)), keyid).toBe(keyid === 'a');
  expect(await isVerified(ring, await signedBy(ed25519, 'z'))).toBe(true);
  expect(looks).toBe(1);
});

test('a key is kept for its own ring alone', async () => {
  const signed = await signedBy(ours, 'a');
  const first = keyRingOf({ a: entryOf(ours) });
  expect(await isVerified(first, signed)).toBe(true);
  expect(await isVerified(keyRingOf({ a: entryOf(another) }), signed)).toBe(false);
  expect(await isVerified(keyRingOf({ b: entryOf(ours) }), signed)).toBe(false);
  expect(await isVerified(first, signed)).toBe(true);
});

test('a key that the caller does not accept verifies nothing, though it is kept', async () => {
  const ring = keyRingOf({ a: entryOf(ours) });
  const signed = await signedBy(ours, 'a');
  expect(await isVerified(ring, signed)).toBe(true);
  expect(await webCryptoKeyStore(ring, () => null).verify(null, false, signed, 'base')).toBe(false);
});

test('however many keyids come by, known or not, each is judged by its own key', async () => {
  const ring = keyRingOf(
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, entryOf(i % 2 ? ours : another)])),
  );
  const signed = await signedBy(ours, '');
  for (let i = 0; i < 600; i++) {
    const keyid = `k${(i * 7) % 600}`;
    const isOurs = (i * 7) % 600 < 300 && i % 2 === 1;
    expect(await isVerified(ring, { ...signed, keyid }), keyid).toBe(isOurs);
  }
});

test('a broken key neither verifies nor spoils the others', async () => {
  const broken = { ...entryOf(ed25519), jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } };
  const ring = keyRingOf({ a: broken, b: entryOf(ed25519), c: entryOf(ours) });
  expect(await isVerified(ring, await signedBy(ed25519, 'a'))).toBe(false);
  expect(await isVerified(ring, await signedBy(ed25519, 'b'))).toBe(true);
  expect(await isVerified(ring, await signedBy(ours, 'c'))).toBe(true);
});
