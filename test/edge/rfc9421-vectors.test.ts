// The test cases of RFC 9421, appendix B.2, that lie within the profile's algorithms and
// components: their signature bases come out of our builder byte for byte, and their signatures
// verify. Their keys and values are the RFC's.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type PublicJwk, publicKeyFrom } from '../../src/edge/web-crypto/key-pair.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { fieldsAmong, type RuleRequest } from '../../src/edge/rule/request.ts';
import { componentValue, signatureBase } from '../../src/edge/rule/rfc9421.ts';
import { keyRingOf } from '../support/edge/world.ts';

/** The message of appendix B.2. */
const REQUEST: RuleRequest = {
  method: 'POST',
  scheme: 'https',
  authority: 'example.com',
  target: '/foo?param=Value&Pet=dog',
  ...fieldsAmong([
    ['host', 'example.com'],
    ['date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ['content-type', 'application/json'],
    ['content-length', '18'],
  ]),
};

const SHARED_SECRET = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==';
const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
  y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
};
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' };

function baseOf(parameters: string): string {
  const names = (/^\(([^)]*)\)/.exec(parameters)?.[1] ?? '').split(' ').map((name) => name.slice(1, -1));
  return signatureBase(
    names,
    names.map((name) => componentValue(REQUEST, name)),
    parameters,
  );
}

/** Verifies as the rule would: with a public key of the key ring. */
async function verifies(
  alg: 'ecdsa-p256-sha256' | 'ed25519',
  jwk: PublicJwk,
  signature: string,
  base: string,
): Promise<boolean> {
  const open = { front: 'rfc', notBefore: null, notAfter: null, revokedAt: null };
  const keys = webCryptoKeyStore(keyRingOf({ k: { ...open, alg, ...(await publicKeyFrom(jwk, alg)) } }), () => null);
  return keys.verify(keys.find('k'), false, signature, base);
}

describe('RFC 9421, B.2.5: hmac-sha256', () => {
  const parameters = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';

  test('has the base that the RFC prints', () => {
    expect(baseOf(parameters)).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@authority": example.com',
        '"content-type": application/json',
        '"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
      ].join('\n'),
    );
  });

  test('verifies, and does not with another letter', () => {
    // The RFC's secret is bytes, and ours are texts: it goes to the algorithm directly.
    const hmac = (base: string): string =>
      createHmac('sha256', Buffer.from(SHARED_SECRET, 'base64')).update(base).digest('base64');
    const signature = 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=';
    expect(hmac(baseOf(parameters))).toBe(signature);
    expect(hmac(baseOf(parameters.replace('secret', 'secreT')))).not.toBe(signature);
  });
});

describe('RFC 9421, B.2.6: ed25519', () => {
  const parameters =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';

  test('verifies over the base that we build', async () => {
    expect(await verifies('ed25519', ED25519, signature, baseOf(parameters))).toBe(true);
    expect(await verifies('ed25519', ED25519, signature, `${baseOf(parameters)} `)).toBe(false);
  });
});

describe('RFC 9421, B.2.4: ecdsa-p256-sha256', () => {
  // The RFC's only example of this algorithm signs a response, which has no place in the rule: the
  // base is spelled out.
  const base = [
    '"@status": 200',
    '"content-type": application/json',
    '"content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
    '"content-length": 23',
    '"@signature-params": ("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
  ].join('\n');
  const signature = 'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==';

  test('verifies', async () => {
    expect(await verifies('ecdsa-p256-sha256', P256, signature, base)).toBe(true);
    expect(await verifies('ecdsa-p256-sha256', P256, signature, base.replace('200', '201'))).toBe(false);
  });
});

describe('RFC 9421, 2.2: derived components', () => {
  test.each([
    ['@method', 'POST'],
    ['@authority', 'example.com'],
    ['@scheme', 'https'],
    ['@path', '/foo'],
    ['@query', '?param=Value&Pet=dog'],
  ])('%s is %s', (name, value) => {
    expect(componentValue(REQUEST, name)).toBe(value);
  });

  test.each([
    ['https', 'WWW.Example.com:443', 'www.example.com'],
    ['http', 'www.example.com:80', 'www.example.com'],
    ['http', 'www.example.com:443', 'www.example.com:443'],
    ['https', 'www.example.com:8443', 'www.example.com:8443'],
    ['https', '[::1]:443', '[::1]'],
  ])('@authority over %s of %s is %s', (scheme, authority, value) => {
    expect(componentValue({ ...REQUEST, scheme, authority }, '@authority')).toBe(value);
  });

  test('@query of a target without one is a lone question mark', () => {
    expect(componentValue({ ...REQUEST, target: '/foo' }, '@query')).toBe('?');
    expect(componentValue({ ...REQUEST, target: '/foo?' }, '@query')).toBe('?');
    expect(componentValue({ ...REQUEST, target: '/foo?a?b' }, '@query')).toBe('?a?b');
    expect(componentValue({ ...REQUEST, target: '/foo?a?b' }, '@path')).toBe('/foo');
  });

  test('a component that the profile does not allow is undefined, one that the request lacks is null', () => {
    expect(componentValue(REQUEST, '@target-uri')).toBeUndefined();
    expect(componentValue(REQUEST, '@constructor')).toBeUndefined();
    expect(componentValue(REQUEST, 'constructor')).toBeNull();
  });
});
