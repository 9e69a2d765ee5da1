// A key is found in the text of a key ring as it is in the ring itself, whatever else is in it, and
// by reading little of it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { type FileText, findKeyIn } from '../../src/edge/rule/key-ring-text.ts';
import { findKey, keyRingFrom } from '../../src/edge/rule/key-store.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { keyRingOf } from '../support/edge/world.ts';

const open = { notBefore: null, notAfter: null, revokedAt: null };
const publicKey = (x: string) => ({
  front: 'moscow',
  alg: 'ecdsa-p256-sha256',
  jwk: { kty: 'EC', crv: 'P-256', x, y: x },
  spki: 'AAAA',
  ...open,
});
const secretKey = (secretRef: string) => ({ front: 'kazan', alg: 'hmac-sha256', secretRef, ...open });

const keyid = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9._:-]{1,8}$/),
  fc.constantFrom('keys', 'schema', 'jwk', 'front', '__proto__', 'constructor', '7', '10', 'a', 'aa', 'A'),
);
const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/).map(publicKey),
  fc
    .oneof(fc.string({ minLength: 1, unit: 'binary', maxLength: 50 }), fc.constant('"a":{"front":"x"}\n'))
    .map(secretKey),
);

function ringOf(keys: readonly (readonly [string, object])[]): KeyRing {
  // As a literal has it: an assignment to __proto__ would be lost.
  return keyRingOf(Object.fromEntries(keys));
}

function whole(text: string, onRead: (bytes: number) => void = () => undefined): FileText {
  const bytes = Buffer.from(text);
  const slice = (start: number, end: number): string => {
    onRead(end - start);
    return bytes.subarray(start, end).toString();
  };
  return {
    length: bytes.length,
    slice,
    part: (from) => ({ slice: (start, end) => slice(from + start, from + end) }),
  };
}

test('what is found is what the ring has', () => {
  const property = fc.property(fc.array(fc.tuple(keyid, key), { maxLength: 40 }), fc.array(keyid), (keys, others) => {
    const ring = ringOf(keys);
    const text = keyRingText(ring);
    expect(JSON.parse(text)).toEqual(ring);
    // A ring of an earlier version, on one line.
    for (const form of [text, `${JSON.stringify(ring)}\n`, JSON.stringify(ring, null, 2)])
      for (const id of [...Object.keys(ring.keys), ...others]) {
        const { key: found, spki } = findKeyIn(whole(form), id);
        const key = findKey(ring, id);
        expect(found === null, id).toBe(key === null);
        if (found === null || key === null) continue;
        const { front, alg, notBefore, notAfter, revokedAt } = key;
        expect(found, id).toMatchObject({ front, alg, notBefore, notAfter, revokedAt });
        // No environment could carry other names.
        if ('spki' in key) expect(spki(), id).toBe(key.spki);
        else if (/^[ -~]*$/.test(key.secretRef) && !/["\\]/.test(key.secretRef))
          expect(found.secretRef, id).toBe(key.secretRef);
      }
  });
  fc.assert(property, { numRuns: 300 });
});

test('of thousands of keys a dozen lines are read, and as many for a key that is not there', () => {
  const ids = Array.from({ length: 4000 }, (_, i) => `front-${i}`);
  const text = keyRingText(ringOf(ids.map((id) => [id, publicKey(id)])));
  const bytesFor = (id: string): number => {
    let bytes = 0;
    const found = findKeyIn(
      whole(text, (read) => {
        bytes += read;
      }),
      id,
    );
    expect(found.key === null).toBe(!ids.includes(id));
    return bytes;
  };
  const counts = [...ids.slice(0, 50), 'nobody', '!', 'front-', '~'].map(bytesFor);
  expect(Math.max(...counts)).toBeLessThan(1000);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(200);
});

/** Of seven lines, so that every search ends at another one. */
const SEVEN = ringOf(
  Array.from({ length: 7 }, (_, i) => [`front-${i}`, { ...publicKey('x'), revokedAt: '2026-05-01T09:00:00Z' }]),
);

test('a ring that was cut off anywhere is refused, whichever key is looked for', () => {
  const text = keyRingText(SEVEN);
  // Without its last newline it is still JSON, and whole.
  for (let length = 0; length < text.length - 1; length++)
    for (const id of ['front-0', 'front-3', 'front-6', 'nobody'])
      expect(() => findKeyIn(whole(text.slice(0, length)), id), `${length} bytes, ${id}`).toThrow();
});

const NO_INSTANTS = [
  '0',
  '""',
  'false',
  '[]',
  '{}',
  '"never"',
  '"2026-5-1"',
  '"2026-05-01T12:00+030"',
  '"2026-05-01-12:00:00Z"',
  'nul',
  '1e99',
];

test.each(
  ['notBefore', 'notAfter', 'revokedAt'].flatMap((member) => NO_INSTANTS.map((text) => [member, text] as const)),
)('a key whose %s is %s is refused', (member, value) => {
  const written = new RegExp(`"${member}":(?:null {18}|"[^"]*")`, 'g');
  // In lines of one width.
  const lines = keyRingText(SEVEN).replaceAll(written, `"${member}":${value.padEnd(22)}`);
  for (const id of ['front-0', 'front-3', 'front-6', 'nobody']) expect(() => findKeyIn(whole(lines), id), id).toThrow();
  // In any other form: the others are used.
  const one = JSON.stringify({ schema: 1, keys: { ...SEVEN.keys, a: { ...publicKey('x'), [member]: 'HERE' } } });
  const json = one.replace('"HERE"', value === 'nul' ? 'true' : value);
  for (const find of [
    (id: string) => findKeyIn(whole(json), id).key,
    (id: string) => findKey(keyRingFrom(JSON.parse(json)), id),
  ]) {
    expect(find('a')).toBeNull();
    expect(find('front-3')).toMatchObject({ revokedAt: '2026-05-01T09:00:00Z' });
  }
});

test.each(['front', 'notBefore', 'notAfter', 'revokedAt'])('a key without %s is refused', (member) => {
  const { [member]: _, ...rest } = publicKey('x') as Record<string, unknown>;
  const ring: unknown = JSON.parse(JSON.stringify({ schema: 1, keys: { a: rest, b: publicKey('x') } }));
  expect(findKey(keyRingFrom(ring), 'a')).toBeNull();
  expect(findKey(keyRingFrom(ring), 'b')).not.toBeNull();
});

test.each(['', '{', '{"schema":2,"keys":{}}', '{"schema":1,"keys":{\n', 'null'])(
  'what is no key ring is refused: %j',
  (text) => {
    expect(() => findKeyIn(whole(text), 'a')).toThrow();
  },
);
