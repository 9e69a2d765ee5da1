// A verified signature is remembered, which saves its verification and nothing else: what else
// decides about a request is decided every time.

import { createHash, createHmac, sign } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { KeyRing, KeyRingEntry } from '../../src/contract/key-ring.ts';
import { generateKeyPair } from '../../src/edge/web-crypto/key-pair.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { nodeKeyStore } from '../../src/edge/node-server/key-store.ts';
import { rfc9421 } from '../../src/edge/rule/rfc9421.ts';
import { authorize } from '../../src/edge/rule/rule.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { njsKeyStore } from '../../src/edge/targets/nginx/njs-crypto.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { requestOfLines } from '../support/edge/runtimes/core.ts';
import { keyRingOf, makeWorld } from '../support/edge/world.ts';

const world = await makeWorld(1_800_000_000);
const { now } = world;
const LINES = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];

const verifying = vi.spyOn(crypto.subtle, 'verify');

async function verificationsOf<T>(work: () => T): Promise<{ readonly result: Awaited<T>; readonly count: number }> {
  const before = verifying.mock.calls.length;
  const result = await work();
  return { result, count: verifying.mock.calls.length - before };
}

interface Circumstances {
  readonly ring: KeyRing;
  readonly at: number;
  readonly secret: string;
}

/** The front of an authorized request, or why it is refused; and how many signatures it cost. */
async function ask(lines: readonly string[], given: Partial<Circumstances> = {}): Promise<string> {
  const { ring = world.keyRing, at = now, secret = world.secrets['MOSCOW_SECRET'] ?? '' } = given;
  const { result, count } = await verificationsOf(() =>
    authorize(
      requestOfLines(lines),
      webCryptoKeyStore(ring, () => secret),
      rfc9421,
      DEFAULT_SETTINGS,
      at,
    ),
  );
  return `${result.kind === 'target' ? result.front : result.reason}, ${count === 0 ? 'remembered' : 'verified'}`;
}

const signed = (directive: string): Promise<readonly string[]> =>
  prepareLines([...LINES, `Sign: ${directive}`], now, world);

/** The key ring with another entry under a keyid. */
const ringWith = (keyid: string, change: Partial<KeyRingEntry>): KeyRing =>
  keyRingOf({ ...world.keyRing.keys, [keyid]: { ...world.keyRing.keys[keyid], ...change } });

test.each(['moscow-1', 'moscow-hmac'])('a signature of %s is verified once', async (keyid) => {
  const lines = await signed(`keyid=${keyid} nonce=once`);
  expect(await ask(lines)).toBe('moscow, verified');
  expect(await ask(lines)).toBe('moscow, remembered');
  expect(await ask([...lines, 'X-Uncovered: 1'])).toBe('moscow, remembered');
});

const INVALID = 'signature-invalid, verified';

type Change = (line: string) => string;

test.each<[string, Change]>([
  ['for another front', (line) => line.replace('X-Front: moscow', 'X-Front: kazan')],
  ['for another host', (line) => line.replace('edge.test', 'other.test')],
  ['for another path', (line) => line.replace('/products/', '/fronts/categories/')],
  ['for another method', (line) => line.replace('GET', 'HEAD')],
  ['as another signature', (line) => line.replace(/(?<=sig=:)./, (char) => (char === 'A' ? 'B' : 'A'))],
  ['with a later time', (line) => line.replace(`created=${now}`, `created=${now + 1}`)],
  ['by another key', (line) => line.replace('keyid="moscow-', 'keyid="kazan-')],
])('what is remembered does not count %s', async (what, change) => {
  for (const keyid of ['moscow-1', 'moscow-hmac']) {
    const lines = await signed(`keyid=${keyid} nonce=${what.replaceAll(' ', '-')}`);
    expect(await ask(lines)).toBe('moscow, verified');
    const changed = lines.map(change);
    expect(changed).not.toEqual(lines);
    expect(await ask(changed), keyid).toBe(INVALID);
    expect(await ask(lines)).toBe('moscow, remembered');
  }
});

