// The folder for each host, run there as it was written, by the command that its README gives. The
// tree lies in a private bucket, which answers 403 for what is not there, or in a folder.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gunzipSync } from 'node:zlib';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import type { OriginOptions } from '../../src/edge/targets/origin.ts';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { originIn, type Override, startPrivateBucket } from '../support/edge/private-bucket.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost, type WorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import { editionContent, makeWorld, type World } from '../support/edge/world.ts';

let world: World;
let bucket: Server;
let origin: string;
let ring: KeyRing;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  ring = world.keyRing;
  bucket = createServer((request, response) => {
    const url = request.url ?? '';
    if (url === '/edge/keyring.json') return void response.end(keyRingText(ring));
    readFile(join(world.root, url)).then(
      (bytes) => response.end(bytes),
      (error: NodeJS.ErrnoException) => response.writeHead(error.code === 'ENOENT' ? 403 : 500).end(),
    );
  });
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const address = bucket.address();
  origin = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/public`;
});
afterAll(() => {
  bucket.close();
  bucket.closeAllConnections();
});

/** A URL or a binding. */
const by = (name: string): OriginOptions => ({ origin: name, originEndpoint: null, originRegion: null });

async function ask(
  runtime: Runtime,
  keyid: string,
  front: string,
  { method = 'GET', encoding = 'gzip' } = {},
): Promise<RawResponse> {
  const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', `X-Front: ${front}`];
  const lines = [...written, `Accept-Encoding: ${encoding}`, `Sign: keyid=${keyid}`];
  return runtime.send(await prepareLines(lines, runtime.now(), world));
}

/**
 * The Content-Length of HEAD is that of GET, or is absent (RFC 9110, 8.6): of documents, from a
 * cache as well, and of refusals.
 */
async function expectLengthsOfHead(runtime: Runtime): Promise<void> {
  for (const [keyid, front, status] of [
    ['moscow-1', 'moscow', 200],
    ['kazan-1', 'kazan', 200],
    ['moscow-1', 'kazan', 403],
    ['stranger', 'moscow', 401],
    ['unpublished-1', 'unpublished', 404],
    ['torn-1', 'torn', 503],
  ] as const) {
    for (const encoding of ['identity', 'gzip', 'br', 'identity', 'gzip', 'br']) {
      const head = await ask(runtime, keyid, front, { method: 'HEAD', encoding });
      const get = await ask(runtime, keyid, front, { encoding });
      expect([head.status, get.status, head.content.length]).toEqual([status, status, 0]);
      expect([[], [String(get.content.length)]]).toContainEqual(headerValues(head, 'Content-Length'));
    }
  }
}

describe.each<WorkerHost>(['deno', 'bun', 'vercel', 'netlify'])('%s, the tree by URL', (host) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await startWorkerHost(host, world, by(origin));
  });
  afterAll(() => runtime.stop());

  test('HEAD says no other length than GET', () => expectLengthsOfHead(runtime));
});

test.each<WorkerHost>(['deno', 'bun', 'vercel', 'netlify'])('%s, no key with a secret', async (host) => {
  const keys = Object.entries(world.keyRing.keys).filter(([, key]) => key.alg !== 'hmac-sha256');
  ring = { schema: 1, keys: Object.fromEntries(keys) };
  const runtime = await startWorkerHost(host, world, by(origin), { keyRing: ring });
  try {
    expect((await ask(runtime, 'moscow-1', 'moscow')).status).toBe(200);
    expect((await ask(runtime, 'moscow-hmac', 'moscow')).status).toBe(401);
  } finally {
    ring = world.keyRing;
    await runtime.stop();
  }
});

test.each<WorkerHost>(['deno', 'bun'])('%s, the tree in a folder', async (host) => {
  const runtime = await startWorkerHost(host, world, by('ASSETS'));
  try {
    for (const keyid of ['moscow-1', 'moscow-hmac']) {
      const answer = await ask(runtime, keyid, 'moscow');
      expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, ['gzip']]);
      expect(gunzipSync(answer.content).equals(editionContent(world, 'moscow products 2'))).toBe(true);
    }
    expect((await ask(runtime, 'kazan-1', 'kazan')).content.equals(editionContent(world, 'kazan products 1'))).toBe(
      true,
    );
    expect((await ask(runtime, 'unpublished-1', 'unpublished')).status).toBe(404);
    expect((await ask(runtime, 'folder-1', 'folder')).status).toBe(503);
    await expectLengthsOfHead(runtime);
  } finally {
    await runtime.stop();
  }
});

describe.each<WorkerHost>(['deno', 'bun', 'vercel', 'netlify'])('%s, the tree in a private bucket', (host) => {
  test.each<[Override, readonly string[]]>([
    ['obeyed', ['gzip']],
    ['refused', []],
    ['ignored', []],
  ])('whose siblings bear an encoding that is overridden: %s', async (override, siblings) => {
    const encodings = host === 'vercel' ? [] : siblings;
    const store = await startPrivateBucket(world, override);
    const runtime = await startWorkerHost(host, world, originIn(store), { environment: store.environment });
    try {
      const answer = await ask(runtime, 'moscow-1', 'moscow');
      expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, encodings]);
      const content = encodings.length > 0 ? gunzipSync(answer.content) : answer.content;
      expect(content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
      expect((await ask(runtime, 'unpublished-1', 'unpublished')).status).toBe(404);
      expect((await ask(runtime, 'moscow-hmac', 'kazan')).status).toBe(403);
      await expectLengthsOfHead(runtime);
    } finally {
      await runtime.stop();
      await store.close();
    }
  });

  test('that does not let it in is a 503', async () => {
    const store = await startPrivateBucket(world);
    const secrets = { ...store.environment, AWS_SECRET_ACCESS_KEY: 'another' };
    const runtime = await startWorkerHost(host, world, originIn(store), { environment: secrets });
    try {
      for (const front of ['moscow', 'unpublished']) expect((await ask(runtime, `${front}-1`, front)).status).toBe(503);
    } finally {
      await runtime.stop();
      await store.close();
    }
  });
});
