// The worker's bundle in a third runtime with a fetch handler: Node itself. For what workerd's disk
// cannot do: an origin that fails, an origin by URL, and what Cloudflare adds to a request.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleEdge } from '../../src/edge/targets/bundle.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { makeWorld, pointerText, type World } from '../support/edge/world.ts';
import { workerFiles } from '../support/edge/target-files.ts';

/** What the workers write into their log, which here is that of the test. */
const log = vi.spyOn(console, 'error');
beforeEach(() => {
  log.mockReset().mockReturnValue();
});
afterAll(() => log.mockRestore());

interface Worker {
  fetch(request: Request, environment?: { readonly [name: string]: unknown } | null): Promise<Response>;
}

let world: World;
let bundle: string;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  bundle = await bundleEdge('worker');
});

/** The deployed module, as this runtime imports it. */
async function workerAt(origin: string, pointerSeconds = 0): Promise<Worker> {
  const files = workerFiles({
    target: 'worker',
    bundle,
    keyRing: world.keyRing,
    keyRingAt: null,
    profiles: world.profiles,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    origin,
    originEndpoint: null,
    originRegion: null,
    encodings: ['br', 'gzip'],
    pointerSeconds,
  });
  const path = join(temporaryFolder(), 'worker.mjs');
  writeFileSync(path, files.find(([name]) => name === 'worker.js')?.[1] ?? '');
  const loaded: { readonly default: Worker } = await import(pathToFileURL(path).href);
  // The namespace of the key ring is bound, whatever else is; a tree by URL has its own.
  const KEYRING = { get: async () => keyRingText(world.keyRing) };
  return { fetch: (request, environment) => loaded.default.fetch(request, environment && { KEYRING, ...environment }) };
}

async function signedRequest(more: readonly string[] = [], method = 'GET', front = 'moscow'): Promise<Request> {
  const written = [
    `${method} /products/ HTTP/1.1`,
    'Host: edge.test',
    `X-Front: ${front}`,
    ...more,
    `Sign: keyid=${front}-1`,
  ];
  const lines = await prepareLines(written, Math.floor(Date.now() / 1000), world);
  const headers = lines
    .slice(1)
    .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return new Request('http://edge.test/products/', { method, headers: headers.filter(([name]) => name !== 'Host') });
}

/** A binding that serves the world's public folder, or whatever a test wants for some paths. */
function treeBinding(instead: (path: string) => Response | undefined = () => undefined): {
  fetch: (url: string) => Promise<Response>;
} {
  return {
    fetch: async (url) => {
      const { pathname } = new URL(url);
      const special = instead(pathname);
      if (special !== undefined) return special;
      const bytes = await readFile(join(world.root, 'public', pathname)).catch(() => null);
      return bytes === null ? new Response('', { status: 404 }) : new Response(new Uint8Array(bytes));
    },
  };
}

const isEdition = (path: string): boolean => path.includes('/products.');
const isSibling = (path: string): boolean => /\.(gz|br)$/.test(path);

/**
 * What S3 and GCS answer for a missing object to a client that may read objects but not list them.
 */
const denied = (): Response => new Response('<Error><Code>AccessDenied</Code></Error>', { status: 403 });

/** A private bucket: the world's tree, where whatever is missing is denied. */
function privateBucket(isMissing: (path: string) => boolean = () => false): ReturnType<typeof treeBinding> {
  const { fetch } = treeBinding((path) => (isMissing(path) ? denied() : undefined));
  return {
    fetch: async (url) => {
      const response = await fetch(url);
      return response.status === 404 ? denied() : response;
    },
  };
}

function productsOf(front: string, index: number): Buffer {
  return world.fronts.get(front)?.products[index]?.content ?? Buffer.alloc(0);
}

