// Editions in the cache of a worker's host: real workerd with Cloudflare's own, and Deno's, over a
// private bucket and over a URL. Then the module on Node, which has no cache, with caches that
// fail.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleEdge } from '../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../src/edge/targets/origin.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { prepareLines, runExchange } from '../support/edge/exchange.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { ask, asked, editionOf } from '../support/edge/ask.ts';
import { originIn, PREFIX, startPrivateBucket, UNREADABLE } from '../support/edge/private-bucket.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { TRANSCRIPTS } from '../support/edge/transcript.ts';
import { editionContent, makeWorld, type World } from '../support/edge/world.ts';
import type { FaultPlan } from '../support/objects/faults.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';
import { workerFiles } from '../support/edge/target-files.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

const SUFFIX: Readonly<Record<string, string>> = { identity: '', gzip: '.gz', br: '.br' };
const ENCODINGS = Object.keys(SUFFIX);

type Start = (origin: OriginOptions, environment: MemoryStore['environment']) => Promise<Runtime>;

/** For how long the worker itself keeps a pointer: a test waits for the end of it. */
const POINTER_SECONDS = 1;

const HOSTS: readonly (readonly [string, Start])[] = [
  ['Cloudflare', (origin, environment) => startMiniflare(world, POINTER_SECONDS, { origin, environment })],
  ...(['deno', 'netlify'] as const).map((host): readonly [string, Start] => [
    host,
    (origin, environment) => startWorkerHost(host, world, origin, { environment, pointerSeconds: POINTER_SECONDS }),
  ]),
];

/** A file of moscow's edition in force. */
const fileOf = (encoding: string): string => editionOf(world, 'moscow', 2) + (SUFFIX[encoding] ?? '');

/**
 * Asks until the origin has not been: a host stores what it has answered a little later.
 * `editions`: what the origin was asked for.
 */
async function untilKept(editions: () => readonly string[], request: () => Promise<RawResponse>): Promise<RawResponse> {
  for (;;) {
    const before = editions().length;
    const answer = await request();
    if (editions().length === before) return answer;
    await sleep(20);
  }
}

/**
 * The header lines that two answers with one file share: the time that is left runs on, and whether
 * the length is known is the host's affair.
 */
const linesOf = ({ headers }: Pick<RawResponse, 'headers'>): readonly string[] =>
  headers
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .filter((line) => !/^(cache-control|content-length|transfer-encoding|date|connection|keep-alive):/.test(line))
    .toSorted();

/** An answer with this file, byte for byte. */
function expectFile(answer: RawResponse, encoding: string): void {
  expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([
    200,
    encoding === 'identity' ? [] : [encoding],
  ]);
  expect(answer.content.equals(readFileSync(join(world.root, 'public', fileOf(encoding))))).toBe(true);
}

/**
 * A hundred requests by three keys, some at once, for three files that are kept: none reaches the
 * origin, and all are the same.
 */
async function askHundredTimes(runtime: Runtime, editions: () => readonly string[]): Promise<void> {
  const first = new Map<string, RawResponse>();
  for (const encoding of ENCODINGS) {
    first.set(encoding, await ask(world, runtime, 'moscow', { encoding }));
    await untilKept(editions, () => ask(world, runtime, 'moscow', { encoding }));
  }
  const before = editions().length;
  const requests = Array.from({ length: 100 }, (_, i) => ({
    encoding: ENCODINGS[i % 3] ?? '',
    keyid: ['moscow-1', 'moscow-2', 'moscow-hmac', 'moscow-1'][i % 4] ?? '',
  }));
  const answers: (readonly [string, RawResponse])[] = [];
  for (const one of requests.slice(0, 50)) answers.push([one.encoding, await ask(world, runtime, 'moscow', one)]);
  const atOnce = requests
    .slice(50)
    .map(async (one) => [one.encoding, await ask(world, runtime, 'moscow', one)] as const);
  answers.push(...(await Promise.all(atOnce)));
  for (const [encoding, answer] of answers) {
    expectFile(answer, encoding);
    expect(linesOf(answer)).toEqual(linesOf(first.get(encoding) ?? answer));
  }
  expect(answers).toHaveLength(100);
  expect(editions().slice(before)).toEqual([]);
}

