// An origin that lies once in each way, then is healthy, under every edge that reads its tree over
// HTTP or S3: nobody serves the lie under the edition's ETag, and nothing keeps it. Each lie is
// about a front of its own, which nobody has asked for before.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEPT_HOURS } from '../../src/edge/targets/lambda-edge/deploy.ts';
import { enterEnvironment, leaveEnvironmentAtEnd } from '../support/cli/bucket.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { type Lie, LIES } from '../support/edge/lies.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { originIn, PREFIX, putTree, startFolderBucket, startPrivateBucket } from '../support/edge/private-bucket.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { serveBucket } from '../support/edge/runtimes/bucket.ts';
import { type LambdaEdgeRuntime, startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { editionContent, makeWorld, type World } from '../support/edge/world.ts';
import { type MemoryStore, startMemoryStore } from '../support/objects/memory-store.ts';
import { errorAnswer, S3Error, type StoreAnswer } from '../support/objects/messages.ts';

leaveEnvironmentAtEnd();

const frontOf = (lie: Lie): string => `lie-${LIES.indexOf(lie)}`;

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000), ['rfc9421'], LIES.map(frontOf));
});

/** The lie that is to be told next. */
let next: Lie | null = null;

/** Whether nobody may read the public folder any more. */
let isDenied = false;

/**
 * What comes for a path, such as `…/public/fronts/lie-1/pointer.json`: the lie, if it is about
 * that, or the honest answer.
 */
function answerFor(path: string, url: string, honest: StoreAnswer): StoreAnswer {
  if (isDenied && path.includes('public/')) return errorAnswer(new S3Error('AccessDenied', 'Access Denied'));
  if (next === null || !path.includes(`/${frontOf(next)}/`) || !isAbout(next, path)) return honest;
  const [lie] = [next];
  next = null;
  const inFolder = /public\/.*/.exec(path)?.[0] ?? '';
  return lie.told(honest, readFileSync(join(world.root, otherPath(inFolder))), otherPath(url));
}

const isAbout = (lie: Lie, path: string): boolean =>
  lie.about === 'pointer.json' ? path.endsWith(lie.about) : /products\.\w+(\.json.*)/.exec(path)?.[1] === lie.about;

/** That of the front moscow, which has one of each kind of file. */
function otherPath(path: string): string {
  const { digest } = world.fronts.get('moscow')?.products[1] ?? {};
  return path.replace(/\/lie-\d+\//, '/moscow/').replace(/products\.\w+/, `products.${digest}`);
}

/** An origin by URL: the world's folder, key ring and all. */
async function startUrl(): Promise<Origin> {
  const server = createServer((request, response) => sendFile(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Origin {
  readonly url: string;
  close(): Promise<void>;
}

function sendFile({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const file = join(world.root, url);
  const honest = existsSync(file)
    ? { status: 200, headers: { 'content-type': 'application/json' }, body: readFileSync(file) }
    : { status: 404, headers: {}, body: Buffer.alloc(0) };
  const { status, headers: told, body } = answerFor(url, `http://${headers.host}${url}`, honest);
  const length = 'transfer-encoding' in told || status === 204 ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...length, ...told }).end(body);
}

/**
 * Makes a bucket tell the lies. CloudFront's function asks for an edition by HEAD first, and gets
 * an honest answer to that.
 */
function lyingBucket<Store extends MemoryStore>(store: Store): Store {
  const { faults } = store;
  store.faults = (request) => {
    const url = `${store.endpoint}/${store.bucket}/${encodeURI(request.key)}`;
    const told = (honest: StoreAnswer): StoreAnswer => answerFor(request.key, url, honest);
    return faults?.(request) ?? (request.method === 'GET' ? { kind: 'lie', told } : null);
  };
  return store;
}

interface Target {
  readonly name: string;
  readonly start: () => Promise<Runtime>;
}

const overUrl = (name: string, start: (url: string) => Promise<Runtime>): Target => ({
  name: `${name}, over a URL`,
  start: async () => {
    const origin = await startUrl();
    return stoppedWith(await start(origin.url), origin);
  },
});

const overBucket = (
  name: string,
  start: (store: MemoryStore) => Promise<Runtime>,
  bucketOf = (): Promise<MemoryStore> => startPrivateBucket(world),
): Target => ({
  name: `${name}, over a bucket`,
  start: async () => {
    const store = lyingBucket(await bucketOf());
    return stoppedWith(await start(store), store);
  },
});

const stoppedWith = (runtime: Runtime, origin: { close(): Promise<void> }): Runtime => ({
  ...runtime,
  stop: async () => {
    await runtime.stop();
    await origin.close();
  },
});

const at = (url: string) => ({ origin: `${url}/public`, originEndpoint: null, originRegion: null });

const TARGETS: readonly Target[] = [
  overUrl('workerd', (url) => startWorkerd(world, 5, at(url))),
  overUrl('Cloudflare', (url) => startMiniflare(world, 5, { origin: at(url) })),
  ...(['deno', 'bun', 'netlify', 'vercel'] as const).map((host) =>
    overUrl(host, (url) => startWorkerHost(host, world, at(url))),
  ),
  overBucket('workerd', (store) => startWorkerd(world, 5, originIn(store), store.environment)),
  overBucket('Cloudflare', (store) =>
    startMiniflare(world, 5, { origin: originIn(store), environment: store.environment }),
  ),
  ...(['deno', 'bun', 'netlify', 'vercel'] as const).map((host) =>
    overBucket(host, (store) => startWorkerHost(host, world, originIn(store), { environment: store.environment })),
  ),
  overBucket('a service behind HAProxy', (store) =>
    startAuthorizer('haproxy', world, { origin: originIn(store), credentials: store.environment }),
  ),
  overBucket('playbill serve', startServer, startListedBucket),
];

/** At a prefix without blanks, to somebody who may list. */
async function startListedBucket(): Promise<MemoryStore> {
  const store = await startMemoryStore();
  await putTree(world, (key, bytes, headers) => store.put(key.replace(PREFIX, 'shows'), bytes, headers));
  return store;
}

async function startServer(store: MemoryStore): Promise<Runtime> {
  enterEnvironment(store.environment);
  return serveBucket(`s3://${store.bucket}/shows`, world, () => Date.now() / 1000);
}

const CODING = { '.json': 'identity', 'pointer.json': 'identity', '.json.gz': 'gzip', '.json.br': 'br' } as const;

async function signedLines(runtime: Runtime, lie: Lie): Promise<readonly string[]> {
  const front = frontOf(lie);
  const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', `X-Front: ${front}`];
  const lines = [...written, `Accept-Encoding: ${CODING[lie.about]}`, `Sign: keyid=${front}-1`];
  return prepareLines(lines, runtime.now(), world);
}

const ask = async (runtime: Runtime, lie: Lie): Promise<RawResponse> => runtime.send(await signedLines(runtime, lie));

/** A failure that nobody may keep, and that bears no ETag; or the edition. */
function expectTruth(answer: RawResponse, lie: Lie): void {
  if (answer.status === 200) return expectEdition(answer, lie);
  expect([answer.status, headerValues(answer, 'ETag'), headerValues(answer, 'Cache-Control')]).toEqual([
    503,
    [],
    ['no-store'],
  ]);
  expect(String(answer.content)).toContain('"code":"internal"');
}

function expectEdition(answer: Pick<RawResponse, 'status' | 'headers' | 'content'>, lie: Lie): void {
  expect(answer.status).toBe(200);
  const [coding] = headerValues(answer, 'Content-Encoding');
  const decode = coding === 'gzip' ? gunzipSync : coding === 'br' ? brotliDecompressSync : (bytes: Buffer) => bytes;
  expect(String(decode(answer.content))).toBe(String(editionContent(world, `${frontOf(lie)} products 1`)));
}

describe.each(TARGETS)('$name', ({ name, start }) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await start();
  });
  afterAll(() => runtime.stop());

  // Vercel compresses by itself.
  test.each(LIES.filter(({ about }) => !name.startsWith('vercel') || about.endsWith('.json')))(
    '$name, for $about',
    async (lie) => {
      next = lie;
      expectTruth(await ask(runtime, lie), lie);
      expect(next).toBe(null);
      expectEdition(await ask(runtime, lie), lie);
    },
  );
});

