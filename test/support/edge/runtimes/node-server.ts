// The rule on node:http, as `playbill serve` runs it.

import { once } from 'node:events';
import { createServer, type ServeOptions } from '../../../../src/edge/node-server/server.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import type { Runtime } from './runtime.ts';

/** Starts the server; options beside the tree, the clock and the secrets may be set by a test. */
export async function startNodeServer(
  world: Pick<World, 'root' | 'now' | 'secrets'> & Partial<Pick<World, 'profiles'>>,
  options: Partial<ServeOptions> = {},
): Promise<Runtime & { readonly port: number }> {
  const clock = options.clock ?? ((): number => world.now);
  const server = createServer({
    root: world.root,
    settings: DEFAULT_SETTINGS,
    ...(world.profiles === undefined ? {} : { profiles: world.profiles }),
    clock,
    secretOf: (name) => world.secrets[name] ?? null,
    at: null,
    isUnsigned: false,
    accessLog: () => undefined,
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    name: 'node',
    port: address.port,
    now: () => Math.floor(clock()),
    send: (lines) => sendLines(address.port, lines),
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
