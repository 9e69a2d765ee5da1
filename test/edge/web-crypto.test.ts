// What a key store makes of a key ring is made once, and never outlives that ring.

import { expect, onTestFinished, test, vi } from 'vitest';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { type AsymmetricAlgorithm, generateKeyPair, type KeyPair } from '../../src/edge/web-crypto/key-pair.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
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

/** A signature of `base` by a pair. */
async function signedBy(pair: KeyPair): Promise<string> {
  const parameters = PARAMETERS[algOf(pair)];
  const key = await crypto.subtle.importKey('jwk', pair.privateJwk, parameters, false, ['sign']);
  const signature = await crypto.subtle.sign(parameters, key, Buffer.from('base'));
  return Buffer.from(signature).toString('base64');
}

async function isVerified(ring: KeyRing, keyid: string, signature: string): Promise<boolean> {
  const keys = webCryptoKeyStore(ring, () => null);
  return keys.verify(keys.find(keyid), false, signature, 'base');
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
    expect(await isVerified(ring, keyid, await signedBy(ours)), keyid).toBe(keyid === 'a');
  expect(await isVerified(ring, 'z', await signedBy(ed25519))).toBe(true);
  expect(looks).toBe(1);
});

test('a key is kept for its own ring alone', async () => {
  const signature = await signedBy(ours);
  const first = keyRingOf({ a: entryOf(ours) });
  expect(await isVerified(first, 'a', signature)).toBe(true);
  expect(await isVerified(keyRingOf({ a: entryOf(another) }), 'a', signature)).toBe(false);
  expect(await isVerified(keyRingOf({ b: entryOf(ours) }), 'a', signature)).toBe(false);
  expect(await isVerified(first, 'a', signature)).toBe(true);
});

test('a key that the caller does not accept verifies nothing, though it is kept', async () => {
  const ring = keyRingOf({ a: entryOf(ours) });
  const signature = await signedBy(ours);
  expect(await isVerified(ring, 'a', signature)).toBe(true);
  expect(await webCryptoKeyStore(ring, () => null).verify(null, false, signature, 'base')).toBe(false);
});

test('a key that has verified is imported no more, and a refusal costs the same imports whoever is meant', async () => {
  const ring = keyRingOf({ a: entryOf(ours), b: entryOf(another), z: entryOf(ed25519) });
  const [good, bad] = [await signedBy(ours), await signedBy(await generateKeyPair('ecdsa-p256-sha256'))];
  const importing = vi.spyOn(crypto.subtle, 'importKey');
  onTestFinished(() => importing.mockRestore());
  const importsOf = async (keyid: string, signature: string): Promise<number> => {
    const before = importing.mock.calls.length;
    await isVerified(ring, keyid, signature);
    return importing.mock.calls.length - before;
  };
  await importsOf('a', good);
  expect(await importsOf('a', good)).toBe(0);
  for (const keyid of ['a', 'b', 'z', 'nobody', 'a', 'nobody', 'stranger'])
    expect([keyid, await importsOf(keyid, bad)]).toEqual([keyid, 2]);
  expect(await importsOf('a', good)).toBe(0);
});

test('a broken key neither verifies nor spoils the others', async () => {
  const broken = { ...entryOf(ed25519), jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } };
  const ring = keyRingOf({ a: broken, b: entryOf(ed25519), c: entryOf(ours) });
  expect(await isVerified(ring, 'a', await signedBy(ed25519))).toBe(false);
  expect(await isVerified(ring, 'b', await signedBy(ed25519))).toBe(true);
  expect(await isVerified(ring, 'c', await signedBy(ours))).toBe(true);
});
