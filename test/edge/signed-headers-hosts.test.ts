// The transcript of the profile `signed-headers` on every other runtime that the transcripts of rfc9421 are run on: the hosts of a worker,
// and whatever reads a bucket.

import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExchange } from '../support/edge/exchange.ts';
import { originIn, startPrivateBucket } from '../support/edge/private-bucket.ts';
import { startBucketServer } from '../support/edge/runtimes/bucket.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import { startNginxBucket } from '../support/edge/runtimes/nginx.ts';
import type { Runtime, StartRuntime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost, type WorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { transcriptsOf } from '../support/edge/transcript.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';

let world: World;
let store: MemoryStore;
let folder: Server;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000), ['signed-headers']);
  store = await startPrivateBucket(world);
  folder = createServer((request, response) => {
    readFile(join(world.root, 'public', request.url ?? '')).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  folder.listen(0, '127.0.0.1');
  await once(folder, 'listening');
});
afterAll(async () => {
  folder.close();
  folder.closeAllConnections();
  await store.close();
});

/** A host with the tree by URL. */
const onHost =
  (host: WorkerHost): StartRuntime =>
  () => {
    const { port } = folder.address() as AddressInfo;
    return startWorkerHost(host, world, {
      origin: `http://127.0.0.1:${port}`,
      originEndpoint: null,
      originRegion: null,
    });
  };

const STARTS: readonly (readonly [string, StartRuntime])[] = [
  ['deno', onHost('deno')],
  ['bun', onHost('bun')],
  ['vercel', onHost('vercel')],
  ['netlify', onHost('netlify')],
  ['workerd over a bucket', () => startWorkerd(world, 0, originIn(store), store.environment)],
  ['Cloudflare over R2', () => startMiniflare(world, 0)],
  ['nginx over a bucket', () => startNginxBucket(world, originIn(store), store.environment)],
  ['serve over a bucket', startBucketServer],
];

describe.each(STARTS)('%s', (_, start) => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  describe.each(transcriptsOf(['signed-headers']))('$name', ({ exchanges }) => {
    test.each(exchanges)('$name', async (exchange) => {
      expect(await runExchange(exchange, runtime, world)).toBeGreaterThan(0);
    });
  });
});
