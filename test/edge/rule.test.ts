// The limits of the rule that no real clock can hit: seconds of the signature window and of key
// validity, instants of editions. Against the pure core, with the time as an argument.

import { beforeAll, describe, expect, test } from 'vitest';
import type { KeyRingEntry } from '../../src/contract/key-ring.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import { generateKeyPair, type KeyPair } from '../../src/edge/web-crypto/key-pair.ts';
import type { KeyStore } from '../../src/edge/rule/key-store.ts';
import { fieldsAmong, type RuleRequest } from '../../src/edge/rule/request.ts';
import { authorize, type Decision, readTarget, select } from '../../src/edge/rule/rule.ts';
import { DEFAULT_SETTINGS, type SettingsFile } from '../../src/edge/rule/settings.ts';
import { rfc9421 } from '../../src/edge/rule/rfc9421.ts';
import { webCryptoKeyStore } from '../../src/edge/web-crypto/key-store.ts';
import { signRaw } from '../support/edge/signers.ts';
import { keyRingOf } from '../support/edge/world.ts';

const T = Date.parse('2026-05-01T09:00:00Z') / 1000;
const at = (seconds: number): string => instantText(T + seconds);
const POINTER = `{"schema":1,"front":"moscow","now":"${at(0)}","validUntil":"${at(600)}","today":"2026-05-01","timezone":"Europe/Moscow","products":["${at(0)} 00000000000000a1","${at(100)} 00000000000000a2","${at(130)} 00000000000000a3"],"categories":["${at(0)} 00000000000000c1"]}\n`;

let pair: KeyPair;
beforeAll(async () => {
  pair = await generateKeyPair('ecdsa-p256-sha256');
});

interface Case {
  readonly now?: number;
  readonly at?: number;
  readonly created?: number;
  readonly expires?: number;
  readonly key?: Partial<KeyRingEntry>;
  readonly settings?: Partial<SettingsFile>;
  readonly target?: string;
  readonly cover?: string;
}

/** The decision about a request signed at `created`, seconds from T like all times of a case. */
async function decide(input: Case): Promise<Decision> {
  const target = input.target ?? '/products/';
  const expires = input.expires === undefined ? '' : `;expires=${T + input.expires}`;
  const cover = input.cover ?? '"@method" "@authority" "@path" "x-front"';
  const parameters = `(${cover});created=${T + Math.floor(input.created ?? input.now ?? 0)}${expires};keyid="k";tag="x-front"`;
  const fields = [['x-front', 'moscow']] as const;
  const signature = signRaw({ method: 'GET', host: 'edge.test', target, fields }, pair.privateJwk, parameters);
  const request: RuleRequest = {
    method: 'GET',
    scheme: 'http',
    authority: 'edge.test',
    target,
    ...fieldsAmong([...fields, ['signature-input', `sig=${parameters}`], ['signature', `sig=:${signature}:`]]),
  };
  const settings = { ...DEFAULT_SETTINGS, ...input.settings };
  const now = T + (input.now ?? 0);
  const authorized = await authorize(request, keyStoreWith(input.key ?? {}), rfc9421, settings, now);
  if (authorized.kind === 'refuse') return authorized;
  return input.at === undefined
    ? select(authorized, POINTER, settings.maxAge, now)
    : select(authorized, POINTER, null, T + input.at);
}

function keyStoreWith(validity: Partial<KeyRingEntry>): KeyStore {
  const open = { notBefore: null, notAfter: null, revokedAt: null };
  const key = { front: 'moscow', alg: 'ecdsa-p256-sha256', jwk: pair.jwk, spki: pair.spki, ...open, ...validity };
  return webCryptoKeyStore(keyRingOf({ k: key }), () => null);
}