describe.each(HOSTS)('%s, over a private bucket', (_, start) => {
  let store: MemoryStore;
  let runtime: Runtime;
  const editions = () => asked(store).filter((line) => !line.includes('pointer.json'));
  beforeAll(async () => {
    store = await startPrivateBucket(world);
    runtime = await start(originIn(store), store.environment);
  });
  afterAll(async () => {
    await runtime.stop();
    await store.close();
  });

  test('a hundred requests for what is kept do not reach the bucket', async () => {
    await askHundredTimes(runtime, editions);
  });

  test('pointers are not kept there', async () => {
    const isPointer = (line: string): boolean => line.includes('moscow/pointer.json');
    await ask(world, runtime, 'moscow');
    const before = asked(store).filter(isPointer).length;
    while (asked(store).filter(isPointer).length === before) {
      await ask(world, runtime, 'moscow');
      await sleep(200);
    }
  });

  test('what is kept is there for HEAD, for 304, and for nobody who is refused', async () => {
    for (const encoding of ENCODINGS) {
      await untilKept(editions, () => ask(world, runtime, 'moscow', { encoding }));
      await store.delete(`${PREFIX}/public/${fileOf(encoding)}`);
    }
    const before = editions().length;
    for (const encoding of ENCODINGS) {
      expectFile(await ask(world, runtime, 'moscow', { encoding }), encoding);
      const head = await ask(world, runtime, 'moscow', { encoding, method: 'HEAD' });
      expect([head.status, head.content.length]).toEqual([200, 0]);
      expect(headerValues(head, 'Content-Encoding')).toEqual(encoding === 'identity' ? [] : [encoding]);
    }
    const etag = headerValues(await ask(world, runtime, 'moscow'), 'ETag')[0] ?? '';
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', `If-None-Match: ${etag}`];
    const known = await runtime.send(await prepareLines([...written, 'Sign: keyid=moscow-1'], runtime.now(), world));
    expect([known.status, known.content.length]).toEqual([304, 0]);
    const statuses = [
      await runtime.send(['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow']),
      await ask(world, runtime, 'moscow', { keyid: 'moscow-revoked' }),
      await ask(world, runtime, 'moscow', { keyid: 'kazan-1' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 403]);
    expect(editions().slice(before)).toEqual([]);
  });

  test.each<readonly [string, ReturnType<FaultPlan>]>([
    ['a failure of the bucket', { kind: 'status', status: 500 }],
    ['a page with 200', { kind: 'error-in-200' }],
    ['a body that is cut off', { kind: 'cut-body' }],
    ['a closed connection', { kind: 'reset' }],
  ])('is not kept: %s', async (_, fault) => {
    // Nobody else asks for kazan's edition before the transcripts do; each of these leaves it as it
    // was.
    store.faults = (request) => (request.key.includes('/kazan/products.') ? fault : UNREADABLE(request));
    const broken = await ask(world, runtime, 'kazan').then(({ content }) => content.toString(), String);
    store.faults = UNREADABLE;
    expect(broken).not.toBe(String(world.fronts.get('kazan')?.products[0]?.content));
    await withoutEdition(async () => expect((await ask(world, runtime, 'kazan')).status).toBe(503));
  });

  /** Takes kazan's edition out of the bucket, and puts it back. */
  async function withoutEdition(use: () => Promise<void>): Promise<void> {
    const key = `${PREFIX}/public/${editionOf(world, 'kazan', 1)}`;
    const object = (await store.objects()).get(key);
    await store.delete(key);
    await use();
    await store.put(key, object?.bytes ?? '', object?.headers);
  }

  test('what is missing is not kept, and is found once it is there', async () => {
    await withoutEdition(async () => expect((await ask(world, runtime, 'kazan')).status).toBe(503));
    const answer = await ask(world, runtime, 'kazan');
    expect(answer.content.equals(editionContent(world, 'kazan products 1'))).toBe(true);
  });

  describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
    test.each(exchanges)('$name', async (exchange) => {
      expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
    });
  });
});

describe.each(HOSTS)('%s, over a URL', (_, start) => {
  let server: Server;
  let runtime: Runtime;
  const log: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = request.url ?? '';
      if (/products\.\w+\.json/.test(url)) log.push(url);
      readFile(join(world.root, url)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const origin = { origin: `${url}/public`, originEndpoint: null, originRegion: null };
    runtime = await start(origin, {});
  });
  afterAll(async () => {
    await runtime.stop();
    server.close();
    server.closeAllConnections();
  });

  test('a hundred requests for what is kept do not reach it', async () => {
    await askHundredTimes(runtime, () => log);
  });
});

interface Module {
  fetch(request: Request, environment: object, context?: object): Promise<Response>;
}

interface Cache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

