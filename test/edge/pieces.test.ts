// The small pieces of the rule, each on its own: base64, encodings, the key ring, paths, the
// response when files are missing.

import crypto from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuse } from '../../src/edge/rule/refusal-response.ts';
import { respond, type Store } from '../../src/edge/rule/respond.ts';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { base64OfBytes } from '../../src/edge/rule/base64.ts';
import { acceptedEncodings } from '../../src/edge/rule/encoding.ts';
import { findKey, keyRingFrom } from '../../src/edge/rule/key-store.ts';
import { njsKeyStore } from '../../src/edge/targets/nginx/njs-crypto.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { fieldsAmong, type RuleRequest } from '../../src/edge/rule/request.ts';
import type { RequestTarget } from '../../src/edge/rule/rule.ts';
import { isFrontCode } from '../../src/contract/front-code.ts';
import { editionPath, pointerPath } from '../../src/edge/rule/tree.ts';
import * as paths from '../../src/render/paths.ts';

describe('base64', () => {
  test('is the same as Node’s for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(base64OfBytes(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      }),
    );
  });
});

test('a key with an empty secret cannot be used: it is what the example of playbill-secrets.js holds', async () => {
  const key = { front: 'moscow', alg: 'hmac-sha256', secretRef: 'S', notBefore: null, notAfter: null, revokedAt: null };
  const ring = keyRingFrom({ schema: 1, keys: { k: key } });
  const found = findKey(ring, 'k');
  if (found === null) throw new Error('the key is in the ring');
  const line = { ...found, secretRef: 'S' };
  const njs = (secret: string) =>
    njsKeyStore(
      () => ({ key: line, spki: () => '' }),
      () => secret,
      crypto,
    );
  // By what a client could sign with: the empty secret, and the text that the rule itself uses in
  // its place.
  for (const client of ['', 'nobody', 's']) {
    const signature = crypto.createHmac('sha256', client).update('base').digest('base64');
    for (const own of ['', 's']) {
      const isRight = own === 's' && client === 's';
      expect(await njs(own).verify(line, true, signature, 'base')).toBe(isRight);
      expect(await webCryptoKeyStore(ring, () => own).verify(found, true, signature, 'base')).toBe(isRight);
    }
  }
});

describe('acceptedEncodings', () => {
  test.each<[string | null, string]>([
    [null, ''],
    ['', ''],
    ['gzip', 'gzip'],
    ['gzip, br', 'br gzip'],
    ['GZip ; Q=0.5 ,deflate', 'gzip'],
    ['br;q=1.000', 'br'],
    ['br;q=0, gzip;q=0.0', ''],
    ['br;q=0.001', 'br'],
    ['*', ''],
    ['brotli, x-gzip, gzipped', ''],
    ['br;level=5', ''],
    [',,;q=1,', ''],
  ])('%j accepts "%s"', (header, expected) => {
    expect(acceptedEncodings(header, ['br', 'gzip']).join(' ')).toBe(expected);
  });

  test('never offers an encoding that is not a candidate', () => {
    expect(acceptedEncodings('br, gzip', ['gzip'])).toEqual(['gzip']);
  });
});

describe('fieldsAmong', () => {
  test('has the lines of a name in their order, whatever the case of their names', () => {
    const { lines, field } = fieldsAmong([
      ['X-Other', 'a'],
      ['host', 'edge.test'],
      ['x-other', ''],
      ['X-OTHER', 'b'],
    ]);
    expect(lines('x-other')).toEqual(['a', '', 'b']);
    expect(field('x-other')).toBe('a, , b');
    expect(lines('x-absent')).toEqual([]);
    expect(field('x-absent')).toBeNull();
  });

  test.each(['constructor', '__proto__', 'tostring'])('%s is a name like any other', (name) => {
    expect(fieldsAmong([]).field(name)).toBeNull();
    expect(fieldsAmong([[name, '1']]).lines(name)).toEqual(['1']);
  });
});

describe('findKey', () => {
  const file: KeyRing = { schema: 1, keys: {} };

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'finds no key %j that is not in the ring',
    (keyid) => {
      expect(findKey(file, keyid)).toBeNull();
    },
  );

  test('finds a key named like a property that every object has', () => {
    const key = {
      front: 'moscow',
      alg: 'hmac-sha256',
      secretRef: 'S',
      notBefore: null,
      notAfter: null,
      revokedAt: null,
    } as const;
    const parsed = keyRingFrom(JSON.parse(JSON.stringify({ schema: 1, keys: { constructor: key } })));
    expect(findKey(parsed, 'constructor')).toEqual(key);
  });
});

