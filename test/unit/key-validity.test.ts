// When a key of the ring is valid: in [notBefore, notAfter), up to revokedAt.

import { expect, test } from 'vitest';
import type { KeyRingEntry } from '../../src/contract/key-ring.ts';
import { isKeyValid, validKeysOf } from '../../src/release/tree/key-validity.ts';

const [BEFORE, AT, AFTER] = ['2026-05-01T08:59:59Z', '2026-05-01T09:00:00Z', '2026-05-01T09:00:01Z'] as const;

type Ends = Partial<Pick<KeyRingEntry, 'notBefore' | 'notAfter' | 'revokedAt'>>;

const keyWith = (more: Ends): KeyRingEntry => ({
  front: 'alpha',
  alg: 'hmac-sha256',
  secretRef: 'ALPHA',
  notBefore: null,
  notAfter: null,
  revokedAt: null,
  ...more,
});

test.each<[string, Ends, readonly [boolean, boolean, boolean]]>([
  ['without ends', {}, [true, true, true]],
  ['not before', { notBefore: AT }, [false, true, true]],
  ['not after', { notAfter: AT }, [true, false, false]],
  ['revoked', { revokedAt: AT }, [true, false, false]],
  ['revoked before it begins', { notBefore: AFTER, revokedAt: AT }, [false, false, false]],
])('%s', (_, more, expected) => {
  const key = keyWith(more);
  expect([BEFORE, AT, AFTER].map((at) => isKeyValid(key, at))).toEqual(expected);
  const ring = { schema: 1 as const, keys: { k: key } };
  const counts = [BEFORE, AT, AFTER].map((at) => validKeysOf(['alpha', 'bravo'], ring, at));
  expect(counts.map((valid) => [valid.get('alpha'), valid.get('bravo')])).toEqual(
    expected.map((isValid) => [Number(isValid), 0]),
  );
});
