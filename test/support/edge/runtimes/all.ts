// The runtimes that the rule must run on; nginx, Caddy and HAProxy, which npm does not bring, in `npm run test:all`. A missing one is an error that names it.

import { PROXIES } from '../../../../src/edge/targets/authorizer/proxies.ts';
import { startAuthorizer } from './authorizer.ts';
import { startCore } from './core.ts';
import { startNginx } from './nginx.ts';
import { startNodeServer } from './node-server.ts';
import type { StartRuntime } from './runtime.ts';
import { startWorkerd } from './workerd.ts';
import type { World } from '../world.ts';
import { IS_THOROUGH } from '../../../speeds.ts';

const SERVERS = [
  { name: 'nginx', start: (world: World) => startNginx(world) },
  ...PROXIES.map((proxy) => ({
    name: `a service behind ${proxy}`,
    start: (world: World) => startAuthorizer(proxy, world),
  })),
];

export const RUNTIMES: readonly { readonly name: string; readonly start: StartRuntime }[] = [
  { name: 'core', start: startCore },
  { name: 'node', start: (world) => startNodeServer(world) },
  ...(IS_THOROUGH ? SERVERS : []),
  { name: 'workerd', start: (world) => startWorkerd(world, 5) },
];
