// The client against the real local server; the test sets the server's clock and the client's.

import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { EventEmitter, getEventListeners, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  CatalogueError,
  CatalogueTimeoutError,
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
  keyFrom,
} from '../../src/client/client.ts';
import { type ClientKey, curlCommand, signRequest } from '../../src/client/signature.ts';
import { generateKeyPair, publicKeyFrom } from '../../src/edge/web-crypto/key-pair.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { type ProxyAnswer, startProxy, withField } from '../support/edge/spoiling-proxy.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

const START = 1_800_000_000;

let world: World;
let server: Runtime & { readonly port: number };
let clock: number;
/** The requests sent: the signature, what was revalidated, and the status. */
let sent: { readonly signature: string; readonly ifNoneMatch: string | null; readonly status: number }[];

beforeEach(async () => {
  clock = START;
  sent = [];
  world = await makeWorld(START);
  server = await startNodeServer(world, { clock: () => clock });
});
afterEach(() => server.stop());

const recordingFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const response = await fetch(input, init);
  sent.push({
    signature: headers.get('Signature') ?? '',
    ifNoneMatch: headers.get('If-None-Match'),
    status: response.status,
  });
  return withDate(response, clock);
};

/** The response with another `Date`, in seconds; Node's own server has the machine's clock. */
function withDate(response: Response, seconds: number | null): Response {
  const headers = new Headers(response.headers);
  if (seconds === null) headers.delete('Date');
  else headers.set('Date', new Date(seconds * 1000).toUTCString());
  return new Response(response.status === 304 ? null : response.body, { status: response.status, headers });
}

function keyOf(keyid: string): ClientKey {
  const key = world.signingKeys.get(keyid);
  if (key === undefined) throw new Error(`no key ${keyid}`);
  return typeof key === 'string' ? { keyid, secret: key } : { keyid, privateKey: key };
}

function clientWith(options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: `http://127.0.0.1:${server.port}`,
    front: 'moscow',
    key: keyOf('moscow-1'),
    fetch: recordingFetch,
    clock: () => clock * 1000,
    ...options,
  });
}

function documentOf(endpoint: 'products' | 'categories', index: number): unknown {
  return JSON.parse(world.fronts.get('moscow')?.[endpoint][index]?.content.toString() ?? '');
}