test.each<[string, string, Partial<KeyRingEntry>]>([
  ['revoked', 'moscow-1', { revokedAt: instantText(now + 5) }],
  ['over', 'moscow-hmac', { notAfter: instantText(now + 5) }],
])('a key that is %s meanwhile is refused, with the same key ring', async (what, keyid, change) => {
  const ring = ringWith(keyid, change);
  const lines = await signed(`keyid=${keyid} nonce=${what}`);
  expect(await ask(lines, { ring, at: now })).toBe('moscow, verified');
  expect(await ask(lines, { ring, at: now + 4 })).toBe('moscow, remembered');
  expect(await ask(lines, { ring, at: now + 5 })).toBe(INVALID);
});

test('a signature is refused when its time is over, and by its own `expires`', async () => {
  const lines = await signed('keyid=moscow-1 nonce=window');
  const short = await signed('keyid=moscow-1 expires=10');
  for (const one of [lines, short]) expect(await ask(one)).toBe('moscow, verified');
  expect(await ask(lines, { at: now + 360 })).toBe('moscow, remembered');
  expect(await ask(lines, { at: now + 361 })).toBe('signature-expired, remembered');
  expect(await ask(lines, { at: now - 61 })).toBe('signature-from-future, remembered');
  expect(await ask(short, { at: now + 70 })).toBe('moscow, remembered');
  expect(await ask(short, { at: now + 71 })).toBe('signature-expired, remembered');
});

test('a key still speaks for its own front alone', async () => {
  const lines = await prepareLines(
    ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: kazan', 'Sign: keyid=moscow-1'],
    now,
    world,
  );
  expect(await ask(lines)).toBe('front-not-allowed, verified');
  expect(await ask(lines)).toBe('front-not-allowed, remembered');
  const moved = await signed('keyid=moscow-1 nonce=moves');
  expect(await ask(moved)).toBe('moscow, verified');
  expect(await ask(moved, { ring: ringWith('moscow-1', { front: 'kazan' }) })).toBe('front-not-allowed, verified');
});

test('another key ring remembers nothing, whatever it has under the same keyid', async () => {
  const lines = await signed('keyid=moscow-1 nonce=rings');
  expect(await ask(lines)).toBe('moscow, verified');
  const { jwk, spki } = await generateKeyPair('ecdsa-p256-sha256');
  expect(await ask(lines, { ring: ringWith('moscow-1', { jwk, spki } as Partial<KeyRingEntry>) })).toBe(INVALID);
  expect(await ask(lines, { ring: ringWith('moscow-1', { revokedAt: instantText(now) }) })).toBe(INVALID);
  const { 'moscow-1': _, ...others } = world.keyRing.keys;
  expect(await ask(lines, { ring: keyRingOf(others) })).toBe(INVALID);
  expect(await ask(lines)).toBe('moscow, remembered');
  expect(await ask(lines, { ring: ringWith('moscow-1', {}) })).toBe('moscow, verified');
});

test('an hmac is remembered for the secret that it was made with', async () => {
  const lines = await signed('keyid=moscow-hmac nonce=secrets');
  expect(await ask(lines)).toBe('moscow, verified');
  expect(await ask(lines, { secret: 'a new one' })).toBe(INVALID);
  expect(await ask(lines, { secret: '' })).toBe(INVALID);
  expect(await ask(lines)).toBe('moscow, remembered');
});

const OPEN = { front: 'moscow', notBefore: null, notAfter: null, revokedAt: null };
const SHARED = { ...OPEN, alg: 'hmac-sha256', secretRef: 'SHARED' };
const SECRET = 'of both keys';
const twins = keyRingOf({ a: SHARED, b: { ...SHARED, secretRef: 'OTHER' } });
const keys = webCryptoKeyStore(twins, (name) => (name === 'SHARED' ? SECRET : 'another'));

