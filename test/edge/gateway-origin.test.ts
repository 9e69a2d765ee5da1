// The tree in a private bucket of a real object store, Ceph's gateway, under a service behind
// nginx, Cloudflare and Deno: what the store in memory stands for in the other tests.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headerValues } from '../support/edge/messages.ts';
import { ask, editionOf } from '../support/edge/ask.ts';
import { originIn, PREFIX, putTree } from '../support/edge/private-bucket.ts';
import { startAuthorizer } from '../support/edge/runtimes/authorizer.ts';
import { startMiniflare } from '../support/edge/runtimes/miniflare.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { startWorkerHost } from '../support/edge/runtimes/worker-hosts.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import { sharedGateway } from '../support/objects/gateway.ts';
import type { TestStore } from '../support/objects/test-store.ts';

const STARTS: readonly (readonly [string, (world: World, store: TestStore) => Promise<Runtime>])[] = [
  [
    'a service behind nginx',
    (world, store) => startAuthorizer('nginx', world, { origin: originIn(store), credentials: store.environment }),
  ],
  [
    'Cloudflare',
    (world, store) => startMiniflare(world, 5, { origin: originIn(store), environment: store.environment }),
  ],
  ['Deno', (world, store) => startWorkerHost('deno', world, originIn(store), { environment: store.environment })],
];

describe.each(STARTS)('%s', (_, start) => {
  let world: World;
  let store: TestStore;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    store = await (await sharedGateway()).newBucket();
    await putTree(world, (key, bytes, headers) => store.put(key, bytes, headers));
    runtime = await start(world, store);
  });
  afterAll(async () => {
    await runtime.stop();
    await store.close();
  });

  test('serves the edition in each encoding, 404 for a front that is not there, and 401 without a key', async () => {
    for (const [encoding, suffix] of [
      ['identity', ''],
      ['gzip', '.gz'],
      ['br', '.br'],
    ]) {
      const answer = await ask(world, runtime, 'moscow', { encoding });
      expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, suffix ? [encoding] : []]);
      const file = readFileSync(join(world.root, 'public', editionOf(world, 'moscow', 2) + suffix));
      expect(answer.content.equals(file)).toBe(true);
    }
    expect((await ask(world, runtime, 'unpublished')).status).toBe(404);
    expect((await ask(world, runtime, 'moscow', { keyid: 'moscow-revoked' })).status).toBe(401);
  });

  test('a hundred signed requests for an edition are answered from one fetch', async () => {
    const first = await ask(world, runtime, 'kazan');
    expect(first.status).toBe(200);
    const key = `${PREFIX}/public/${editionOf(world, 'kazan', 1)}`;
    const edition = (await store.objects()).get(key);
    // A host stores an edition a little after it has sent it; from then on the bucket need not have
    // it.
    for (let attempt = 1; ; attempt++) {
      await store.delete(key);
      if ((await ask(world, runtime, 'kazan')).status === 200) break;
      expect(attempt, 'attempts').toBeLessThan(100);
      await store.put(key, edition?.bytes ?? '', edition?.headers);
      await ask(world, runtime, 'kazan');
      await sleep(200);
    }
    for (let count = 0; count < 100; count++) {
      const answer = await ask(world, runtime, 'kazan');
      expect(answer.status).toBe(200);
      expect(answer.content.equals(first.content)).toBe(true);
    }
  });
});
