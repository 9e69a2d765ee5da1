// The profile `signed-headers` beside its transcript: the vector of the scheme, the seconds of its
// window, and what becomes of a request that is signed under the profile that an edge does not
// have.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkWindow } from '../../src/edge/rule/time-window.ts';
import { fieldsAmong, type FieldLine, type RuleRequest } from '../../src/edge/rule/request.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { signedHeaders } from '../../src/edge/rule/signed-headers.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { signRequest } from '../../src/client/signature.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { readSigned } from '../support/edge/read-signed.ts';
import { RUNTIMES } from '../support/edge/runtimes/all.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { signListed } from '../support/edge/signers.ts';
import { keyRingOf, makeWorld, type World } from '../support/edge/world.ts';

/** As the scheme publishes it. */
const VECTOR = {
  secret: 'test-secret',
  target: '/v3/products/cards/?b=2&a=1',
  signature: 'a106e53087011b8915c483809f1ecf259b4492ce11d6875934fc4b6b944f78d7',
  fields: [
    ['accept', 'application/json; charset=UTF-8'],
    ['x-front', 'demo-front'],
    ['x-api-version', '3'],
    ['x-api-key', 'demo-key'],
    ['x-api-timestamp', '2024-08-21T10:00:00.000Z'],
    ['x-api-signed-headers', 'accept;x-api-key;x-api-signed-headers;x-api-timestamp;x-api-version;x-front'],
  ],
} as const;

function requestWith(target: string, fields: readonly FieldLine[]): RuleRequest {
  return { method: 'GET', scheme: 'https', authority: 'api.example.test', target, ...fieldsAmong(fields) };
}

const vectorWith = (signature: string, target: string = VECTOR.target): RuleRequest =>
  requestWith(target, [...VECTOR.fields, ['x-api-signature', signature]]);

/** Whether the key made this signature; null where it is not even read. */
async function isVerified(request: RuleRequest): Promise<boolean | null> {
  const open = { front: 'demo-front', notBefore: null, notAfter: null, revokedAt: null };
  const ring = keyRingOf({ 'demo-key': { ...open, alg: 'hmac-sha256', secretRef: 'DEMO' } });
  const keys = webCryptoKeyStore(ring, () => VECTOR.secret);
  const signed = readSigned(signedHeaders, request);
  return typeof signed === 'string' ? null : keys.verify(keys.find(signed.keyid), true, signed.signature, signed.base);
}

describe('the vector of the scheme', () => {
  test('is what the rule reads', async () => {
    expect(readSigned(signedHeaders, vectorWith(VECTOR.signature))).toEqual({
      keyid: 'demo-key',
      alg: undefined,
      created: Date.parse('2024-08-21T10:00:00Z') / 1000,
      expires: Infinity,
      signature: Buffer.from(VECTOR.signature, 'hex').toString('base64'),
      base: [
        'GET',
        '/v3/products/cards/',
        'a=1&b=2',
        'accept:application/json; charset=utf-8',
        'x-api-key:demo-key',
        'x-api-signed-headers:accept;x-api-key;x-api-signed-headers;x-api-timestamp;x-api-version;x-front',
        'x-api-timestamp:2024-08-21t10:00:00.000z',
        'x-api-version:3',
        'x-front:demo-front',
        'accept;x-api-key;x-api-signed-headers;x-api-timestamp;x-api-version;x-front',
        'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ].join('\n'),
    });
    expect(await isVerified(vectorWith(VECTOR.signature))).toBe(true);
    expect(await isVerified(vectorWith(VECTOR.signature, '/v3/products/cards/?a=1&b=2'))).toBe(true);
  });

  test('is not verified with any digit changed', async () => {
    for (let i = 0; i < 64; i++) {
      const digit = ((Number.parseInt(VECTOR.signature[i] ?? '', 16) + 1 + (i % 15)) % 16).toString(16);
      const changed = VECTOR.signature.slice(0, i) + digit + VECTOR.signature.slice(i + 1);
      expect(await isVerified(vectorWith(changed)), changed).toBe(false);
    }
    expect(await isVerified(vectorWith(VECTOR.signature, '/v3/products/cards/?b=2&a=2'))).toBe(false);
  });

  test('is what the signer of the transcripts makes', () => {
    const { target, fields, secret, signature } = VECTOR;
    expect(signListed({ method: 'GET', target, fields }, secret)).toBe(signature);
  });
});

test('every signature becomes its one base64', () => {
  for (let seed = 0; seed < 500; seed++) {
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => (seed * 31 + i * (seed % 7) * 13) % 256);
    const signed = signedHeaders.readSignedRequest(vectorWith(Buffer.from(bytes).toString('hex')), DEFAULT_SETTINGS);
    expect(signed).toMatchObject({ signature: Buffer.from(bytes).toString('base64') });
  }
});