async function contentOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe('an origin by binding', () => {
  test('is where the tree comes from', async () => {
    const worker = await workerAt('TREE');
    const response = await worker.fetch(await signedRequest(), { TREE: treeBinding() });
    expect(response.status).toBe(200);
    expect((await contentOf(response)).equals(productsOf('moscow', 1))).toBe(true);
  });

  test.each<[string, (path: string) => Response | undefined]>([
    [
      'an error for an edition',
      (path) => (isEdition(path) ? new Response('<h1>500</h1>', { status: 500 }) : undefined),
    ],
    [
      'a page of its own for an edition',
      (path) => (isEdition(path) ? new Response('login', { status: 302 }) : undefined),
    ],
    [
      'a page and 200 for an edition',
      (path) => (isEdition(path) ? new Response('login', { headers: { 'Content-Type': 'text/html' } }) : undefined),
    ],
    ['an error for a pointer', (path) => (isEdition(path) ? undefined : new Response('busy', { status: 503 }))],
    ['something else for a pointer', (path) => (isEdition(path) ? undefined : new Response('<html></html>\n'))],
    ['nothing for an edition', (path) => (isEdition(path) ? new Response('', { status: 404 }) : undefined)],
  ])('that answers with %s makes it a 503', async (_, instead) => {
    const worker = await workerAt('TREE');
    const response = await worker.fetch(await signedRequest(), { TREE: treeBinding(instead) });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'internal' });
    expect(log.mock.calls).toEqual([
      [expect.stringMatching(/^playbill: the tree cannot be read: fronts\/moscow\/\w+\.(\w+\.)?json: ./)],
    ]);
  });

  test('that does not answer at all makes it a 503', async () => {
    const worker = await workerAt('TREE');
    const TREE = { fetch: () => Promise.reject(new Error('connection refused by 10.0.0.7')) };
    const response = await worker.fetch(await signedRequest(), { TREE });
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('10.0.0.7');
    const why = 'fronts/moscow/pointer.json: connection refused by 10.0.0.7';
    expect(log.mock.calls).toEqual([[`playbill: the tree cannot be read: ${why}`]]);
  });
});

describe('a private origin, which answers 403 for a missing file', () => {
  test('serves the plain file to a client that accepts a sibling that is missing', async () => {
    const worker = await workerAt('TREE');
    const response = await worker.fetch(await signedRequest(['Accept-Encoding: gzip, br'], 'GET', 'kazan'), {
      TREE: privateBucket(),
    });
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([200, null]);
    expect((await contentOf(response)).equals(productsOf('kazan', 0))).toBe(true);
  });

  test('has nothing published for a front without a pointer: 404', async () => {
    const worker = await workerAt('TREE');
    const response = await worker.fetch(await signedRequest([], 'GET', 'unpublished'), { TREE: privateBucket() });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not-found' });
  });

  test('is asked for the pointer once more when the edition in the kept one has vanished', async () => {
    const worker = await workerAt('TREE', 10);
    const moscow = world.fronts.get('moscow');
    const [first, second] = moscow?.products ?? [];
    if (moscow === undefined || first === undefined || second === undefined) throw new Error('no such front');
    expect((await worker.fetch(await signedRequest(), { TREE: privateBucket() })).status).toBe(200);

    // A build has published another release since, and pruned what the kept pointer names.
    const isPruned = (path: string): boolean => path.includes(second.digest);
    const bucket = privateBucket(isPruned);
    const pointers: string[] = [];
    const TREE = {
      fetch: async (url: string) => {
        if (!url.endsWith('/pointer.json')) return bucket.fetch(url);
        pointers.push(url);
        return new Response(pointerText('moscow', world.now, { ...moscow, products: [first] }));
      },
    };
    const response = await worker.fetch(await signedRequest(), { TREE });
    expect(response.status).toBe(200);
    expect((await contentOf(response)).equals(first.content)).toBe(true);
    expect(pointers).toHaveLength(1);
  });

  test('whose edition stays missing makes it a 503', async () => {
    const worker = await workerAt('TREE');
    const response = await worker.fetch(await signedRequest(), { TREE: privateBucket(isEdition) });
    expect(response.status).toBe(503);
  });
});

describe('instead of a sibling that cannot be fetched the plain file is served:', () => {
  test.each<[string, () => Response | Promise<Response>]>([
    ['an error of the server', () => new Response('<h1>500</h1>', { status: 500 })],
    ['too many requests', () => new Response('slow down', { status: 503 })],
    ['a page of its own', () => new Response('login', { status: 302 })],
    ['a connection that breaks', () => Promise.reject(new Error('connection reset'))],
  ])('%s', async (_, failing) => {
    const worker = await workerAt('TREE');
    const tree = treeBinding();
    const TREE = { fetch: async (url: string) => (isSibling(url) ? failing() : tree.fetch(url)) };
    const response = await worker.fetch(await signedRequest(['Accept-Encoding: gzip, br']), { TREE });
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([200, null]);
    expect((await contentOf(response)).equals(productsOf('moscow', 1))).toBe(true);
  });

  test('one that fails does not hide the next', async () => {
    const worker = await workerAt('TREE');
    const TREE = treeBinding((path) => (path.endsWith('.br') ? new Response('', { status: 500 }) : undefined));
    const response = await worker.fetch(await signedRequest(['Accept-Encoding: gzip, br']), { TREE });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(gunzipSync(await contentOf(response)).equals(productsOf('moscow', 1))).toBe(true);
  });
});

