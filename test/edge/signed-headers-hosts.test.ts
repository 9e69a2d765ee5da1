// The transcript of the profile `signed-headers` on every other runtime that the transcripts of
// rfc9421 are run on: the hosts of a worker, and whatever reads a bucket.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExchange } from '../support/edge/exchange.ts';
import { originIn, startPrivateBucket } from '../support/edge/private-bucket.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startBucketServer } from '../support/edge/runtimes/bucket.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import type { Runtime, StartRuntime } from '../support/edge/runtimes/runtime.ts';
import { HOSTS } from '../support/edge/runtimes/worker-hosts.ts';
import { startWorkerd } from '../support/edge/runtimes/workerd.ts';
import { transcriptsOf } from '../support/edge/transcript.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';

let world: World;
let store: MemoryStore;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000), ['signed-headers']);
  store = await startPrivateBucket(world);
});
afterAll(async () => {
  await store.close();
});

const STARTS: readonly (readonly [string, StartRuntime])[] = [
  ...HOSTS.map(({ name, start }) => [name, start] as const),
  ['workerd over a bucket', () => startWorkerd(world, 0, originIn(store), store.environment)],
  ['Cloudflare over R2', () => startMiniflare(world, 0)],
  [
    'a service behind nginx, over a bucket',
    () => startAuthorizer('nginx', world, { origin: originIn(store), credentials: store.environment }),
  ],
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
