// How long an edge takes to refuse reveals nothing about keys: the times of each kind of bad key
// against those of an unknown one. No limit in seconds: the kinds take turns on one connection, so
// that whatever slows the machine slows them all, and what is compared is their order. Noise passes
// and a real difference stays, so a kind that stands out is measured once more.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKeyPair } from '../../src/edge/web-crypto/key-pair.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import type { KeyRing, KeyRingEntry } from '../../src/contract/key-ring.ts';
import type { ProfileName } from '../../src/edge/rule/profile.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { type AuthorizerRuntime, startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startNginx, startQuickjs } from '../support/edge/runtimes/nginx.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { keyRingOf, makeWorld, withManyKeys, type World } from '../support/edge/world.ts';
import { IS_SOAK, sample } from '../speeds.ts';

/**
 * Requests of each kind in a round. Each has a signature of its own: one that comes again and again
 * is verified a little faster, which says nothing of its key.
 */
const REQUESTS = IS_SOAK ? 2000 : 400;
/** Before nginx closes a connection (keepalive_requests). */
const TURNS = 50;
const ROUNDS = 12;
/**
 * The area under the curve is 0.5 where two kinds cannot be told apart; of 400 each its standard
 * error is 0.02, of 2,000 0.009.
 */
const AREA_MIN = 0.45;
const AREA_MAX = 0.55;

/**
 * Stands for an unknown keyid that comes once: whatever an edge keeps of keyids, it has nothing of
 * this one.
 */
const ONCE = 'new-????';
let onceCount = 0;
/** Keys whose owners use them meanwhile, so that an edge remembers their signatures. */
const IN_USE = 'moscow-1';
const HMAC_IN_USE = 'key-used';
const USED: readonly string[] = [IN_USE, HMAC_IN_USE];

/** Keys by ids of one length: a longer one makes a longer text to hash, which the client chose. */
const OPEN = { front: 'moscow', notBefore: null, notAfter: null, revokedAt: null };
const PAST = '2020-01-01T00:00:00Z';

async function keysOf(world: World): Promise<KeyRing> {
  const keys: Record<string, unknown> = { ...world.keyRing.keys };
  const add = async (
    keyid: string,
    alg: 'ecdsa-p256-sha256' | 'ed25519',
    validity: Partial<KeyRingEntry>,
  ): Promise<void> => {
    const { jwk, spki } = await generateKeyPair(alg);
    keys[keyid] = { ...OPEN, alg, jwk, spki, ...validity };
  };
  await add('key-good', 'ecdsa-p256-sha256', {});
  await add('key-edwd', 'ed25519', {});
  await add('key-revk', 'ecdsa-p256-sha256', { revokedAt: PAST });
  await add('key-over', 'ecdsa-p256-sha256', { notAfter: PAST });
  keys['key-hmac'] = { ...OPEN, alg: 'hmac-sha256', secretRef: 'MOSCOW_SECRET' };
  keys[HMAC_IN_USE] = { ...OPEN, alg: 'hmac-sha256', secretRef: 'MOSCOW_SECRET' };
  keys['key-dead'] = { ...OPEN, alg: 'hmac-sha256', secretRef: 'MOSCOW_SECRET', revokedAt: PAST };
  keys['key-lost'] = { ...OPEN, alg: 'hmac-sha256', secretRef: 'NO_SUCH_SECRET' };
  return keyRingOf(keys);
}

/**
 * What a client sends is one of two kinds, by the length of its signature: each is compared with an
 * unknown key of its own.
 */
const HMAC_KEYS = { signer: 'moscow-hmac', unknown: 'key-none' } as const;
const KINDS: { readonly [what: string]: Kind } = {
  'the signature of a key pair': {
    profile: 'rfc9421',
    signer: 'stranger',
    unknown: 'key-none',
    others: ['key-good', 'key-edwd', 'key-revk', 'key-over', IN_USE, ONCE],
  },
  'an hmac': {
    profile: 'rfc9421',
    ...HMAC_KEYS,
    others: ['key-hmac', 'key-lost', 'key-good', 'key-edwd', HMAC_IN_USE, ONCE],
  },
  'signed headers': {
    profile: 'signed-headers',
    ...HMAC_KEYS,
    others: ['key-hmac', 'key-lost', 'key-dead', 'key-good', HMAC_IN_USE, ONCE],
  },
};

interface Kind {
  readonly profile: ProfileName;
  /** Whose key signs. */
  readonly signer: string;
  readonly unknown: string;
  readonly others: readonly string[];
}

let world: World;
/** The same, but a key of another algorithm than ecdsa-p256-sha256 is found behind 4,000 others. */
let largeWorld: World;

beforeAll(async () => {
  const made = await makeWorld(Math.floor(Date.now() / 1000));
  const signingKeys = new Map(made.signingKeys)
    .set('moscow-hmac', 'another secret than the key has')
    .set(HMAC_IN_USE, made.secrets['MOSCOW_SECRET'] ?? '');
  world = withKeyRing({ ...made, signingKeys, keyRing: await keysOf(made) });
  const another = await makeWorld(made.now);
  largeWorld = withKeyRing({ ...another, signingKeys, keyRing: await withManyKeys(world.keyRing, 4000) });
});

/** Sends a request on a connection that stays, and waits for its answer; nanoseconds. */
async function timeOf(socket: Socket, request: Buffer): Promise<number> {
  const answered = once(socket, 'data') as Promise<[Buffer]>;
  const start = process.hrtime.bigint();
  socket.write(request);
  const [answer] = await answered;
  const nanoseconds = Number(process.hrtime.bigint() - start);
  expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 401 [^]*"code":"signature-invalid"\}\n$/);
  return nanoseconds;
}