test.each([
  [-61, 'signature-from-future'],
  [-60, null],
  [360, null],
  [361, 'signature-expired'],
])('%d s after its second the answer is %s', (seconds, reason) => {
  const fields = VECTOR.fields.map(([name, value]) => [name, value.replace('00.000Z', '00.999Z')] as const);
  const request = requestWith(VECTOR.target, [...fields, ['x-api-signature', VECTOR.signature]]);
  const signed = signedHeaders.readSignedRequest(request, DEFAULT_SETTINGS);
  if (typeof signed === 'string') throw new Error(signed);
  expect(checkWindow(signed, Date.parse('2024-08-21T10:00:00Z') / 1000 + seconds)).toBe(reason);
});

const LISTED = 'Signed-Headers headers="x-api-key;x-api-signed-headers;x-api-timestamp;x-front"';
const COMPONENTS = 'sig=("@method" "@authority" "@path" "x-front");created;tag="x-front"';
const SETS = [
  { profiles: ['rfc9421'], wwwAuthenticate: ['Signature'], acceptSignature: [COMPONENTS] },
  { profiles: ['signed-headers'], wwwAuthenticate: [LISTED], acceptSignature: [] },
  {
    profiles: ['rfc9421', 'signed-headers'],
    wwwAuthenticate: [`Signature, ${LISTED}`],
    acceptSignature: [COMPONENTS],
  },
] as const;

describe.each(RUNTIMES.flatMap((runtime) => SETS.map((set) => ({ ...runtime, ...set }))))(
  '$name with $profiles',
  ({ start, profiles, wwwAuthenticate, acceptSignature }) => {
    let world: World;
    let runtime: Runtime;
    beforeAll(async () => {
      world = await makeWorld(Math.floor(Date.now() / 1000), profiles);
      runtime = await start(world);
    });
    afterAll(() => runtime.stop());

    async function answerTo(...lines: readonly string[]): Promise<RawResponse> {
      const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', ...lines];
      return runtime.send(await prepareLines(written, runtime.now(), world));
    }
    const has = (profile: 'rfc9421' | 'signed-headers'): number =>
      profiles.some((name) => name === profile) ? 200 : 401;

    test('who has not signed gets to know how to sign', async () => {
      const answer = await answerTo();
      expect(answer.status).toBe(401);
      expect(headerValues(answer, 'WWW-Authenticate')).toEqual(wwwAuthenticate);
      expect(headerValues(answer, 'Accept-Signature')).toEqual(acceptSignature);
    });

    test('a signature is accepted under a profile that the edge has', async () => {
      expect((await answerTo('Sign: keyid=moscow-1')).status).toBe(has('rfc9421'));
      expect((await answerTo('Sign: keyid=moscow-hmac')).status).toBe(has('rfc9421'));
      expect((await answerTo('Sign-Headers: keyid=moscow-hmac')).status).toBe(has('signed-headers'));
    });

    test('signRequest signs under both', async () => {
      const key = { keyid: 'moscow-hmac', secret: world.secrets['MOSCOW_SECRET'] ?? '' };
      const options = { method: 'GET', url: 'http://edge.test/products/', front: 'moscow', key } as const;
      for (const profile of ['rfc9421', 'signed-headers'] as const) {
        const headers = await signRequest({ ...options, created: runtime.now(), profile });
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        const answer = await runtime.send(['GET /products/ HTTP/1.1', 'Host: edge.test', ...lines]);
        expect(answer.status, profile).toBe(has(profile));
      }
    });
  },
);