function outcomeOf(decision: Decision): string {
  switch (decision.kind) {
    case 'refuse':
      return decision.reason;
    case 'not-modified':
      return '304';
    case 'serve': {
      const header = (name: string): string => decision.headers.find(([key]) => key === name)?.[1] ?? '';
      return `${/\.([0-9a-f]+)\.json$/.exec(decision.file)?.[1]?.slice(-2)} ${header('Cache-Control')} ${header('Catalogue-Stale')}`.trim();
    }
  }
}

describe('the window of a signature', () => {
  test.each<[string, Case, string]>([
    ['six minutes after its creation it is accepted', { now: 360, created: 0 }, 'a3'],
    [
      'a fraction of that second later it is accepted still: instants are whole seconds',
      { now: 360.9, created: 0 },
      'a3',
    ],
    ['one second later it has expired', { now: 361, created: 0 }, 'signature-expired'],
    ['created a minute ahead it is accepted', { now: 0, created: 60 }, 'a1'],
    ['created a minute and a second ahead it is from the future', { now: 0, created: 61 }, 'signature-from-future'],
    ['a minute after it says that it expires it is accepted', { now: 70, created: 0, expires: 10 }, 'a1'],
    ['one second later it has expired by its own expires', { now: 71, created: 0, expires: 10 }, 'signature-expired'],
    ['it cannot prolong itself', { now: 361, created: 0, expires: 4000 }, 'signature-expired'],
  ])('%s', async (_, input, expected) => {
    expect(outcomeOf(await decide(input)).split(' ')[0]).toBe(expected);
  });
});

describe('the validity of a key', () => {
  test.each<[string, Case, string]>([
    ['from the second of notBefore on', { now: 50, key: { notBefore: at(50) } }, 'a1'],
    ['not in the second before', { now: 49, key: { notBefore: at(50) } }, 'signature-invalid'],
    ['in the last second before notAfter', { now: 49, key: { notAfter: at(50) } }, 'a1'],
    ['not from notAfter on', { now: 50, key: { notAfter: at(50) } }, 'signature-invalid'],
    ['in the last second before it is revoked', { now: 49.9, key: { revokedAt: at(50) } }, 'a1'],
    ['not from revokedAt on', { now: 50, key: { revokedAt: at(50) } }, 'signature-invalid'],
    ['judged by the clock, not by the instant that is served', { now: 0, at: 120, key: { notAfter: at(50) } }, 'a2'],
  ])('%s', async (_, input, expected) => {
    expect(outcomeOf(await decide(input)).split(' ')[0]).toBe(expected);
  });
});

describe('the choice of an edition', () => {
  test.each<[string, Case, string]>([
    ['before the first one: the first', { now: -500 }, 'a1 private, max-age=60'],
    ['at the start of the first', { now: 0 }, 'a1 private, max-age=60'],
    ['a minute before the next: kept to the second', { now: 40 }, 'a1 private, max-age=60'],
    ['max-age shrinks towards the next start', { now: 41 }, 'a1 private, max-age=59'],
    ['a fraction is cut off: never a second too long', { now: 41.2 }, 'a1 private, max-age=58'],
    ['in the last second', { now: 99 }, 'a1 private, max-age=1'],
    ['in the last part of the last second', { now: 99.999 }, 'a1 private, max-age=0'],
    ['in the second of its start: the next one', { now: 100 }, 'a2 private, max-age=30'],
    ['the last one up to validUntil', { now: 550 }, 'a3 private, max-age=50'],
    ['one second before validUntil', { now: 599 }, 'a3 private, max-age=1'],
    ['from validUntil on: stale, and not to be kept', { now: 600 }, 'a3 private, max-age=0 ?1'],
    ['long after', { now: 1e7 }, 'a3 private, max-age=0 ?1'],
    ['as of another instant: not to be stored', { now: 0, at: 110 }, 'a2 no-store'],
    ['as of an instant after validUntil: marked as well', { now: 0, at: 700 }, 'a3 no-store ?1'],
    ['a shorter cap', { now: 0, settings: { maxAge: 5 } }, 'a1 private, max-age=5'],
    ['a longer cap is cut by the boundary', { now: 0, settings: { maxAge: 3600 } }, 'a1 private, max-age=100'],
  ])('%s', async (_, input, expected) => {
    expect(outcomeOf(await decide(input))).toBe(expected);
  });
});