async function failureOf(asking: Promise<unknown>): Promise<CatalogueError> {
  const error: unknown = await asking.catch((caught: unknown) => caught);
  if (!(error instanceof CatalogueError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

describe('documents', () => {
  test.each(['moscow-1', 'moscow-hmac', 'moscow-ed25519'])('both, signed with %s', async (keyid) => {
    const client = clientWith({ key: keyOf(keyid) });
    expect(await client.products()).toEqual(documentOf('products', 1));
    expect(await client.categories()).toEqual(documentOf('categories', 0));
  });

  test('are kept for max-age, then revalidated, then replaced', async () => {
    const client = clientWith();
    const first = await client.products();
    clock += 59;
    expect(await client.products()).toBe(first);
    expect(sent).toHaveLength(1);
    clock += 1;
    expect(await client.products()).toBe(first);
    expect(sent.map(({ status }) => status)).toEqual([200, 304]);
    expect(sent[1]?.ifNoneMatch).toBe(`W/"${world.fronts.get('moscow')?.products[1]?.digest}"`);
    clock += 2 * 3600;
    // The keys of this world are valid for an hour on each side; the client's own clock went along.
    const refused = await failureOf(client.products());
    expect(refused.code).toBe('signature-invalid');
  });

  test('change with the edition', async () => {
    const client = clientWith({ key: keyOf('moscow-hmac') });
    expect(await client.products()).toEqual(documentOf('products', 1));
    clock += 2 * 3600;
    expect(await client.products()).toEqual(documentOf('products', 2));
  });

  test('are requested once for many calls at the same time', async () => {
    const client = clientWith();
    await Promise.all([client.products(), client.products(), client.products()]);
    expect(sent).toHaveLength(1);
  });
});

describe('answers', () => {
  test('say as of when they are, and whether they are stale', async () => {
    const moscow = world.fronts.get('moscow');
    const fresh = await clientWith().productsAnswer();
    expect(fresh).toEqual({
      document: documentOf('products', 1),
      asOf: moscow?.asOf,
      validUntil: moscow?.validUntil,
      isStale: false,
      failure: null,
    });
    const stale = await clientWith({ front: 'stale', key: keyOf('stale-1') }).categoriesAnswer();
    expect(stale).toMatchObject({ validUntil: world.fronts.get('stale')?.validUntil, isStale: true });
  });

  test('become stale by a 304 as well', async () => {
    const client = clientWith({ key: keyOf('moscow-hmac') });
    clock += 5 * 3600;
    const [before] = [await client.productsAnswer()];
    clock += 2 * 3600;
    const after = await client.productsAnswer();
    expect(sent.map(({ status }) => status)).toEqual([200, 304]);
    expect([before.isStale, after.isStale]).toEqual([false, true]);
    expect(after.document).toBe(before.document);
  });

  test.each(['xx', 'tomorrow', '2026-05-01', '2026-13-01T00:00:00Z'])(
    'have null for %s as an instant',
    async (text) => {
      const headers = { 'Catalogue-As-Of': text, 'Catalogue-Valid-Until': text };
      const proxy = async () => new Response('{"productCards":[]}', { headers });
      expect(await clientWith({ fetch: proxy }).productsAnswer()).toMatchObject({ asOf: null, validUntil: null });
    },
  );

  test('are stale where the edge says so, whatever the clock here', async () => {
    const headers = { 'Catalogue-Valid-Until': '2000-01-01T00:00:00Z' };
    const proxy = async () => new Response('{"productCards":[]}', { headers });
    expect((await clientWith({ fetch: proxy }).productsAnswer()).isStale).toBe(false);
  });

  test.each(['{"x":1}', '{"productCards":{}}', '[]', 'null', '1', '"text"'])(
    'of other JSON are refused as products: %s',
    async (text) => {
      const client = clientWith({ fetch: async () => new Response(text) });
      expect(await failureOf(client.products())).toMatchObject({
        status: 200,
        code: null,
        message: expect.stringContaining(
          '/products/: expected a JSON object with the array productCards, found another value',
        ),
      });
    },
  );

  test.each(['{"categories":[]}', 'null', '1'])('of other JSON are refused as categories: %s', async (text) => {
    const client = clientWith({ fetch: async () => new Response(text) });
    expect((await failureOf(client.categories())).message).toContain(
      '/categories/: expected a JSON array, found another value',
    );
  });

  test('have null for headers that a proxy removed', async () => {
    const proxy = async () => new Response('{"productCards":[]}');
    expect(await clientWith({ fetch: proxy }).productsAnswer()).toEqual({
      document: { productCards: [] },
      asOf: null,
      validUntil: null,
      isStale: false,
      failure: null,
    });
  });
});

test.each([
  'ftp://cdn.example',
  'cdn.example',
  'localhost:8080',
  '',
  'https://cdn.example/?v=1',
  'https://cdn.example/#a',
  'https://cdn.example?',
  'https://shop:between-us@cdn.example',
  new URL('https://cdn.example'),
])('a base URL is refused by its name, and not shown: %s', (baseUrl) => {
  expect(() => clientWith({ baseUrl: baseUrl as string })).toThrow(
    /^baseUrl: expected a string, http\(s\):\/\/host, [^:]*$/,
  );
});

test.each([undefined, null, 7, '', 'москва', 'Moscow', ' moscow', 'a..b', 'a, b', 'x'.repeat(64)])(
  'a front is refused by its name: %s',
  (front) => {
    const from = () => clientWith({ front: front as string });
    expect(from).toThrow(TypeError);
    expect(from).toThrow(/^front: expected a code, .*, as in the key file; found /);
  },
);

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'between us'],
  ['a keyid alone', { keyid: 'k' }],
  ['no keyid', { secret: 'between us' }],
  ['an empty secret', { keyid: 'k', secret: '' }],
  ['a private key as PEM', { keyid: 'k', privateKey: '-----BEGIN between us' }],
])('a key is refused by its name, and not shown: %s', (_, key) => {
  const from = () => clientWith({ key: key as ClientKey });
  expect(from).toThrow(TypeError);
  expect(from).toThrow(/^key: expected a keyid with a secret or a private key, as keyFrom gives it; found something/);
  expect(from).not.toThrow(/between us/);
});

test.each(['', '/', '//', '/api', '/api/'])('a base URL may end with a slash: http://host%s', async (end) => {
  const asked: string[] = [];
  const baseUrl = `https://cdn.example${end}`;
  const client = clientWith({ baseUrl, fetch: async (url) => (asked.push(url), new Response('{"productCards":[]}')) });
  await client.products();
  expect(asked).toEqual([`https://cdn.example${end.startsWith('/api') ? '/api' : ''}/products/`]);
});

