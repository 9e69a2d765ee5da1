// Refusals reveal nothing. Everything to which edge.md gives one answer gets the same bytes, also
// for a front that does not exist; and everything that could tell keys apart costs the same
// verifications.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { KeyStore } from '../../src/edge/rule/key-store.ts';
import { authorize } from '../../src/edge/rule/rule.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { rfc9421 } from '../../src/edge/rule/rfc9421.ts';
import { signedHeaders } from '../../src/edge/rule/signed-headers.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { RUNTIMES } from '../support/edge/runtimes/all.ts';
import { startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { requestOfLines } from '../support/edge/runtimes/core.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { HOSTS } from '../support/edge/runtimes/worker-hosts.ts';
import type { RawResponse } from '../support/edge/messages.ts';
import { keyRingOf, makeWorld, type World } from '../support/edge/world.ts';

/** Bad signatures that must not be distinguishable. */
const ONE_ANSWER = {
  'unknown key': 'Sign: keyid=stranger',
  'unknown key, __proto__': 'Sign: keyid=__proto__',
  'unknown key, constructor': 'Sign: keyid=constructor',
  'wrong signature': 'Sign: keyid=moscow-1 key=stranger',
  'wrong signature, hmac': 'Sign: keyid=moscow-hmac key=moscow-1',
  'wrong signature, ed25519': 'Sign: keyid=moscow-ed25519 key=stranger',
  'another kind of signature': 'Sign: keyid=moscow-1 key=moscow-hmac',
  'key over': 'Sign: keyid=moscow-over',
  'key not yet valid': 'Sign: keyid=moscow-not-yet',
  'key revoked': 'Sign: keyid=moscow-revoked',
  'alg mismatch': 'Sign: keyid=moscow-1 alg=ed25519',
  'alg unknown': 'Sign: keyid=moscow-1 alg=rot13',
  'secret not found': 'Sign: keyid=moscow-no-secret',
} as const;

/** The same under the profile `signed-headers`. */
const ONE_ANSWER_LISTED = {
  'unknown key': 'Sign-Headers: keyid=nobody key=moscow-hmac',
  'unknown key, __proto__': 'Sign-Headers: keyid=__proto__ key=moscow-hmac',
  'unknown key, constructor': 'Sign-Headers: keyid=constructor key=moscow-hmac',
  'wrong signature': 'Sign-Headers: keyid=moscow-hmac key=decoy-secret',
  'key revoked': 'Sign-Headers: keyid=moscow-hmac-revoked',
  'key of another algorithm': 'Sign-Headers: keyid=moscow-1 key=moscow-hmac',
  'secret not found': 'Sign-Headers: keyid=moscow-no-secret',
} as const;

const FRONTS = ['moscow', 'nosuch'];

/** By the name of a runtime, good signatures of keys that it cannot verify. */
const UNSUPPORTED: { readonly [name: string]: readonly string[] } = {
  nginx: ['Sign: keyid=moscow-ed25519'],
  lambda_edge: ['Sign: keyid=moscow-hmac'],
};

function linesFor(front: string, signature: string): readonly string[] {
  return ['GET /products/ HTTP/1.1', 'Host: edge.test', `X-Front: ${front}`, ...(signature === '' ? [] : [signature])];
}

/** All of an answer that a client could learn from; only what a connection adds is left out. */
function bytesOf(answer: RawResponse): string {
  const own = ['date', 'server', 'connection', 'keep-alive'];
  const lines = answer.headers
    .filter(([name]) => !own.includes(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`);
  return [String(answer.status), ...lines, answer.content.toString('latin1')].join('\n');
}

/** Wherever the rule can have both profiles. */
const EVERYWHERE = [...RUNTIMES, ...HOSTS];
const LAMBDA_EDGE = { name: 'lambda-edge', start: (world: World) => startLambdaEdge(world) };

describe.each([...EVERYWHERE, LAMBDA_EDGE])('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  /** The different answers among all of these requests. */
  async function answersTo(requests: readonly (readonly string[])[]): Promise<readonly string[]> {
    const answers = new Set<string>();
    for (const written of requests)
      answers.add(bytesOf(await runtime.send(await prepareLines(written, runtime.now(), world))));
    return [...answers];
  }

  test('one answer to every bad key and signature, for a front that exists and for one that does not', async () => {
    const unsupported = UNSUPPORTED[runtime.name] ?? [];
    const signatures = [...Object.values(ONE_ANSWER), ...unsupported];
    const answers = await answersTo(
      FRONTS.flatMap((front) => signatures.map((signature) => linesFor(front, signature))),
    );
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^401\n[^]*"code":"signature-invalid"/);
  });

  test('one answer to a key of another front, whether the front asked for exists or not', async () => {
    const answers = await answersTo(
      ['moscow', 'unpublished', 'torn', 'nosuch'].map((front) => linesFor(front, 'Sign: keyid=kazan-1')),
    );
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^403\n[^]*"code":"front-not-allowed"/);
  });

  test.each([
    ['signature-missing', ''],
    ['signature-expired', 'Sign: keyid=moscow-1 created=-400'],
    ['signature-from-future', 'Sign: keyid=moscow-1 created=400'],
    ['signature-component-missing', 'Sign: keyid=moscow-1 cover=@method'],
    [
      'signature-parameter-missing',
      'Sign-Raw moscow-1: sig=<<("@method" "@authority" "@path" "x-front");keyid="moscow-1";tag="x-front">>',
    ],
    ['signature-malformed', 'Signature-Input: ;tag="x-front"'],
  ])('one answer of %s, whatever the front and the key', async (code, signature) => {
    const strange = signature
      .replaceAll('keyid=moscow-1', 'keyid=stranger')
      .replaceAll('keyid="moscow-1"', 'keyid="stranger"');
    const answers = await answersTo(FRONTS.flatMap((front) => [linesFor(front, signature), linesFor(front, strange)]));
    expect(answers).toHaveLength(1);
    expect(answers[0]).toContain(`"code":"${code}"`);
  });

  test('one answer of not-found, for an unknown path and a front without anything published', async () => {
    const answers = await answersTo([
      linesFor('unpublished', 'Sign: keyid=unpublished-1'),
      ['GET /nothing/ HTTP/1.1', 'Host: edge.test'],
      ['GET /fronts/moscow/pointer.json HTTP/1.1', 'Host: edge.test'],
      ['GET /fronts/nosuch/pointer.json HTTP/1.1', 'Host: edge.test'],
    ]);
    expect(answers).toHaveLength(1);
  });
});

describe.each(EVERYWHERE)('$name, signed-headers', ({ start }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000), ['signed-headers']);
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  test.each([
    [401, 'signature-invalid', FRONTS, Object.values(ONE_ANSWER_LISTED)],
    [403, 'front-not-allowed', ['kazan', 'unpublished', 'torn', 'nosuch'], ['Sign-Headers: keyid=moscow-hmac']],
  ])('one answer of %i %s', async (status, code, fronts, signatures) => {
    const answers = new Set<string>();
    for (const front of fronts)
      for (const signature of signatures) {
        const lines = await prepareLines(linesFor(front, signature), runtime.now(), world);
        answers.add(bytesOf(await runtime.send(lines)));
      }
    expect([...answers]).toEqual([expect.stringMatching(new RegExp(`^${status}\n[^]*"code":"${code}"`))]);
  });
});

describe('the cost of a refusal', () => {
  /**
   * The kind of work follows from the signature that the client chose: an HMAC for 32 bytes, else
   * one of each kind of public key.
   */
  const work: { readonly [name: string]: readonly string[] } = {
    'another kind of signature': ['HMAC'],
    'secret not found': ['HMAC'],
  };

  /** The algorithms that the platform verified by. */
  function spyOnVerify(): readonly string[] {
    const verifications: string[] = [];
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    vi.spyOn(crypto.subtle, 'verify').mockImplementation((algorithm, ...rest) => {
      verifications.push(typeof algorithm === 'string' ? algorithm : algorithm.name);
      return verify(algorithm, ...rest);
    });
    return verifications;
  }
  afterEach(() => void vi.restoreAllMocks());

  test.each(Object.entries({ ...ONE_ANSWER, 'key broken': 'Sign: keyid=moscow-1' }))(
    '%s costs one verification by each algorithm that could be meant',
    async (name, signature) => {
      const world = await makeWorld(1_800_000_000);
      const request = requestOfLines(await prepareLines(linesFor('moscow', signature), world.now, world));
      const broken = { ...world.keyRing.keys['moscow-1'], jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } };
      const ring = name === 'key broken' ? keyRingOf({ ...world.keyRing.keys, 'moscow-1': broken }) : world.keyRing;
      const keys = webCryptoKeyStore(ring, (secret) => world.secrets[secret] ?? null);
      const verifications = spyOnVerify();
      const refusal = await authorize(request, keys, rfc9421, DEFAULT_SETTINGS, world.now);
      expect(refusal).toMatchObject({ kind: 'refuse', status: 401, reason: 'signature-invalid' });
      expect(verifications.toSorted()).toEqual(work[name] ?? ['ECDSA', 'Ed25519']);
    },
  );

  test.each(Object.entries(ONE_ANSWER_LISTED))('%s costs one HMAC under signed-headers', async (_, signature) => {
    const world = await makeWorld(1_800_000_000);
    const request = requestOfLines(await prepareLines(linesFor('moscow', signature), world.now, world));
    const keys = webCryptoKeyStore(world.keyRing, (secret) => world.secrets[secret] ?? null);
    const verifications = spyOnVerify();
    const refusal = await authorize(request, keys, signedHeaders, DEFAULT_SETTINGS, world.now);
    expect(refusal).toMatchObject({ kind: 'refuse', status: 401, reason: 'signature-invalid' });
    expect(verifications).toEqual(['HMAC']);
  });

  test('what is refused before the signature costs none', async () => {
    const world = await makeWorld(1_800_000_000);
    const unexpected = (): never => {
      throw new Error('looked up');
    };
    const never: KeyStore = { find: unexpected, verify: unexpected };
    for (const signature of ['Sign: keyid=moscow-1 created=-400', 'Sign: keyid=moscow-1 cover=@method', '']) {
      const request = requestOfLines(await prepareLines(linesFor('moscow', signature), world.now, world));
      expect(await authorize(request, never, rfc9421, DEFAULT_SETTINGS, world.now)).toMatchObject({
        status: 401,
      });
    }
  });
});