describe('settings', () => {
  const uncovered = '"@method" "@path" "x-front"';
  test.each<[string, Case, string]>([
    ['a base path is part of the path', { settings: { base: '/api/v1' }, target: '/api/v1/products/' }, 'a1'],
    ['without the base there is nothing', { settings: { base: '/api/v1' } }, 'not-found'],
    [
      '@authority may be left out where a proxy rewrites Host',
      { settings: { requiresAuthority: false }, cover: uncovered },
      'a1',
    ],
    ['it may be there all the same', { settings: { requiresAuthority: false } }, 'a1'],
    ['otherwise it may not be left out', { cover: uncovered }, 'signature-component-missing'],
  ])('%s', async (_, input, expected) => {
    expect(outcomeOf(await decide(input)).split(' ')[0]).toBe(expected);
  });

  test('the challenge asks for what is required', async () => {
    const decision = await decide({ settings: { requiresAuthority: false }, cover: '"@method"' });
    expect(decision.headers).toContainEqual([
      'Accept-Signature',
      'sig=("@method" "@path" "x-front");created;tag="x-front"',
    ]);
  });
});

test.each(['', 'edge.test, other.test', 'edge.test,'])(
  'a request is for one host, or it is refused before its signature: %j',
  async (authority) => {
    const find = (): never => {
      throw new Error('looked up');
    };
    const request = { method: 'GET', scheme: 'http', authority, target: '/products/' };
    const signed = { ...request, ...fieldsAmong([['x-front', 'moscow']]) };
    const decision = await authorize(signed, { ...keyStoreWith({}), find }, rfc9421, DEFAULT_SETTINGS, T);
    expect(decision).toMatchObject({ status: 400, reason: 'request-malformed' });
  },
);

describe('the rule never throws', () => {
  const request: RuleRequest = {
    method: 'GET',
    scheme: 'http',
    authority: 'edge.test',
    target: '/products/',
    ...fieldsAmong([['x-front', 'moscow']]),
  };
  const target = { kind: 'target', front: 'moscow', endpoint: 'products', ifNoneMatch: null } as const;
  const settings = DEFAULT_SETTINGS;

  test('a key store that cannot be read is 503', async () => {
    const parameters = `("@method" "@authority" "@path" "x-front");created=${T};keyid="k";tag="x-front"`;
    const signed = {
      ...request,
      ...fieldsAmong([
        ['x-front', 'moscow'],
        ['signature-input', `sig=${parameters}`],
        ['signature', 'sig=:AAAA:'],
      ]),
    };
    const find = (): never => {
      throw new Error('down');
    };
    const keys = { ...keyStoreWith({}), find };
    expect(await authorize(signed, keys, rfc9421, settings, T)).toMatchObject({ status: 503, reason: 'internal' });
  });

  test('a request whose headers cannot be read is 503', async () => {
    const field = (): never => {
      throw new Error('no headers');
    };
    expect(await authorize({ ...request, field }, keyStoreWith({}), rfc9421, settings, T)).toMatchObject({
      status: 503,
    });
  });

  test('a clock that gives no number is 503', async () => {
    expect(select(target, POINTER, 60, Number.NaN)).toMatchObject({ status: 503 });
  });

  test('a torn pointer is 503', () => {
    expect(select(target, POINTER.slice(0, -30), 60, T)).toMatchObject({ status: 503, reason: 'internal' });
  });

  test('without a pointer nothing is published: 404', () => {
    expect(outcomeOf(select(target, null, 60, T))).toBe('not-found');
  });

  test('a target is read from method, path and front, without a signature', () => {
    expect(readTarget(request, '')).toEqual(target);
    expect(readTarget({ ...request, ...fieldsAmong([]) }, '')).toMatchObject({ reason: 'front-missing' });
  });
});