describe('the module, with a cache that', () => {
  let store: MemoryStore;
  let path: string;
  let worker: Module;
  const load = async (query = ''): Promise<Module> => {
    const loaded: { readonly default: Module } = await import(pathToFileURL(path).href + query);
    return loaded.default;
  };
  beforeAll(async () => {
    store = await startPrivateBucket(world);
    const files = workerFiles({
      target: 'worker',
      profiles: world.profiles,
      keyRingAt: null,
      bundle: await bundleEdge('worker-s3'),
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      publicRoot: join(world.root, 'public'),
      ...originIn(store),
      encodings: ['br', 'gzip'],
      pointerSeconds: 0,
    });
    path = join(temporaryFolder(), 'worker.mjs');
    writeFileSync(path, files.find(([name]) => name === 'worker.js')?.[1] ?? '');
    worker = await load();
  });
  afterAll(() => store.close());
  afterEach(() => vi.unstubAllGlobals());

  /** A request for moscow's products, with signature or without. */
  async function requestOf(signature: readonly string[], accept = 'br'): Promise<Request> {
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', `Accept-Encoding: ${accept}`];
    const [, ...lines] = await prepareLines([...written, ...signature], Math.floor(Date.now() / 1000), world);
    const headers = lines.map((line): [string, string] => [
      line.split(':')[0] ?? '',
      line.slice(line.indexOf(':') + 1),
    ]);
    return new Request('http://edge.test/products/', { headers });
  }

  const SIGNED = ['Sign: keyid=moscow-1'];
  const environment = (): object => ({ ...world.secrets, ...store.environment });
  const fails = (): never => {
    throw new Error('no cache');
  };
  const never = new Promise<never>(() => undefined);
  const cache = (own: Partial<Cache>): object => ({
    open: () => Promise.resolve({ match: () => Promise.resolve(undefined), put: () => Promise.resolve(), ...own }),
  });

  test.each<readonly [string, object | undefined]>([
    ['is not there', undefined],
    ['cannot be opened', { open: fails }],
    ['cannot be opened, as is known later', { open: () => Promise.reject(new Error('no cache')) }],
    ['finds nothing', cache({ match: fails })],
    ['finds nothing, as is known later', cache({ match: () => Promise.reject(new Error('no cache')) })],
    ['keeps nothing', cache({ put: fails })],
    ['keeps nothing, as is known later', cache({ put: () => Promise.reject(new Error('no cache')) })],
    ['takes for ever to keep something', cache({ put: () => never })],
  ])('%s, answers as without one', async (_, caches) => {
    vi.stubGlobal('caches', caches);
    const answer = await worker.fetch(await requestOf(SIGNED), environment());
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(world.root, 'public', fileOf('br'))))).toBe(
      true,
    );
  });

  test('waits for it, where the host wants to know, with what it keeps', async () => {
    const kept: (readonly [string, Response, Buffer])[] = [];
    const put = async (url: string, response: Response): Promise<void> => {
      kept.push([url, response, Buffer.from(await response.clone().arrayBuffer())]);
    };
    vi.stubGlobal('caches', cache({ put }));
    const waiting: Promise<unknown>[] = [];
    const context = { waitUntil: (one: Promise<unknown>) => waiting.push(one) };
    const answer = await worker.fetch(await requestOf(SIGNED), environment(), context);
    await answer.arrayBuffer();
    await Promise.all(waiting);
    expect(waiting).toHaveLength(1);
    const [[url, response, bytes] = ['', answer, Buffer.alloc(0)]] = kept;
    // The path as it is signed; without the query that a sibling is asked for with.
    expect(url).toBe(`${store.endpoint}/bucket/shows%20%28new%29/it%27s/public/${fileOf('br')}`);
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/octet-stream',
    });
    expect(bytes.equals(readFileSync(join(world.root, 'public', fileOf('br'))))).toBe(true);
  });

  test('has nothing to do with brotli, where the host cannot decode it: gzip is sent, and no .br is asked for', async () => {
    const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const plain = await load('?without-brotli').finally(() => builtin.mockRestore());
    const before = store.log.length;
    const answer = await plain.fetch(await requestOf(SIGNED, 'br, gzip'), environment());
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(
      Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(world.root, 'public', fileOf('gzip')))),
    ).toBe(true);
    expect(asked(store, before).filter((line) => line.includes('.br'))).toEqual([]);
  });

  test.each([
    ['no signature', []],
    ['a wrong signature', ['Sign: keyid=moscow-1 key=stranger']],
    ['a revoked key', ['Sign: keyid=moscow-revoked']],
    ['a key of another front', ['Sign: keyid=kazan-1']],
  ])('is watched is not even opened for %s', async (_, signature) => {
    const open = vi.fn(() => Promise.resolve({ match: fails, put: fails }));
    vi.stubGlobal('caches', { open });
    expect((await worker.fetch(await requestOf(signature), environment())).status).toBeGreaterThanOrEqual(401);
    expect(open).not.toHaveBeenCalled();
    expect((await worker.fetch(await requestOf(SIGNED), environment())).status).toBe(200);
    expect(open).toHaveBeenCalled();
  });
});