/**
 * The share of pairs in which a time of the first list is the longer one (Mann and Whitney); half
 * of those that are equal.
 */
function areaUnderCurve(times: readonly number[], others: readonly number[]): number {
  const sorted = others.toSorted((a, b) => a - b);
  const countBelow = (time: number, orEqual: boolean): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const value = sorted[middle] ?? 0;
      if (value < time || (orEqual && value === time)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const sum = times.reduce((total, time) => total + (countBelow(time, false) + countBelow(time, true)) / 2, 0);
  return sum / (times.length * others.length);
}

/** In another order each time, so that nobody always comes behind the same one. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  const weighed = values.map((value) => [Math.random(), value] as const);
  return weighed.toSorted((a, b) => a[0] - b[0]).map(([, value]) => value);
}

test('the area under the curve is computed right', () => {
  expect(areaUnderCurve([1, 2, 3], [1, 2, 3])).toBe(0.5);
  expect(areaUnderCurve([4, 5], [1, 2, 3])).toBe(1);
  expect(areaUnderCurve([1, 3], [2, 2])).toBe(0.5);
  expect(areaUnderCurve([0, 2], [2, 2])).toBe(0.25);
});

const IN_TREE = { origin: 'TREE', originEndpoint: null, originRegion: null };

/** The world, with its key ring in its tree, where edges read it. */
function withKeyRing(made: World): World {
  writeFileSync(join(made.root, 'edge/keyring.json'), keyRingText(made.keyRing));
  return made;
}

const EDGES = {
  nginx: (made: World) => startNginx(made),
  'nginx with QuickJS': (made: World) => startQuickjs(made),
  workerd: (made: World) => startWorkerd(made, 5),
  deno: (made: World) => startWorkerHost('deno', made, IN_TREE),
  bun: (made: World) => startWorkerHost('bun', made, IN_TREE),
  'a service behind nginx': (made: World): Promise<AuthorizerRuntime> => startAuthorizer('nginx', made),
  serve: (made: World) => startNodeServer(made, { clock: () => Date.now() / 1000 }),
};
const CASES = Object.entries(EDGES).flatMap(([name, start]) =>
  Object.entries(KINDS).map(([what, kind]) => ({ name, start, what, ...kind, isLarge: false })),
);
const WITH_4000_KEYS = CASES.filter(({ what }) => what === 'the signature of a key pair').map((one) => ({
  ...one,
  what: `${one.what}, with 4,000 keys`,
  isLarge: true,
}));

describe.each([...sample(CASES, 2), ...sample(WITH_4000_KEYS, 3)])(
  '$name, $what',
  ({ start, profile, signer, unknown, others, isLarge }) => {
    const keyids = [unknown, ...others];
    let edge: Runtime & { readonly port: number };
    beforeAll(async () => {
      edge = await start({ ...(isLarge ? largeWorld : world), profiles: [profile] });
    });
    afterAll(() => edge.stop());

    async function linesOf(keyid: string, key: string): Promise<readonly string[]> {
      const written = [
        'GET /products/ HTTP/1.1',
        'Host: edge.test',
        'X-Front: moscow',
        `${profile === 'rfc9421' ? 'Sign' : 'Sign-Headers'}: keyid=${keyid} key=${key}`,
      ];
      return prepareLines(written, edge.now(), world);
    }

    async function requestOf(keyid: string): Promise<Buffer> {
      return Buffer.from([...(await linesOf(keyid, signer)), '', ''].join('\r\n'), 'latin1');
    }

    /** One round: the times of each key, taken in turns. */
    async function measure(): Promise<ReadonlyMap<string, readonly number[]>> {
      const times = new Map<string, number[]>(keyids.map((keyid) => [keyid, []]));
      const requests = new Map<string, Buffer>();
      let socket: Socket | null = null;
      for (let turn = 0; turn < REQUESTS; turn++) {
        for (const keyid of keyids) if (keyid !== ONCE) requests.set(keyid, await requestOf(keyid));
        requests.set(ONCE, await requestOf(`new-${(onceCount++).toString(36).padStart(4, '0')}`));
        if (turn % TURNS === 0) {
          for (const keyid of others)
            if (USED.includes(keyid)) expect((await edge.send(await linesOf(keyid, keyid))).status).toBe(200);
          socket?.destroy();
          socket = connect(edge.port, '127.0.0.1').setNoDelay(true);
          await once(socket, 'connect');
          await timeOf(socket, requests.get(unknown) ?? Buffer.alloc(0));
        }
        for (const keyid of shuffled(keyids)) {
          const request = requests.get(keyid);
          if (request !== undefined && socket !== null) times.get(keyid)?.push(await timeOf(socket, request));
        }
      }
      socket?.destroy();
      return times;
    }

    test('no key can be told from an unknown one by the time of the refusal', async () => {
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const times = await measure();
        const areas = others.map(
          (keyid) => [keyid, areaUnderCurve(times.get(keyid) ?? [], times.get(unknown) ?? [])] as const,
        );
        seen.push(areas.map(([keyid, area]) => `${keyid} ${area.toFixed(3)}`).join(', '));
        if (areas.every(([, area]) => area > AREA_MIN && area < AREA_MAX)) return;
      }
      expect.fail(`areas under the curve:\n${seen.join('\n')}`);
    }, 1_800_000);
  },
);