describe('paths', () => {
  test('are those of the tree, less its public folder', () => {
    expect(`public/${pointerPath('moscow')}`).toBe(paths.pathOf({ kind: 'pointer', front: 'moscow' }));
    expect(`public/${editionPath('moscow', 'products', '00112233aabbccdd')}`).toBe(
      paths.editionPath('moscow', 'products', '00112233aabbccdd'),
    );
  });

  test('are of front codes alone', () => {
    const isPlainly = (code: string): boolean =>
      code.length >= 1 &&
      code.length <= 63 &&
      !code.includes('..') &&
      code.split('').every((char, i) => /[a-z0-9]/.test(char) || (i > 0 && '._-'.includes(char)));
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', '0', '.', '-', '_', '/', '%', ' ', '\n', 'é'),
      maxLength: 66,
    });
    fc.assert(
      fc.property(text, (code) => {
        expect(isFrontCode(code)).toBe(isPlainly(code));
      }),
      { numRuns: 1000 },
    );
    for (const code of ['a'.repeat(63), 'a'.repeat(64), 'a..b', 'a.b', 'moscow\n'])
      expect(isFrontCode(code)).toBe(isPlainly(code));
  });
});

describe('respond', () => {
  const request: RuleRequest = {
    method: 'GET',
    scheme: 'http',
    authority: 'a',
    target: '/',
    ...fieldsAmong([['accept-encoding', 'gzip, br']]),
  };
  const target: RequestTarget = { kind: 'target', front: 'moscow', endpoint: 'products', ifNoneMatch: null };
  const NOW = Date.parse('2026-05-01T09:00:00Z') / 1000;
  const OLD = editionPath('moscow', 'products', '0'.repeat(16));
  const NEW = editionPath('moscow', 'products', '1'.repeat(16));
  const pointerTo = (digest: string): string =>
    `{"schema":1,"front":"moscow","now":"2026-05-01T09:00:00Z","validUntil":"2026-05-02T09:00:00Z","products":["2026-05-01T09:00:00Z ${digest}"]}\n`;

  /** A store of these files whose pointer names another one when it is read afresh. */
  function storeOf(files: { readonly [path: string]: string }): Store<string> & { readonly reads: boolean[] } {
    const reads: boolean[] = [];
    return {
      reads,
      encodings: ['br', 'gzip'],
      open: async (path) => files[path] ?? null,
      readPointer: async (_, isFresh) => {
        reads.push(isFresh);
        return pointerTo((isFresh ? '1' : '0').repeat(16));
      },
    };
  }
  const respondFrom = (store: Store<string>): ReturnType<typeof respond<string>> =>
    respond(request, target, store, 60, NOW);

  test.each<[string, { readonly [path: string]: string }, string, string | undefined]>([
    ['br, where there is one', { [OLD]: 'plain', [`${OLD}.gz`]: 'g', [`${OLD}.br`]: 'b' }, 'b', 'br'],
    ['gzip, where there is no br', { [OLD]: 'plain', [`${OLD}.gz`]: 'g' }, 'g', 'gzip'],
    ['the plain file, where there is neither', { [OLD]: 'plain' }, 'plain', undefined],
  ])('sends %s', async (_, files, content, encoding) => {
    const response = await respondFrom(storeOf(files));
    expect(response.content).toBe(content);
    expect(response.headers.find(([name]) => name === 'Content-Encoding')?.[1]).toBe(encoding);
  });

  test('reads the pointer once more when the edition has vanished, and only then', async () => {
    const present = storeOf({ [OLD]: 'plain' });
    await respondFrom(present);
    expect(present.reads).toEqual([false]);
    const pruned = storeOf({ [NEW]: 'newer' });
    expect(await respondFrom(pruned)).toMatchObject({ content: 'newer' });
    expect(pruned.reads).toEqual([false, true]);
  });

  test('is 503 when the edition stays missing or cannot be read', async () => {
    expect(await respondFrom(storeOf({}))).toMatchObject({ decision: { status: 503, reason: 'internal' } });
    const broken = { ...storeOf({}), open: () => Promise.reject(new Error('EIO')) };
    expect(await respondFrom(broken)).toMatchObject({ decision: { status: 503 } });
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('EACCES /srv/secret'))],
    [
      'throws',
      (): never => {
        throw new Error('no store');
      },
    ],
  ])('is 503, without a word about why, when the pointer store %s', async (_, readPointer) => {
    const response = await respondFrom({ ...storeOf({}), readPointer });
    expect(response.decision).toMatchObject({ kind: 'refuse', status: 503, reason: 'internal' });
    expect(JSON.stringify(response)).not.toContain('EACCES');
  });

  test('passes a refusal on, and opens nothing', async () => {
    const store = storeOf({});
    const refusal = refuse(403, 'front-not-allowed');
    expect(await respond(request, refusal, store, 60, NOW)).toMatchObject({ decision: refusal });
    expect(store.reads).toEqual([]);
  });
});
