// Workers over a private bucket, which lets in only what is signed: real workerd with a store that
// checks every signature, and a bucket of R2 in miniflare.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLines, runExchange } from '../support/edge/exchange.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import {
  originIn,
  type Override,
  PREFIX,
  startPrivateBucket,
  UNREADABLE_BUCKETS,
  type UnreadableBucket,
  WRONG_SECRET,
} from '../support/edge/private-bucket.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { TRANSCRIPTS } from '../support/edge/transcript.ts';
import { editionContent, makeWorld, pointerText, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';
import { EXPIRED_TOKEN } from '../support/objects/signature.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

/** A signed request for the products of a front. */
async function ask(runtime: Runtime, front: string, encoding = 'identity', method = 'GET'): Promise<RawResponse> {
  const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', `X-Front: ${front}`];
  const lines = [...written, `Accept-Encoding: ${encoding}`, `Sign: keyid=${front}-1`];
  return runtime.send(await prepareLines(lines, runtime.now(), world));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('S3', () => {
  let store: MemoryStore;
  let runtime: Runtime;
  beforeAll(async () => {
    store = await startPrivateBucket(world);
    runtime = await startWorkerd(world, 0, originIn(store), store.environment);
  });
  afterAll(async () => {
    await runtime.stop();
    await store.close();
  });

  describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
    test.each(exchanges)('$name', async (exchange) => {
      expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
    });
  });

  test('lets nobody in who does not sign', async () => {
    const url = `${store.endpoint}/${store.bucket}/${encodeURI(PREFIX)}/public/fronts/moscow/pointer.json`;
    expect((await fetch(url)).status).toBe(403);
  });

  test('is not asked before the client is let in', async () => {
    const before = store.log.length;
    const unsigned = await runtime.send(['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow']);
    expect(unsigned.status).toBe(401);
    expect(store.log.length).toBe(before);
    expect((await ask(runtime, 'moscow')).status).toBe(200);
    expect(store.log.slice(before).map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 200', 'GET 200']);
  });

  test('is asked by GET for HEAD, whose length is that of GET', async () => {
    const before = store.log.length;
    const answers = [];
    for (const method of ['HEAD', 'GET']) answers.push(await ask(runtime, 'moscow', 'br', method));
    expect(answers.map(({ status, content }) => [status, content.length > 0])).toEqual([
      [200, false],
      [200, true],
    ]);
    const [head, get] = answers.map((answer) => headerValues(answer, 'Content-Length'));
    expect(head).toEqual(get);
    expect(new Set(store.log.slice(before).map(({ method, status }) => `${method} ${status}`))).toEqual(
      new Set(['GET 200']),
    );
  });

  test('has nothing published for a front where it says 404, as to who may list', async () => {
    const listed = await startPrivateBucket(world, 'obeyed', { denied: [] });
    const worker = await startWorkerd(world, 0, originIn(listed), listed.environment);
    try {
      expect((await ask(worker, 'unpublished')).status).toBe(404);
      expect(listed.log.at(-1)?.status).toBe(404);
      const plain = await ask(worker, 'kazan', 'br, gzip');
      expect(plain.content.equals(editionContent(world, 'kazan products 1'))).toBe(true);
    } finally {
      await worker.stop();
      await listed.close();
    }
  });

  test.each(['GET', 'HEAD'])(
    'is asked for the pointer once more where the kept one is too old, for %s',
    async (method) => {
      const bucket = await startPrivateBucket(world);
      const worker = await startWorkerd(world, 10, originIn(bucket), bucket.environment);
      const kazan = world.fronts.get('kazan');
      const [edition] = kazan?.products ?? [];
      const [next] = world.fronts.get('moscow')?.products ?? [];
      if (kazan === undefined || edition === undefined || next === undefined) throw new Error('no such front');
      const folder = `${PREFIX}/public/fronts/kazan`;
      try {
        expect((await ask(worker, 'kazan')).status).toBe(200);
        // Another build has published another edition, and pruned this one.
        const pointer = pointerText('kazan', world.now, { ...kazan, products: [next] });
        await bucket.put(`${folder}/products.${next.digest}.json`, next.content);
        await bucket.put(`${folder}/pointer.json`, pointer);
        await bucket.delete(`${folder}/products.${edition.digest}.json`);
        const answer = await ask(worker, 'kazan', 'identity', method);
        expect([answer.status, headerValues(answer, 'ETag')]).toEqual([200, [`W/"${next.digest}"`]]);
      } finally {
        await worker.stop();
        await bucket.close();
      }
    },
  );

  test.each<[Override, readonly string[]]>([
    ['obeyed', ['br']],
    ['refused', []],
    ['ignored', []],
  ])('a sibling is sent as it is or not at all: its encoding overridden, %s', async (override, encodings) => {
    const bucket = await startPrivateBucket(world, override);
    const worker = await startWorkerd(world, 0, originIn(bucket), bucket.environment);
    try {
      const answer = await ask(worker, 'moscow', 'br, gzip');
      expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, encodings]);
      if (encodings.length === 0) expect(answer.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
    } finally {
      await worker.stop();
      await bucket.close();
    }
  });
});

