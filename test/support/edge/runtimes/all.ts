// The runtimes that the rule must run on; nginx, which npm does not bring, in `npm run test:all`. A missing one is an error that names it.

import { startCore } from './core.ts';
import { startNginx } from './nginx.ts';
import { startNodeServer } from './node-server.ts';
import type { StartRuntime } from './runtime.ts';
import { startWorkerd } from './workerd.ts';
import type { World } from '../world.ts';
import { IS_THOROUGH } from '../../../speeds.ts';

export const RUNTIMES: readonly { readonly name: string; readonly start: StartRuntime }[] = [
  { name: 'core', start: startCore },
  { name: 'node', start: (world) => startNodeServer(world) },
  ...(IS_THOROUGH ? [{ name: 'nginx', start: (world: World) => startNginx(world) }] : []),
  { name: 'workerd', start: (world) => startWorkerd(world, 5) },
];