/** Verifies an hmac that was made with the secret of `a`. */
async function verifyText(keyid: string, text: string): Promise<string> {
  const signature = createHmac('sha256', SECRET).update(text).digest('base64');
  const { result, count } = await verificationsOf(() => keys.verify(keys.find(keyid), true, signature, text));
  return `${result}, ${count === 0 ? 'remembered' : 'verified'}`;
}

test('no other key has verified the same bytes, nor has nobody', async () => {
  expect(await verifyText('a', 'same bytes')).toBe('true, verified');
  expect(await verifyText('b', 'same bytes')).toBe('false, verified');
  expect(await verifyText('nobody', 'same bytes')).toBe('false, verified');
  expect(await verifyText('nobody', 'bytes of nobody')).toBe('false, verified');
  expect(await verifyText('a', 'same bytes')).toBe('true, remembered');
});

test('what was refused is verified again', async () => {
  for (let i = 0; i < 2; i++) expect(await verifyText('b', 'refused bytes')).toBe('false, verified');
});

test('no more than the last 1,000 are remembered', async () => {
  for (let i = 0; i < 1001; i++) expect(await verifyText('a', `text ${i}`)).toBe('true, verified');
  expect(await verifyText('a', 'text 1')).toBe('true, remembered');
  expect(await verifyText('a', 'text 0')).toBe('true, verified');
  expect(await verifyText('a', 'text 1')).toBe('true, verified');
});

test('a long text is never remembered', async () => {
  for (const [length, expected] of [
    [2048, 'true, remembered'],
    [2049, 'true, verified'],
    [16_000, 'true, verified'],
  ] as const) {
    expect(await verifyText('a', 'x'.repeat(length))).toBe('true, verified');
    expect(await verifyText('a', 'x'.repeat(length)), String(length)).toBe(expected);
  }
});

test('serve and the authorizer remember an hmac by its secret, and for nobody', async () => {
  const verifyBy = (secret: string, keyid: string, text: string) => {
    const store = nodeKeyStore(twins, () => secret);
    const signature = createHmac('sha256', SECRET).update('text').digest('base64');
    return store.verify(store.find(keyid), true, signature, text);
  };
  for (let i = 0; i < 2; i++) {
    expect(verifyBy(SECRET, 'a', 'text')).toBe(true);
    expect(verifyBy(SECRET, 'a', 'another text')).toBe(false);
    expect(verifyBy('another', 'a', 'text')).toBe(false);
    expect(verifyBy('', 'a', 'text')).toBe(false);
    expect(verifyBy(SECRET, 'nobody', 'text')).toBe(false);
  }
});

test('nginx with QuickJS remembers by public key, whatever the ring calls it', async () => {
  const pairs = [await generateKeyPair('ecdsa-p256-sha256'), await generateKeyPair('ecdsa-p256-sha256')] as const;
  const stores = pairs.map(({ spki }) => {
    const key = { ...OPEN, alg: 'ecdsa-p256-sha256' } as const;
    const none = { key: null, spki: () => spki };
    return njsKeyStore(
      (keyid) => (keyid === 'a' ? { key, spki: () => spki } : none),
      () => null,
      { createHash, createHmac },
    );
  });
  const signature = sign('sha256', Buffer.from('text'), { key: pairs[0].privatePem, dsaEncoding: 'ieee-p1363' });
  const verifyBy = async (store: number, keyid: string, text = 'text'): Promise<string> => {
    const keys = stores[store];
    const work = () => keys?.verify(keys.find(keyid), false, signature.toString('base64'), text);
    const { result, count } = await verificationsOf(work);
    return `${result}, ${count === 0 ? 'remembered' : 'verified'}`;
  };
  expect(await verifyBy(0, 'a')).toBe('true, verified');
  expect(await verifyBy(0, 'a')).toBe('true, remembered');
  expect(await verifyBy(0, 'a', 'another text')).toBe('false, verified');
  expect(await verifyBy(0, 'nobody')).toBe('false, verified');
  expect(await verifyBy(1, 'a')).toBe('false, verified');
  expect(await verifyBy(1, 'nobody')).toBe('false, verified');
  expect(await verifyBy(0, 'a')).toBe('true, remembered');
});
