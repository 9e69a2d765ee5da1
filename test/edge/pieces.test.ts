// The small pieces of the rule, each on its own: base64, encodings, paths, the answer when files are gone.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, type Store } from '../../src/edge/rule/respond.ts';
import { base64OfBytes } from '../../src/edge/rule/base64.ts';
import { acceptedEncodings } from '../../src/edge/rule/encoding.ts';
import { findKey, type KeyRingFile, keyRingFileFrom } from '../../src/edge/rule/key-store.ts';
import type { RuleRequest } from '../../src/edge/rule/request.ts';
import type { Decision } from '../../src/edge/rule/rule.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { withProfiles } from '../../src/edge/rule/profiles.ts';
import { editionPath, isFrontCode, pointerPath } from '../../src/edge/rule/tree.ts';
import * as paths from '../../src/render/paths.ts';

describe('base64', () => {
  it('is what Node makes of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(base64OfBytes(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      }),
    );
  });
});

describe('acceptedEncodings', () => {
  it.each<[string | null, string]>([
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

  it('never offers what nobody has', () => {
    expect(acceptedEncodings('br, gzip', ['gzip'])).toEqual(['gzip']);
  });
});

describe('findKey', () => {
  const file: KeyRingFile = { schema: 1, keys: {} };

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'finds no key called %j that is not there',
    (keyid) => {
      expect(findKey(file, keyid)).toBeNull();
    },
  );

  it('finds a key called like what every object has, when it is there', () => {
    const key = {
      front: 'moscow',
      alg: 'hmac-sha256',
      secretRef: 'S',
      notBefore: null,
      notAfter: null,
      revokedAt: null,
    } as const;
    const parsed = keyRingFileFrom(JSON.parse(JSON.stringify({ schema: 1, keys: { constructor: key } })));
    expect(findKey(parsed, 'constructor')).toEqual(key);
  });
});

describe('paths', () => {
  it('are those of the tree, less its public folder', () => {
    expect(`public/${pointerPath('moscow')}`).toBe(paths.pathOf({ kind: 'pointer', front: 'moscow' }));
    expect(`public/${editionPath('moscow', 'products', '00112233aabbccdd')}`).toBe(
      paths.editionPath('moscow', 'products', '00112233aabbccdd'),
    );
  });

  it('know a front code when they see one, as the tree does', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', '0', '.', '-', '_', '/', '%', ' ', '\n', 'é'),
      maxLength: 66,
    });
    fc.assert(
      fc.property(text, (code) => {
        expect(isFrontCode(code)).toBe(paths.isFrontCode(code));
      }),
      { numRuns: 1000 },
    );
    for (const code of ['a'.repeat(63), 'a'.repeat(64), 'a..b', 'a.b', 'moscow\n'])
      expect(isFrontCode(code)).toBe(paths.isFrontCode(code));
  });
});

describe('answer', () => {
  const request: RuleRequest = {
    method: 'GET',
    scheme: 'http',
    authority: 'a',
    target: '/',
    lines: (name) => (name === 'accept-encoding' ? ['gzip, br'] : []),
  };
  const settings = withProfiles(DEFAULT_SETTINGS);
  const serve = (file: string): Decision => ({ kind: 'serve', status: 200, file, headers: [] });

  /** A store of named files whose pointer names another file when it is read anew. */
  function storeOf(files: { readonly [path: string]: string }): Store<string> & { readonly looks: boolean[] } {
    const looks: boolean[] = [];
    return {
      looks,
      encodings: ['br', 'gzip'],
      open: async (path) => files[path] ?? null,
      pointers: (isFresh) => {
        looks.push(isFresh);
        return { read: async () => (isFresh ? 'new' : 'old') };
      },
    };
  }
  const judge = async (pointers: ReturnType<Store<string>['pointers']>): Promise<Decision> =>
    serve((await pointers.read('', ''))?.slice(0) ?? '');

  it('takes the best sibling that is there', async () => {
    expect(
      await answer(request, storeOf({ old: 'plain', 'old.gz': 'g', 'old.br': 'b' }), settings, judge),
    ).toMatchObject({ content: 'b', headers: [['Content-Encoding', 'br']] });
    expect(await answer(request, storeOf({ old: 'plain', 'old.gz': 'g' }), settings, judge)).toMatchObject({
      content: 'g',
      headers: [['Content-Encoding', 'gzip']],
    });
    expect(await answer(request, storeOf({ old: 'plain' }), settings, judge)).toMatchObject({
      content: 'plain',
      headers: [],
    });
  });

  it('reads the pointer once more when the edition is gone, and only then', async () => {
    const there = storeOf({ old: 'plain' });
    await answer(request, there, settings, judge);
    expect(there.looks).toEqual([false]);
    const pruned = storeOf({ new: 'newer' });
    expect(await answer(request, pruned, settings, judge)).toMatchObject({ content: 'newer' });
    expect(pruned.looks).toEqual([false, true]);
  });

  it('is 503 when it stays gone, or cannot be read', async () => {
    expect(await answer(request, storeOf({}), settings, judge)).toMatchObject({
      decision: { status: 503, reason: 'internal' },
    });
    const broken = { ...storeOf({}), open: () => Promise.reject(new Error('EIO')) };
    expect(await answer(request, broken, settings, judge)).toMatchObject({ decision: { status: 503 } });
  });
});
