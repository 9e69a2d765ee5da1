// The rule on node:http over a tree in a bucket, as `playbill serve --out s3://bucket/tree` runs
// it.

import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { serveTree } from '../../../../src/operations/serve.ts';
import { bucketOfFile } from '../../cli/bucket.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import type { Runtime, StartRuntime } from './runtime.ts';

export const startBucketServer: StartRuntime = async (world) => {
  const store = await bucketOfFile();
  for (const path of readdirSync(world.root, { recursive: true, encoding: 'utf8' })) {
    if (statSync(join(world.root, path)).isFile())
      await store.put(`tree/${path}`, readFileSync(join(world.root, path)));
  }
  // No bucket has a folder in a file's place; what cannot be read comes nearest.
  store.denied = [{ action: 'read', prefix: 'tree/public/fronts/folder/' }];
  const server = await serveBucket('s3://bucket/tree', world, () => world.now);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await store.close();
      vi.unstubAllEnvs();
    },
  };
};

/**
 * Such a server; the environment of this process says how to reach the bucket. `clock`: seconds
 * since 1970.
 */
export async function serveBucket(root: string, world: World, clock: () => number): Promise<Runtime> {
  const { server } = await serveTree('127.0.0.1', {
    root,
    settings: DEFAULT_SETTINGS,
    profiles: world.profiles,
    clock,
    secretOf: (name) => world.secrets[name] ?? null,
    at: null,
    isUnsigned: false,
    accessLog: () => undefined,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    name: 'node, over a bucket',
    now: () => Math.floor(clock()),
    send: (lines) => sendLines(port, lines),
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