describe('keyFrom', () => {
  const issued = { front: 'moscow', keyid: 'k', alg: 'x', privatePem: null };
  const jwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' };

  test('reads the output of keys issue, and gets a secret by its name', () => {
    const okp = { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd' };
    for (const privateKey of [jwk, okp]) {
      expect(keyFrom(JSON.stringify({ ...issued, privateKey, secretRef: null }))).toEqual({
        front: 'moscow',
        key: { keyid: 'k', privateKey },
      });
    }
    const text = JSON.stringify({ ...issued, privateKey: null, secretRef: 'NAME' });
    expect(keyFrom(text, (name) => `secret of ${name}`).key).toEqual({ keyid: 'k', secret: 'secret of NAME' });
    expect(() => keyFrom(text)).toThrow('expected the secret NAME of key k, found none');
    expect(() => keyFrom(text, () => '')).toThrow('expected the secret NAME of key k, found none');
  });

  test.each([
    ['no JSON', '{"d": x', 'key file: expected the JSON that keys issue writes, found no JSON'],
    ['another JSON', '[]', 'found no text under "front"'],
    ['a number', '1', 'found no text under "front"'],
    ['no key', JSON.stringify({ ...issued, privateKey: {}, secretRef: null }), 'found no text under "kty"'],
    ['half a key', JSON.stringify({ ...issued, privateKey: { ...jwk, y: 1 } }), 'found no text under "y"'],
  ])('refuses %s', (_, text, message) => {
    expect(() => keyFrom(text)).toThrow(message);
  });
});

describe('signatures', () => {
  test('are reused for four minutes', async () => {
    const client = clientWith();
    for (const seconds of [0, 61, 122, 183, 244, 305]) {
      clock = START + seconds;
      await client.products();
    }
    const [first] = sent;
    expect(sent.map(({ signature }) => signature === first?.signature)).toEqual([true, true, true, true, false, false]);
    expect(sent.every(({ status }) => status === 200 || status === 304)).toBe(true);
  });

  test('are made again when the clock is set back', async () => {
    const client = clientWith();
    await client.products();
    clock -= 30;
    const again = clientWith();
    await again.products();
    expect(sent[1]?.signature).not.toBe(sent[0]?.signature);
  });

  test('belong to one path', async () => {
    const client = clientWith();
    await client.products();
    await client.categories();
    expect(sent[0]?.signature).not.toBe(sent[1]?.signature);
  });
});

describe('refusals', () => {
  test.each<[string, Partial<ClientOptions>, number, string]>([
    ['a front of somebody else', { front: 'kazan' }, 403, 'front-not-allowed'],
    ['a clock that is days slow', { clock: () => (START - 2 * 86_400) * 1000 }, 401, 'signature-expired'],
    ['a clock that is days fast', { clock: () => (START + 2 * 86_400) * 1000 }, 401, 'signature-from-future'],
    ['too little signed', { coversAuthority: false }, 401, 'signature-component-missing'],
  ])('%s', async (_, options, status, code) => {
    const error = await failureOf(clientWith(options).products());
    const url = `http://127.0.0.1:${server.port}/products/`;
    expect(error).toMatchObject({ url, status, code });
    expect(error.message).toMatch(new RegExp(`^${url}: refused with ${status} ${code}: .{20,}`));
  });

  test('a base URL that leads nowhere', async () => {
    const error = await failureOf(clientWith({ baseUrl: `http://127.0.0.1:${server.port}/v2` }).products());
    expect(error).toMatchObject({ status: 404, code: 'not-found' });
  });

  test('an answer that is not the rule’s', async () => {
    const proxy: typeof fetch = async () => new Response('<h1>Bad Gateway</h1>', { status: 502 });
    const error = await failureOf(clientWith({ fetch: proxy }).products());
    expect(error).toMatchObject({
      status: 502,
      code: null,
      message: `http://127.0.0.1:${server.port}/products/: the server answered 502, and it was not the edge rule of the catalogue`,
    });
  });

  test('a malformed problem document', async () => {
    const proxy: typeof fetch = async () =>
      new Response('{', { status: 500, headers: { 'Content-Type': 'application/problem+json' } });
    expect(await failureOf(clientWith({ fetch: proxy }).products())).toMatchObject({ status: 500, code: null });
  });

  test('do not stick: the next call asks again', async () => {
    const client = clientWith({ clock: () => (sent.length === 0 ? START - 400 : START) * 1000 });
    await failureOf(client.products());
    expect(await client.products()).toEqual(documentOf('products', 1));
  });
});

describe('a clock that is off', () => {
  const statuses = (): number[] => sent.map(({ status }) => status);
  /** The instant of a signature that was sent. */
  const created = new Set<number>();
  beforeEach(() => created.clear());
  /** Records instants of signatures, and answers with `Date` as `dateOf` has it. */
  const dating =
    (dateOf: () => number | null): typeof fetch =>
    async (input, init) => {
      const signed = new Headers(init?.headers).get('Signature-Input') ?? '';
      created.add(Number(/created=(\d+)/.exec(signed)?.[1]));
      return withDate(await recordingFetch(input, init), dateOf());
    };

  test.each([-7200, -400, 90, 7200])('by %d s is corrected by the Date of a refusal', async (offSeconds) => {
    const client = clientWith({ clock: () => (clock + offSeconds) * 1000 });
    expect(await client.products()).toEqual(documentOf('products', 1));
    expect(statuses()).toEqual([401, 200]);
    // From now on for all requests, and what was kept is kept for as long as ever.
    expect(await client.categories()).toEqual(documentOf('categories', 0));
    await client.products();
    expect(statuses()).toEqual([401, 200, 200]);
    clock += 60;
    await client.products();
    expect(statuses()).toEqual([401, 200, 200, 304]);
  });

  test('is corrected once for requests at the same time', async () => {
    const client = clientWith({ clock: () => (clock - 400) * 1000 });
    const documents = await Promise.all([client.products(), client.categories()]);
    expect(documents).toEqual([documentOf('products', 1), documentOf('categories', 0)]);
    expect(statuses().toSorted((a, b) => a - b)).toEqual([200, 200, 401, 401]);
  });

  test('and is set right later, is believed again', async () => {
    let offSeconds = -400;
    const client = clientWith({ clock: () => (clock + offSeconds) * 1000 });
    await client.products();
    offSeconds = 0;
    clock += 60;
    expect(await client.products()).toEqual(documentOf('products', 1));
    expect(statuses()).toEqual([401, 200, 401, 304]);
  });

  test.each<[string, number | null]>([
    ['no Date', null],
    ['a Date more than a day away', START + 90_000],
  ])('is not corrected by %s', async (_, date) => {
    const client = clientWith({ clock: () => (clock - 400) * 1000, fetch: dating(() => date) });
    expect((await failureOf(client.products())).code).toBe('signature-expired');
    expect(statuses()).toEqual([401]);
  });

  test('is not corrected by the Date of another refusal', async () => {
    const options = { clock: () => (clock - 400) * 1000, coversAuthority: false };
    expect((await failureOf(clientWith(options).products())).code).toBe('signature-component-missing');
    expect(statuses()).toEqual([401]);
  });

  test('follows no second Date, so that a liar gets one signature', async () => {
    const dates = [7200, -7200, 3600, -3600, 1800];
    const lying = dating(() => START + (dates[sent.length - 1] ?? 0));
    const client = clientWith({ clock: () => (clock - 400) * 1000, fetch: lying });
    for (const _ of [1, 2, 3, 4])
      expect((await failureOf(client.products())).code).toMatch(/^signature-(expired|from-future)$/);
    // Refused, and once more by the first Date; refused by it, and back to the own clock, for good.
    expect(statuses()).toEqual([401, 401, 401, 401, 401, 401]);
    expect([...created]).toEqual([START - 400, START + 7200]);
  });
});

/** An answer that comes when the test wants it to. */
function heldAnswer(): { readonly answer: Promise<Response>; readonly release: (response: Response) => void } {
  const events = new EventEmitter();
  return {
    answer: once(events, 'answer').then(([response]) => response as Response),
    release: (response) => events.emit('answer', response),
  };
}

describe('a request that hangs', () => {
  /**
   * A server whose answers, numbered from 1, are whatever `answer` makes of them; gives its URL.
   */
  async function serverThatAnswers(answer: (response: ServerResponse, number: number) => void): Promise<string> {
    let requests = 0;
    const hanging = createServer((_, response) => answer(response, (requests += 1)));
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    onTestFinished(() => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const address = hanging.address();
    return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  }

  /**
   * What is answered in the end: on a busy machine even a server that answers may take longer than
   * a test's short timeout.
   */
  async function untilAnswered(client: Client): Promise<unknown> {
    for (;;) {
      const answer: unknown = await client.products().catch((error: unknown) => error);
      if (!(answer instanceof CatalogueTimeoutError)) return answer;
    }
  }

  test.each<[string, (response: ServerResponse) => void]>([
    ['before it is answered', () => undefined],
    ['in the middle of a document', (response) => response.writeHead(200, { 'Content-Length': 100 }).write('{"n":1')],
    [
      'in the middle of a refusal',
      (response) => response.writeHead(503, { 'Content-Type': 'application/problem+json' }).write('{"code"'),
    ],
  ])('%s is given up, and the next call asks again', async (_, first) => {
    const baseUrl = await serverThatAnswers((response, number) =>
      number === 1 ? first(response) : response.end('{"productCards":[2]}'),
    );
    const client = clientWith({ baseUrl, fetch, timeoutMs: 100 });
    const asked = await Promise.allSettled([client.products(), client.products(), client.products()]);
    for (const one of asked) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'CatalogueTimeoutError',
          url: `${baseUrl}/products/`,
          timeoutMs: 100,
          message: `${baseUrl}/products/: expected an answer within 100 ms: try again, or raise timeoutMs`,
        },
      });
    }
    expect(await untilAnswered(client)).toEqual({ productCards: [2] });
  });

  test('gives what was kept, by its timeout', async () => {
    const held = heldAnswer();
    let isHanging = false;
    const headers = { 'Catalogue-Valid-Until': new Date((START + 3600) * 1000).toISOString() };
    const client = clientWith({
      fetch: () => (isHanging ? held.answer : Promise.resolve(new Response('{"productCards":[1]}', { headers }))),
      timeoutMs: 100,
    });
    expect(await untilAnswered(client)).toEqual({ productCards: [1] });
    isHanging = true;
    expect(await client.productsAnswer()).toMatchObject({
      document: { productCards: [1] },
      failure: { name: 'CatalogueTimeoutError', timeoutMs: 100 },
    });
  });

  test('closes its connection', async () => {
    const closed = new Set<ServerResponse>();
    const baseUrl = await serverThatAnswers((response) => response.on('close', () => closed.add(response)));
    const client = clientWith({ baseUrl, fetch, timeoutMs: 100 });
    // On a busy machine a request may be given up before the server has seen it: then the next one.
    while (closed.size === 0) await expect(client.products()).rejects.toThrow(CatalogueTimeoutError);
  });

  test('is given up where fetch ignores the signal, and its late answer replaces nothing', async () => {
    const held = heldAnswer();
    let asked = 0;
    const deaf: Fetch = () => {
      asked += 1;
      const headers = { 'Cache-Control': 'private, max-age=60' };
      return asked === 1 ? held.answer : Promise.resolve(new Response(`{"productCards":[${asked}]}`, { headers }));
    };
    const client = clientWith({ fetch: deaf, timeoutMs: 100 });
    await expect(client.products()).rejects.toThrow(CatalogueTimeoutError);
    const answer = await untilAnswered(client);
    held.release(new Response('{"productCards":[1]}', { headers: { 'Cache-Control': 'private, max-age=60' } }));
    // Longer than the late answer takes to be read.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(await client.products()).toEqual(answer);
  });

  test('replaces nothing by a late 304 for another edition', async () => {
    const tagOf = (text: string) => `W/"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
    const held = heldAnswer();
    let text = '{"productCards":[1]}';
    let lastTag: string | undefined;
    const deaf: Fetch = (_url, init) => {
      lastTag = init.headers['If-None-Match'];
      const headers = { ETag: tagOf(text), 'Catalogue-Valid-Until': '9999-01-01T00:00:00Z' };
      return text === '' ? held.answer : Promise.resolve(new Response(text, { headers }));
    };
    const client = clientWith({ fetch: deaf, timeoutMs: 100 });
    await untilAnswered(client);
    text = '';
    expect((await client.productsAnswer()).failure).toBeInstanceOf(CatalogueTimeoutError);
    text = '{"productCards":[2]}';
    do clock += 10;
    while ((await client.productsAnswer()).failure !== null);
    held.release(new Response(null, { status: 304, headers: { ETag: tagOf('another') } }));
    // Longer than the late answer takes to be read.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock += 10;
    await client.products();
    expect(lastTag).toBe(tagOf('{"productCards":[2]}'));
  });

  test('has ten seconds by default', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    await clientWith().products();
    expect(timeout.mock.calls).toEqual([[10_000]]);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, 2 ** 31])('cannot have %d ms', (timeoutMs) => {
    expect(() => clientWith({ timeoutMs })).toThrow(
      new TypeError(`timeoutMs: expected whole milliseconds from 1 to 2147483647, found ${timeoutMs}`),
    );
  });
});

/** The answer of something else than the rule, or of the rule. */
const answerOf = (status: number, type: string, text: string, more: Record<string, string> = {}) =>
  new Response(status === 304 ? null : text, { status, headers: { 'Content-Type': type, ...more } });

const refusalOf = (status: number, code: string): Response =>
  answerOf(status, 'application/problem+json', JSON.stringify({ code }));

describe('a request that fails', () => {
  /** What is answered in place of the server; null: the server answers. */
  let instead: (() => Promise<Response>) | null;
  let asked: number;
  beforeEach(() => {
    instead = null;
    asked = 0;
  });
  const failing: typeof fetch = (input, init) => {
    asked += 1;
    return instead === null ? recordingFetch(input, init) : instead();
  };
  const down = () => Promise.reject(new TypeError('fetch failed'));
  const ending = (text: string): string => expect.stringMatching(new RegExp(`${text}$`)) as string;

  test.each<[string, () => Promise<Response>, Partial<Error>]>([
    [
      'nobody answers',
      down,
      { name: 'CatalogueNetworkError', message: ending('/products/: no complete answer: fetch failed') },
    ],
    [
      'not even an error',
      () => Promise.reject('down'),
      { message: ending(': no complete answer: down'), cause: 'down' },
    ],
    [
      'an edge that cannot read its tree',
      async () => refusalOf(503, 'internal'),
      { name: 'CatalogueError', message: expect.stringMatching(/: refused with 503 internal: /) },
    ],
    [
      'an error of a gateway',
      async () => answerOf(502, 'text/html', '<h1>Bad Gateway</h1>'),
      { message: ending(': the server answered 502, and it was not the edge rule of the catalogue') },
    ],
    [
      'a refusal that is not the edge rule’s',
      async () => answerOf(403, 'text/html', '<h1>Checking your browser</h1>'),
      { message: ending(': the server answered 403, and it was not the edge rule of the catalogue') },
    ],
    [
      'a redirect to a page',
      async () => answerOf(302, 'text/html', '', { Location: 'https://login.example/' }),
      { message: ending(': the server answered 302, and it was not the edge rule of the catalogue') },
    ],
    ['a page in place of a document', async () => answerOf(200, 'text/html', '<html>'), { name: 'CatalogueError' }],
  ])('gives what was kept, and says so: %s', async (_, fail, failure) => {
    const client = clientWith({ fetch: failing });
    const first = await client.productsAnswer();
    clock += 60;
    instead = fail;
    const kept = await client.productsAnswer();
    expect(kept).toEqual({ ...first, failure: expect.any(Error) });
    expect(kept.failure).toMatchObject(failure);
    expect(await client.products()).toBe(first.document);
    // Not asked again for ten seconds, then by one call.
    clock += 9;
    expect(await client.productsAnswer()).toBe(kept);
    expect(asked).toBe(2);
    clock += 1;
    const again = await Promise.all([client.productsAnswer(), client.productsAnswer()]);
    expect(again).toEqual([kept, kept]);
    expect(asked).toBe(3);

    clock += 10;
    instead = null;
    expect(await client.productsAnswer()).toEqual(first);
    expect(sent.map(({ status }) => status)).toEqual([200, 304]);
    expect(asked).toBe(4);
  });

  test('gives what was kept until its validUntil, and not a second longer', async () => {
    const client = clientWith({ key: keyOf('moscow-hmac'), fetch: failing });
    clock = START + 6 * 3600 - 65;
    await client.productsAnswer();
    instead = down;
    clock += 60;
    expect((await client.productsAnswer()).failure).not.toBeNull();
    clock += 4;
    expect((await client.productsAnswer()).failure).not.toBeNull();
    expect(asked).toBe(2);
    clock += 1;
    await expect(client.productsAnswer()).rejects.toThrow('fetch failed');
    expect(asked).toBe(3);
  });

  test.each([[{}], [{ 'Catalogue-Valid-Until': 'tomorrow' }]])('gives nothing that came with %j', async (headers) => {
    const client = clientWith({ fetch: failing });
    instead = async () => answerOf(200, 'application/json', '{"productCards":[]}', headers);
    await client.productsAnswer();
    instead = down;
    await expect(client.productsAnswer()).rejects.toThrow('fetch failed');
  });

  test('gives nothing of another endpoint', async () => {
    const client = clientWith({ fetch: failing });
    await client.products();
    instead = down;
    await expect(client.categories()).rejects.toThrow('fetch failed');
  });

  test.each([
    [401, 'signature-invalid'],
    [403, 'front-not-allowed'],
  ])('as it is refused with %d %s, rejects, and nothing is kept', async (status, code) => {
    const client = clientWith({ fetch: failing });
    await client.products();
    clock += 60;
    instead = async () => refusalOf(status, code);
    expect(await failureOf(client.products())).toMatchObject({ status, code });
    instead = down;
    await expect(client.products()).rejects.toThrow('fetch failed');
    // Nor is an ETag sent of what is not there any more.
    instead = null;
    expect(await client.products()).toEqual(documentOf('products', 1));
    expect(sent.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([null, null]);
  });

  test.each([
    // An edge that has lost the right to read its bucket may say so, as well as one whose front was
    // withdrawn.
    [404, 'not-found'],
    [400, 'front-malformed'],
    [405, 'method-not-allowed'],
    [413, 'content-too-large'],
    [429, 'too-many'],
    [500, 'internal'],
  ])('as it is answered with %d %s, gives what was kept until its validUntil', async (status, code) => {
    const client = clientWith({ key: keyOf('moscow-hmac'), fetch: failing });
    const first = await client.productsAnswer();
    instead = async () => refusalOf(status, code);
    for (const seconds of [60, 6 * 3600 - 1]) {
      clock = START + seconds;
      const kept = await client.productsAnswer();
      expect(kept).toEqual({ ...first, failure: expect.any(CatalogueError) });
      expect(kept.failure).toMatchObject({ status, code });
    }
    clock = START + 6 * 3600;
    expect(await failureOf(client.products())).toMatchObject({ status, code });
  });

  test('a refusal after a failure still rejects', async () => {
    const client = clientWith({ fetch: failing });
    await client.products();
    clock += 60;
    instead = down;
    await client.products();
    clock += 3600;
    instead = null;
    // The key of this world ends after an hour.
    expect(await failureOf(client.products())).toMatchObject({ status: 401, code: 'signature-invalid' });
  });

  test('after the caller has given up is nothing to that caller, who gets the reason', async () => {
    const held = heldAnswer();
    const controller = new AbortController();
    const client = clientWith({ fetch: failing });
    await client.products();
    clock += 60;
    instead = () => held.answer;
    const patient = client.productsAnswer();
    const impatient = client.productsAnswer({ signal: controller.signal });
    controller.abort(new Error('the visitor is gone'));
    await expect(impatient).rejects.toThrow('the visitor is gone');
    held.release(refusalOf(503, 'internal'));
    expect((await patient).failure).toMatchObject({ status: 503 });
    await expect(client.productsAnswer({ signal: controller.signal })).rejects.toThrow('the visitor is gone');
  });
});

describe('a caller who gives up', () => {
  test('gets the reason at once, and other callers are not affected', async () => {
    const held = heldAnswer();
    const controller = new AbortController();
    const client = clientWith({ fetch: () => held.answer });
    const patient = client.products();
    const impatient = client.products({ signal: controller.signal });
    controller.abort(new Error('the visitor is gone'));
    await expect(impatient).rejects.toThrow('the visitor is gone');
    held.release(new Response('{"productCards":[1]}'));
    expect(await patient).toEqual({ productCards: [1] });
  });

  test('before the call sends no request', async () => {
    const client = clientWith();
    await expect(client.categoriesAnswer({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(sent).toEqual([]);
  });

  test('leaves no listener on a signal that lives on', async () => {
    const { signal } = new AbortController();
    const client = clientWith();
    await client.products({ signal });
    await client.productsAnswer({ signal });
    await failureOf(clientWith({ front: 'kazan' }).categories({ signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('what is kept', () => {
  test('follows Age and no-store of a cache in between', async () => {
    let answered = 0;
    const cache: typeof fetch = async () => {
      answered += 1;
      const headers: Record<string, string> =
        answered === 1 ? { 'Cache-Control': 'private, max-age=60', Age: '50' } : { 'Cache-Control': 'no-store' };
      return new Response(`{"productCards":[${answered}]}`, { headers });
    };
    const client = clientWith({ fetch: cache });
    const asked: unknown[] = [];
    for (const seconds of [0, 9, 10, 10]) {
      clock = START + seconds;
      asked.push(await client.products());
    }
    expect(asked).toEqual([{ productCards: [1] }, { productCards: [1] }, { productCards: [2] }, { productCards: [3] }]);
  });
});

test('an answer is not kept for longer because the clock is set back', async () => {
  let answered = 0;
  const edge: typeof fetch = async () => {
    answered += 1;
    return new Response(`{"productCards":[${answered}]}`, { headers: { 'Cache-Control': 'private, max-age=60' } });
  };
  const client = clientWith({ fetch: edge });
  clock = START;
  expect(await client.products()).toEqual({ productCards: [1] });
  clock = START - 3600;
  expect(await client.products()).toEqual({ productCards: [2] });
});

describe('an ETag', () => {
  /** What the proxy before the server makes of the next answer; null: nothing. */
  let spoil: ((answer: ProxyAnswer) => ProxyAnswer) | null;
  let client: Client;
  beforeEach(async () => {
    spoil = null;
    const answered = (answer: ProxyAnswer): ProxyAnswer => {
      const spoiled = spoil?.(answer) ?? answer;
      spoil = null;
      return spoiled;
    };
    const proxy = await startProxy(server.port, { answered });
    onTestFinished(() => proxy.close());
    client = clientWith({ baseUrl: proxy.url });
  });
  const inForce = () => world.fronts.get('moscow')?.products[1];
  const moscowTag = () => `W/"${inForce()?.digest}"`;
  const contentInForce = () => inForce()?.content ?? Buffer.alloc(0);
  const withContent = (content: (own: Buffer) => Buffer) => (answer: ProxyAnswer) => {
    const { 'content-length': _, 'content-encoding': __, ...fields } = answer.fields;
    return { ...answer, fields, content: content(contentInForce()) };
  };

  const LIES: readonly (readonly [string, (own: Buffer) => Buffer])[] = [
    ['an error in JSON', () => Buffer.from('{"error":"maintenance"}')],
    ['a page', () => Buffer.from('<html>')],
    ['nothing', () => Buffer.alloc(0)],
    ['half of it', (own) => own.subarray(0, own.length >> 1)],
    ['one damaged byte', (own) => Buffer.concat([own.subarray(0, 40), Buffer.from('~'), own.subarray(41)])],
    ['one byte that is no UTF-8', (own) => Buffer.concat([own.subarray(0, 40), Buffer.from([255]), own.subarray(41)])],
    ['another edition', () => world.fronts.get('moscow')?.products[0]?.content ?? Buffer.alloc(0)],
  ];

  test.each(LIES)('over %s is a failed request, and pins nothing', async (_, lie) => {
    spoil = withContent(lie);
    expect(await failureOf(client.products())).toMatchObject({
      status: 200,
      code: null,
      message: expect.stringMatching(/: expected the document of ETag W\/"[\da-f]{16}", found [\da-f]{16}: .{20,}/),
    });
    expect(await client.products()).toEqual(documentOf('products', 1));
    expect(sent.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([null, null]);
  });

  test.each(LIES)('over %s leaves the last good document', async (_, lie) => {
    const first = await client.productsAnswer();
    for (const seconds of [60, 70]) {
      clock = START + seconds;
      // As by an edge whose edition has just changed: a 200 where a 304 would do.
      spoil = () => withContent(lie)({ status: 200, fields: { etag: moscowTag() }, content: contentInForce() });
      expect(await client.productsAnswer()).toEqual({ ...first, failure: expect.any(CatalogueError) });
    }
    clock = START + 80;
    expect(await client.productsAnswer()).toEqual(first);
    expect(sent.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([null, moscowTag(), moscowTag(), moscowTag()]);
  });

  test.each([
    ['without one', null],
    ['of something in between', '"65f1-27f"'],
    ['of something in between, sixteen digits long', '"0123456789abcdef"'],
  ])('that does not come from the rule says nothing of the document, and is not sent: %s', async (_, etag) => {
    spoil = (answer) => ({ ...answer, fields: withField(answer.fields, 'etag', etag) });
    expect(await client.products()).toEqual(documentOf('products', 1));
    clock += 60;
    expect(await client.products()).toEqual(documentOf('products', 1));
    clock += 60;
    await client.products();
    expect(sent.map(({ ifNoneMatch, status }) => [ifNoneMatch, status])).toEqual([
      [null, 200],
      [null, 200],
      [moscowTag(), 304],
    ]);
  });

  test('of a 304 that names another edition is a failed request, and is not asked by again', async () => {
    const first = await client.productsAnswer();
    clock += 60;
    spoil = (answer) => ({ ...answer, fields: withField(answer.fields, 'etag', 'W/"0123456789abcdef"') });
    const kept = await client.productsAnswer();
    expect(kept).toEqual({ ...first, failure: expect.any(CatalogueError) });
    expect(kept.failure).toMatchObject({ status: 304, code: null });
    clock += 10;
    expect(await client.productsAnswer()).toEqual({ ...first, document: expect.anything() });
    expect(sent.map(({ ifNoneMatch, status }) => [ifNoneMatch, status])).toEqual([
      [null, 200],
      [moscowTag(), 304],
      [null, 200],
    ]);
  });

  test('was not sent: a 304 all the same is no document', async () => {
    spoil = (answer) => ({ ...answer, fields: withField(answer.fields, 'etag', null) });
    const first = await client.productsAnswer();
    clock += 60;
    spoil = () => ({ status: 304, fields: {}, content: Buffer.alloc(0) });
    expect(await client.productsAnswer()).toEqual({ ...first, failure: expect.any(CatalogueError) });
  });
});

describe('signRequest', () => {
  test('makes a curl command that works when pasted into a shell', async () => {
    const url = `http://127.0.0.1:${server.port}/products/?note=it's`;
    const headers = await signRequest({ method: 'GET', url, front: 'moscow', key: keyOf('moscow-1'), created: START });
    const script = join(world.root, 'command.sh');
    writeFileSync(script, `#!/bin/sh\n${curlCommand(url, headers).replace('curl -i', 'printf "%s\\n"')}\n`);
    const words = execFileSync('sh', [script], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(words).toEqual([
      '-H',
      'X-Front: moscow',
      '-H',
      `Signature-Input: ${headers['Signature-Input']}`,
      '-H',
      `Signature: ${headers['Signature']}`,
      url,
    ]);
    const lines = words.filter((_, i) => i % 2 === 1);
    const answer = await server.send(["GET /products/?note=it's HTTP/1.1", `Host: 127.0.0.1:${server.port}`, ...lines]);
    expect(answer.status).toBe(200);
  });

  test('refuses a keyid that no header can carry, and keys of another kind', async () => {
    const options = { method: 'GET', url: 'https://edge.test/products/', front: 'moscow', created: START } as const;
    const rsa = { kty: 'RSA', crv: '', x: '', d: '' };
    await expect(signRequest({ ...options, key: { keyid: 'a"b', secret: 's' } })).rejects.toThrow('keyid: expected');
    await expect(signRequest({ ...options, key: { keyid: 'a', privateKey: rsa } })).rejects.toThrow(
      'private key: expected',
    );
  });
});