test('a kept pointer is not used for longer because the clock is set back', async () => {
  const worker = await workerAt('TREE', 5);
  const asked: string[] = [];
  const tree = treeBinding();
  const TREE = {
    fetch: async (url: string) => {
      if (url.endsWith('/pointer.json')) asked.push(url);
      return tree.fetch(url);
    },
  };
  const request = await signedRequest();
  const start = Date.now();
  const clock = vi.spyOn(Date, 'now');
  try {
    for (const seconds of [0, 4, 5, -30, -26, -25]) {
      clock.mockReturnValue(start + seconds * 1000);
      expect((await worker.fetch(request, { TREE })).status).toBe(200);
    }
  } finally {
    clock.mockRestore();
  }
  expect(asked).toHaveLength(4);
});

test('an origin that hangs is given up after a minute, with a 503 and a line in the log', async () => {
  const worker = await workerAt('TREE');
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('too late')));
  const TREE = {
    fetch: (_: string, { signal }: RequestInit) => Promise.reject(signal?.reason ?? new Error('it would hang')),
  };
  try {
    expect((await worker.fetch(await signedRequest(), { TREE })).status).toBe(503);
    expect(timeout.mock.calls).toEqual([[60_000]]);
  } finally {
    timeout.mockRestore();
  }
  expect(log.mock.calls).toEqual([['playbill: the tree cannot be read: fronts/moscow/pointer.json: too late']]);
});

describe('an origin by URL', () => {
  test.each([undefined, null])('needs no environment: %s', async (environment) => {
    const worker = await workerAt('http://127.0.0.1:9/public');
    const unsigned = await worker.fetch(new Request('http://edge.test/products/'), environment);
    expect(unsigned.status).toBe(400);
    // Nobody listens there.
    expect((await worker.fetch(await signedRequest(), environment)).status).toBe(503);
  });

  test('is fetched over HTTP', async () => {
    const asked: string[] = [];
    const origin = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      readFile(join(world.root, (request.url ?? '').replace(/^\/tree/, ''))).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const address = origin.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const worker = await workerAt(`http://127.0.0.1:${port}/tree/public`);
    expect((await worker.fetch(await signedRequest(), {})).status).toBe(200);
    expect((await worker.fetch(await signedRequest([], 'HEAD'), {})).status).toBe(200);
    expect((await worker.fetch(new Request('http://edge.test/products/'), {})).status).toBe(400);
    const edition = `/tree/public/fronts/moscow/products.${world.fronts.get('moscow')?.products[1]?.digest}.json`;
    const pointer = 'GET /tree/public/fronts/moscow/pointer.json';
    expect(asked).toEqual(['GET /tree/edge/keyring.json', pointer, `GET ${edition}`, pointer, `GET ${edition}`]);
    origin.closeAllConnections();
    origin.close();
  });
});

describe('what Cloudflare adds', () => {
  test('the Accept-Encoding that the client sent counts, and not the rewritten one', async () => {
    const worker = await workerAt('TREE');
    const ask = async (clientAcceptEncoding: string): Promise<string | null> => {
      const request = Object.assign(await signedRequest(['Accept-Encoding: gzip, br']), {
        cf: { clientAcceptEncoding },
      });
      return (await worker.fetch(request, { TREE: treeBinding() })).headers.get('Content-Encoding');
    };
    expect(await ask('gzip')).toBe('gzip');
    expect(await ask('identity')).toBeNull();
    expect(await ask('br')).toBe('br');
  });

  test('a binding that is not text is not a secret', async () => {
    const worker = await workerAt('TREE');
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', 'Sign: keyid=moscow-hmac'];
    const lines = await prepareLines(written, Math.floor(Date.now() / 1000), world);
    const headers = Object.fromEntries(
      lines.slice(2).map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const ask = (MOSCOW_SECRET: unknown): Promise<Response> =>
      worker.fetch(new Request('http://edge.test/products/', { headers }), { TREE: treeBinding(), MOSCOW_SECRET });
    expect((await ask(world.secrets['MOSCOW_SECRET'])).status).toBe(200);
    expect((await ask({ toString: () => world.secrets['MOSCOW_SECRET'] })).status).toBe(401);
  });
});

test('an answer to HEAD has the content of GET, which the host leaves out: so it knows the length', async () => {
  const worker = await workerAt('TREE');
  const response = await worker.fetch(await signedRequest([], 'HEAD'), { TREE: treeBinding() });
  expect(response.status).toBe(200);
  expect((await contentOf(response)).equals(productsOf('moscow', 1))).toBe(true);
});