// Nothing there can look at the bytes of an edition: status and headers are all that is judged, and
// what is kept is not kept for long.
describe('CloudFront, over a bucket', () => {
  let runtime: LambdaEdgeRuntime;
  beforeAll(async () => {
    runtime = await startLambdaEdge(world, { store: lyingBucket(await startFolderBucket(world)) });
  });
  afterAll(() => runtime.stop());

  const isSeen = ({ about, isHidden }: Lie): boolean => about === 'pointer.json' || !isHidden;

  test.each(LIES.filter(isSeen))('$name, for $about', async (lie) => {
    next = lie;
    expectTruth(await ask(runtime, lie), lie);
    expect(next).toBe(null);
    expectEdition(await ask(runtime, lie), lie);
  });

  test.each(LIES.filter((lie) => !isSeen(lie)))('$name, for $about, is over after some hours', async (lie) => {
    next = lie;
    await ask(runtime, lie);
    expect(next).toBe(null);
    const lines = (await signedLines(runtime, lie)).slice(1).map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const later = Date.now() / 1000 + KEPT_HOURS * 3600;
    expectEdition(await runtime.cloudFront.answer('GET', '/products/', lines, later), lie);
  });
});

// Each reads the pointer again for each request. The last, which needs the right to list, takes
// every 403 for a failure.
describe.each<Target & { readonly unpublished: number }>([
  {
    ...overUrl('workerd', (url) => startWorkerd(world, 0, at(url))),
    unpublished: 404,
  },
  {
    ...overBucket('workerd', (store) => startWorkerd(world, 0, originIn(store), store.environment)),
    unpublished: 404,
  },
  {
    name: 'CloudFront, over a bucket',
    start: async () =>
      startLambdaEdge(world, { pointerSeconds: 0, store: lyingBucket(await startFolderBucket(world)) }),
    unpublished: 404,
  },
  { ...overBucket('playbill serve', startServer, startListedBucket), unpublished: 503 },
])('$name, which may no longer read what it has read', ({ start, unpublished }) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await start();
  });
  afterAll(async () => {
    isDenied = false;
    await runtime.stop();
  });

  test('is a failure, and not a front that was withdrawn', async () => {
    const [lie] = LIES;
    if (lie === undefined) throw new Error('no lies');
    expectEdition(await ask(runtime, lie), lie);
    isDenied = true;
    for (let time = 0; time < 2; time++) {
      const denied = await ask(runtime, lie);
      expect([denied.status, headerValues(denied, 'ETag')]).toEqual([503, []]);
    }
    isDenied = false;
    expectEdition(await ask(runtime, lie), lie);
  });

  test('is otherwise how a store says that a file is missing, to somebody who may not list', async () => {
    isDenied = true;
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: unpublished', 'Sign: keyid=unpublished-1'];
    expect((await runtime.send(await prepareLines(written, runtime.now(), world))).status).toBe(unpublished);
  });
});