describe('key pairs', () => {
  test.each([
    ['ecdsa-p256-sha256', 'ec'],
    ['ed25519', 'ed25519'],
  ] as const)('%s: all four forms are the same key', async (alg, type) => {
    const pair = await generateKeyPair(alg);
    const fromPem = createPrivateKey(pair.privatePem);
    const publicKey = createPublicKey(fromPem);
    expect(fromPem.asymmetricKeyType).toBe(type);
    expect(fromPem.export({ format: 'jwk' })).toEqual({ ...pair.privateJwk });
    expect(publicKey.export({ format: 'der', type: 'spki' }).toString('base64')).toBe(pair.spki);
    expect(publicKey.export({ format: 'jwk' })).toEqual({ ...pair.jwk });
    expect('d' in pair.jwk).toBe(false);
    expect(await publicKeyFrom({ ...pair.privateJwk, kid: 'x' }, alg)).toEqual({ jwk: pair.jwk, spki: pair.spki });
  });

  test('refuses a key of another kind, and anything but a key', async () => {
    const { jwk } = await generateKeyPair('ed25519');
    await expect(publicKeyFrom(jwk, 'ecdsa-p256-sha256')).rejects.toThrow();
    await expect(publicKeyFrom({ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'ecdsa-p256-sha256')).rejects.toThrow();
    await expect(publicKeyFrom('text', 'ed25519')).rejects.toThrow('JWK: expected "kty"');
  });
});