describe('a bucket that cannot be read makes it a 503 and a line in the log:', () => {
  test.each<readonly [string, UnreadableBucket, string]>([
    ...UNREADABLE_BUCKETS,
    ['a broken connection', { store: { faults: () => ({ kind: 'reset' }) } }, 'does not answer'],
  ])('%s', async (_, { environment = {}, origin = {}, store: options = {} }, why) => {
    const store = await startPrivateBucket(world, 'obeyed', options);
    const output: string[] = [];
    const secrets = { ...store.environment, ...environment };
    const runtime = await startWorkerd(world, 5, { ...originIn(store), ...origin }, secrets, output);
    try {
      for (const front of ['moscow', 'unpublished']) {
        const answer = await ask(runtime, front);
        expect(answer.status).toBe(503);
        expect(answer.content.toString()).toContain('"code":"internal"');
      }
      const printed = (): string => output.join('');
      await expect
        .poll(printed)
        .toMatch(/playbill: the tree cannot be read: .*\n[^]*playbill: the tree cannot be read: /);
      expect(printed()).toContain(why);
      for (const secret of [store.credentials.secretAccessKey, WRONG_SECRET, EXPIRED_TOKEN, 'AWS4'])
        expect(printed()).not.toContain(secret);
    } finally {
      await runtime.stop();
      await store.close();
    }
  });
});

test.each([404, 200])('what answers %d with a page is no bucket, and makes it a 503', async (status) => {
  const server = createHttpServer((_, response) =>
    response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>Not found</h1>'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  const origin = { origin: 's3://bucket', originEndpoint: endpoint, originRegion: 'eu-central-1' };
  const credentials = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
  const output: string[] = [];
  const runtime = await startWorkerd(world, 0, origin, credentials, output);
  try {
    expect((await ask(runtime, 'moscow')).status).toBe(503);
    await expect.poll(() => output.join('')).toContain(`answers ${status} text/html`);
  } finally {
    await runtime.stop();
    server.closeAllConnections();
    server.close();
  }
});

describe('R2', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await startMiniflare(world, 0);
  });
  afterAll(() => runtime.stop());

  // A bucket has no folder that could be in a pointer's place.
  const isInBucket = ({ request }: { readonly request: readonly string[] }): boolean =>
    !request.includes('X-Front: folder');

  describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
    test.each(exchanges.filter(isInBucket))('$name', async (exchange) => {
      expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
    });
  });

  test('sends a sibling as it is, and without one the plain file', async () => {
    const encodings: (readonly string[])[] = [];
    for (const front of ['moscow', 'kazan']) {
      const answer = await ask(runtime, front, 'br, gzip');
      expect(answer.status).toBe(200);
      encodings.push(headerValues(answer, 'Content-Encoding'));
    }
    expect(encodings).toEqual([['br'], []]);
  });

  test('answers HEAD without content', async () => {
    const answer = await ask(runtime, 'moscow', 'br', 'HEAD');
    expect([answer.status, answer.content.length]).toEqual([200, 0]);
  });

  test('does not send a plain file that was stored with an encoding', async () => {
    const output: string[] = [];
    const storedEncoding = (key: string) => (/kazan\/products.*json$/.test(key) ? 'gzip' : null);
    const encoded = await startMiniflare(world, 0, { storedEncoding, output });
    try {
      expect((await ask(encoded, 'kazan')).status).toBe(503);
      await expect
        .poll(() => output.join(''))
        .toMatch(/kazan\/products\.\w+\.json: stored with Content-Encoding: gzip/);
      expect((await ask(encoded, 'moscow')).status).toBe(200);
    } finally {
      await encoded.stop();
    }
  });

  test('that is not bound is a 503, and a line in the log', async () => {
    const output: string[] = [];
    const unbound = await startMiniflare(world, 0, { binding: 'ANOTHER', output });
    try {
      expect((await ask(unbound, 'moscow')).status).toBe(503);
      expect((await ask(unbound, 'unpublished')).status).toBe(503);
      const why = /playbill: the tree cannot be read: edge\/keyring\.json: the binding TREE is no R2 bucket/;
      await expect.poll(() => output.join('')).toMatch(why);
    } finally {
      await unbound.stop();
    }
  });
});

test('workerd asks an origin at https by TLS', async () => {
  const first: number[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      first.push(bytes[0] ?? 0);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `https://127.0.0.1:${portOf(server)}/public`;
  const runtime = await startWorkerd(world, 0, { origin, originEndpoint: null, originRegion: null });
  try {
    expect((await ask(runtime, 'moscow')).status).toBe(503);
    // The first byte of a handshake (RFC 8446, 5.1).
    expect(first[0]).toBe(22);
  } finally {
    await runtime.stop();
    server.close();
  }
});
